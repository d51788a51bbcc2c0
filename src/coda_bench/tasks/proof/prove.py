"""Prove: from the results that a notebook displays to proofs of those that a few statements and files decide.

A proof says: these files and these statements are enough (two runs under different conditions), each file is needed,
other generations of the libraries agree, and the result moves with the data. What falls on the way has its reason.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from coda_bench.layout import file_sha256
from coda_bench.records.anchor import Candidate, StatementId, Unfit
from coda_bench.records.proof import Decoy, Effect, Elsewhere, ProgramCell, Proof, Without
from coda_bench.records.targets import DataFile
from coda_bench.sandbox.analysis_env import AnalysisEnvironment
from coda_bench.tasks.anchors.rules import fit_leaves, unfit
from coda_bench.tasks.execution.execute import CellSource
from coda_bench.tasks.execution.room import Room
from coda_bench.tasks.proof import checks
from coda_bench.tasks.proof.program import Key, Program, lines_of
from coda_bench.tasks.proof.settle import Bench, Settled, settle
from coda_bench.tasks.slicing.flow import Statement, read_flow

MOST_ROUNDS = 6
"""Of leaving out files that turn out not to be needed."""
MOST_DECOYS = 12
"""Of one file."""


class Given(NamedTuple):
    """What proofs of one notebook are made from."""

    notebook: str
    cells: tuple[CellSource, ...]
    room: Room
    environment: AnalysisEnvironment
    others: tuple[AnalysisEnvironment, ...] = ()
    """Other generations."""
    alike: Callable[[str, Sequence[str]], Sequence[str]] = lambda _file, _sources: ()
    """Files of the community that have the columns that statements use of a file."""
    limit_s: float = 120.0
    """Seconds that a program may take."""


class Fallen(NamedTuple):
    """A displayed value that is no anchor."""

    candidate: Candidate
    why: Unfit
    detail: str = ""


class Proven(NamedTuple):
    """What came of the displayed values of one notebook."""

    proofs: tuple[Proof, ...]
    fallen: tuple[Fallen, ...]


def prove(candidates: Sequence[Candidate], given: Given) -> Proven:
    """Prove what can be proven of a notebook's displayed values.

    Raises:
        SandboxError: this machine cannot run the notebook's statements.
    """
    flow = read_flow(given.cells)
    programs = _programs(candidates, given)
    settled = settle(programs, flow, Bench(given.room, given.environment, given.limit_s))
    fallen = [
        Fallen(candidate, Unfit.UNPROVEN)
        for one in programs
        for candidate in one.candidates
        if one.name not in settled or candidate.place not in _places(settled[one.name].program)
    ]
    by_id = {statement.id: statement for statement in flow.statements}
    ready = []
    for one in settled.values():
        kept, fell = _by_rules(one, by_id)
        fallen += fell
        if kept is not None:
            ready.append(kept)
    proofs, fell = _checked(ready, by_id, given)
    return Proven(tuple(sorted(proofs, key=lambda one: one.statement)), tuple(fallen + fell))


def _places(program: Program) -> set[object]:
    return {candidate.place for candidate in program.candidates}


def _programs(candidates: Iterable[Candidate], given: Given) -> list[Program]:
    by_statement: dict[StatementId, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        by_statement[candidate.place.statement].append(candidate)
    return [
        Program(f"c{target.cell}-s{target.position}", given.cells, target, frozenset(), tuple(found))
        for target, found in sorted(by_statement.items())
    ]


def _sources(kept: Iterable[StatementId], statements: Mapping[StatementId, Statement]) -> list[str]:
    return [one.source for one in statements.values() if one.id in set(kept)]


def _by_rules(settled: Settled, statements: Mapping[StatementId, Statement]) -> tuple[Settled | None, list[Fallen]]:
    """Take out displayed values, and parts of them, that are unfit."""
    program, kept, fallen = settled.program, [], []
    sources = _sources(program.kept, statements)
    reads = bool(settled.outcome.files | settled.silent)
    for candidate in program.candidates:
        why = unfit(candidate, sources, reads=reads)
        leaves, none = fit_leaves(candidate, sources) if why is None else ([], why)
        if none is not None:
            fallen.append(Fallen(candidate, none))
        else:
            kept.append(candidate.model_copy(update={"leaves": tuple(leaves)}))
    if not kept:
        return None, fallen
    return settled._replace(program=program._replace(candidates=tuple(kept))), fallen


class _Checked(NamedTuple):
    settled: Settled
    program: Program
    files: frozenset[str]
    necessary: tuple[Without, ...]


class _Shown(NamedTuple):
    elsewhere: tuple[Elsewhere, ...]
    moved: Mapping[str, set[Key]]
    decoys: tuple[Decoy, ...]


def _checked(
    ready: Sequence[Settled], statements: Mapping[StatementId, Statement], given: Given
) -> tuple[list[Proof], list[Fallen]]:
    lab = checks.Lab(given.room, given.environment, given.limit_s)
    proofs, fallen = [], []
    held, fell = _on_their_files(ready, lab)
    fallen += fell
    for files, group in _grouped(held):
        elsewhere = checks.elsewhere([one.program for one in group], files, lab, given.others)
        moved = checks.sensitive([one.program for one in group], files, lab)
        for one in group:
            made, fell = _judged(one, elsewhere[one.program.name], moved[one.program.name])
            fallen += fell
            if made is not None:
                sources = _sources(made.program.kept, statements)
                shown = _Shown(
                    tuple(record for record, _ in elsewhere[one.program.name]),
                    moved[one.program.name],
                    tuple(_decoys(made, lab, given, sources)),
                )
                proofs.append(_proof(made, shown, statements, given))
    return proofs, fallen


def _grouped(held: Iterable[_Checked]) -> Iterator[tuple[frozenset[str], list[_Checked]]]:
    groups: dict[frozenset[str], list[_Checked]] = defaultdict(list)
    for one in held:
        groups[one.files].append(one)
    yield from sorted(groups.items(), key=lambda item: sorted(item[0]))


def _on_their_files(ready: Sequence[Settled], lab: checks.Lab) -> tuple[list[_Checked], list[Fallen]]:
    """Find the files that are enough and needed for each program."""
    held: list[_Checked] = []
    fallen: list[Fallen] = []
    waiting = [(one, one.program, _proposed(one, lab)) for one in ready]
    for _ in range(MOST_ROUNDS):
        groups: dict[frozenset[str], list[tuple[Settled, Program]]] = defaultdict(list)
        for settled, program, files in waiting:
            groups[files].append((settled, program))
        waiting = []
        for files, group in sorted(groups.items(), key=lambda item: sorted(item[0])):
            for settled, kept, effects, fell in _needed(group, files, lab):
                fallen += fell
                spare = {one.path for one in effects if one.effect is Effect.SAME}
                if kept is None:
                    continue
                if spare:  # one at a time: two that stand in for one another may not both be left out
                    waiting.append((settled, kept, files - {min(spare)}))
                elif not files:
                    fallen += [Fallen(candidate, Unfit.CONSTANT) for candidate in kept.candidates]
                else:
                    held.append(_Checked(settled, kept, files, tuple(effects)))
    for _, left, _ in waiting:
        fallen += [Fallen(candidate, Unfit.UNFOUND_FILES) for candidate in left.candidates]
    return held, fallen


def _proposed(settled: Settled, lab: checks.Lab) -> frozenset[str]:
    files = settled.outcome.files | settled.silent
    return frozenset(file for file in files if (lab.room.data / file).is_file())


def _needed(
    group: Sequence[tuple[Settled, Program]], files: frozenset[str], lab: checks.Lab
) -> Iterator[tuple[Settled, Program | None, list[Without], list[Fallen]]]:
    """Yield each program with its parts that hold on the files alone, and what leaving out each file does."""
    holding = checks.sufficient([program for _, program in group], files, lab)
    still, fallen = [], {}
    for settled, program in group:
        kept = program.only(holding[program.name])
        fallen[program.name] = list(_lost(program, kept, Unfit.UNSTABLE))
        if kept.candidates:
            still.append((settled, kept))
        else:
            yield settled, None, [], fallen[program.name]
    effects = checks.without([program for _, program in still], files, lab) if still else {}
    for settled, program in still:
        yield settled, program, effects[program.name], fallen[program.name]


def _lost(before: Program, after: Program, why: Unfit, detail: str = "") -> Iterator[Fallen]:
    """Yield the displayed values of which nothing is left."""
    left = _places(after)
    yield from (Fallen(candidate, why, detail) for candidate in before.candidates if candidate.place not in left)


def _judged(
    one: _Checked, elsewhere: Sequence[tuple[Elsewhere, set[Key]]], moved: Mapping[str, set[Key]]
) -> tuple[_Checked | None, list[Fallen]]:
    """Take out parts that drift or do not move."""
    program, fallen = one.program, list[Fallen]()
    drifting = {key for _, keys in elsewhere for key in keys}
    steady = program.only(set(program.expected()) - drifting)
    fallen += _lost(program, steady, Unfit.DRIFTING, ", ".join(record.generation for record, keys in elsewhere if keys))
    alive = steady.only({key for keys in moved.values() for key in keys})
    fallen += _lost(steady, alive, Unfit.INSENSITIVE)
    return (one._replace(program=alive) if alive.candidates else None), fallen


def _decoys(one: _Checked, lab: checks.Lab, given: Given, sources: Sequence[str]) -> Iterator[Decoy]:
    alike = {file: tuple(given.alike(file, sources))[:MOST_DECOYS] for file in sorted(one.files)}
    yield from (decoy for decoy, _ in checks.decoys(one.program, one.files, lab, alike))


def _proof(one: _Checked, shown: _Shown, statements: Mapping[StatementId, Statement], given: Given) -> Proof:
    program = one.program
    kept = [statement for statement in statements.values() if statement.id in program.kept]
    cells = _program(kept)
    return Proof(
        notebook=given.notebook,
        statement=tuple(program.target),
        kept=tuple(tuple(statement.id) for statement in kept),
        program=cells,
        folder=given.room.folder,
        datasets=_datasets(given.room, one.files),
        files=tuple(_data_file(given.room.data, file) for file in sorted(one.files)),
        candidates=program.candidates,
        sufficient=checks.runs(given.environment),
        necessary=one.necessary,
        elsewhere=shown.elsewhere,
        sensitive_to=tuple(
            how for how in checks.PERTURBATIONS if set(program.expected()) <= shown.moved.get(how, set())
        ),
        decoys=shown.decoys,
        lines=lines_of([cell.source for cell in cells]),
        notebook_lines=lines_of([cell.source for cell in given.cells]),
        widened=one.settled.widened,
    )


def _program(kept: Sequence[Statement]) -> tuple[ProgramCell, ...]:
    sources: dict[int, list[str]] = {}
    for statement in kept:
        sources.setdefault(statement.id.cell, []).append(statement.source)
    return tuple(ProgramCell(cell=cell, source="\n".join(lines)) for cell, lines in sources.items())


def _datasets(room: Room, files: Iterable[str]) -> dict[str, str]:
    """Return the data sets that files lie in, by the names that notebooks know them under."""
    return {
        name: folder
        for name, folder in sorted(room.datasets.items())
        if any(file.startswith(f"{folder}/") for file in files)
    }


def _data_file(data: Path, file: str) -> DataFile:
    path = data / file
    return DataFile(path=file, bytes=path.stat().st_size, sha256=file_sha256(path))
