"""Programs to be proven, and what comes out of running them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from coda_bench.records.anchor import Candidate, Leaf, Place, Scalar, StatementId
from coda_bench.tasks.anchors.parts import parts
from coda_bench.tasks.execution.execute import CellSource, Job
from coda_bench.tasks.execution.results import Ran
from coda_bench.tasks.execution.room import DATA

EPSILON = 1e-6
"""Two values are the same within this (paper, section 4.1)."""
_RELATIVE = 1e-12
"""Or within this of their size: sums of billions come out in another last digit when threads share them."""

Key = tuple[Place, tuple[object, ...]]
"""Names one part of a displayed value."""


class Program(NamedTuple):
    """A statement that displays results, with the statements it is proposed to need."""

    name: str
    cells: tuple[CellSource, ...]
    """All cells of the notebook, in the order they are run."""
    target: StatementId
    kept: frozenset[StatementId]
    candidates: tuple[Candidate, ...]

    def job(self, perturb: str = "") -> Job:
        """Return the program as a job."""
        return Job(f"{self.name}-{perturb}" if perturb else self.name, self.cells, self.kept, perturb)

    def expected(self) -> dict[Key, Scalar]:
        """Return the value of every part."""
        return {key_of(candidate.place, leaf): leaf.value for candidate in self.candidates for leaf in candidate.leaves}

    def only(self, keys: Iterable[Key]) -> "Program":
        """Return the program with only some of its parts to be proven."""
        wanted = set(keys)
        kept = []
        for candidate in self.candidates:
            leaves = tuple(leaf for leaf in candidate.leaves if key_of(candidate.place, leaf) in wanted)
            if leaves:
                kept.append(candidate.model_copy(update={"leaves": leaves}))
        return self._replace(candidates=tuple(kept))


def key_of(place: Place, leaf: Leaf) -> Key:
    """Return the name of a part: labels and not places, since another library may sort rows otherwise."""
    return place, tuple((step.kind, _hashable(step.label)) for step in leaf.path)


def _hashable(label: object) -> object:
    return tuple(map(_hashable, label)) if isinstance(label, (list, tuple)) else label


class Outcome(NamedTuple):
    """What a run of a program gave."""

    values: Mapping[Key, Scalar]
    trouble: str
    files: frozenset[str]
    """Files below `/data` that Python opened for reading, relative to it."""
    reached: int

    def agreeing(self, expected: Mapping[Key, Scalar]) -> set[Key]:
        """Return the parts that came out as expected."""
        return {key for key, value in expected.items() if key in self.values and same(value, self.values[key])}

    def differing(self, expected: Mapping[Key, Scalar]) -> set[Key]:
        """Return the parts that came out as something else."""
        return {key for key, value in expected.items() if key in self.values and not same(value, self.values[key])}


def same(one: Scalar, other: Scalar) -> bool:
    """Whether two values are the same: numbers within 1e-6, all else exactly."""
    if one[0] in {"i", "f"} and other[0] in {"i", "f"}:
        difference = abs(one[1] - other[1])
        return bool(difference <= max(EPSILON, _RELATIVE * abs(one[1])))
    return one[0] == other[0] and one[1] == other[1]


def outcome(program: Program, ran: Ran) -> Outcome:
    """Read off a run what a program is asked for."""
    values: dict[Key, Scalar] = {}
    for candidate in program.candidates:
        note = ran.note(candidate.place)
        for part in parts(note.value) if note else ():
            leaf = Leaf(path=part.path, value=part.value, shown="", decimals=0)
            values.setdefault(key_of(candidate.place, leaf), part.value)
    return Outcome(values, ran.trouble, files_read(ran), ran.reached)


def files_read(ran: Ran) -> frozenset[str]:
    """Return the files below `/data` that Python opened for reading, relative to it."""
    opened = (path for cell in ran.cells for _, path, mode in cell.files if not set(mode) & set("wax+"))
    return frozenset(path.removeprefix(f"{DATA}/") for path in opened if path.startswith(f"{DATA}/"))


def lines_of(sources: Sequence[str]) -> int:
    """Count lines that are neither blank nor comment."""
    lines = (line.strip() for source in sources for line in source.split("\n"))
    return sum(1 for line in lines if line and not line.startswith("#"))
