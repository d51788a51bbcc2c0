"""Checks: what a settled program is put through, each in fresh sandboxes that hold only the files named."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from coda_bench.records.proof import Decoy, Effect, Elsewhere, Run, Without
from coda_bench.sandbox.analysis_env import AnalysisEnvironment
from coda_bench.tasks.execution.execute import Conditions, execute
from coda_bench.tasks.execution.room import Room
from coda_bench.tasks.proof.program import Key, Outcome, Program, outcome
from coda_bench.tasks.proof.staging import staged

A_MONTH_AND_A_DAY_S = 32 * 86400.0
FIRST = Conditions(hash_seed=1, threads=1, folder="one")
SECOND = Conditions(hash_seed=20260, threads=2, clock_s=A_MONTH_AND_A_DAY_S, folder="another/place")
"""Everything that a fact about the data cannot hang on is different from the first run's."""
PERTURBATIONS = ("rows", "values")


class Lab(NamedTuple):
    """Where programs that share their files are checked."""

    room: Room
    environment: AnalysisEnvironment
    limit_s: float

    def run(
        self,
        programs: Sequence[Program],
        files: Collection[str],
        conditions: Conditions,
        *,
        environment: AnalysisEnvironment | None = None,
        instead: Mapping[str, str] | None = None,
    ) -> dict[str, Outcome]:
        """Run programs on some files alone, in one fresh sandbox, each in a process of its own."""
        with staged(self.room.data, files, instead=instead) as folder:
            done = execute(
                [one.job() for one in programs],
                self.room._replace(data=folder),
                environment or self.environment,
                conditions,
                limit_s=self.limit_s,
            )
        return {one.name: outcome(one, done.jobs[one.name]) for one in programs}


def sufficient(programs: Sequence[Program], files: Collection[str], lab: Lab) -> dict[str, set[Key]]:
    """Return, by program, the parts that two runs under different conditions give on these files alone."""
    first, second = (lab.run(programs, files, conditions) for conditions in (FIRST, SECOND))
    return {
        one.name: first[one.name].agreeing(one.expected()) & second[one.name].agreeing(one.expected())
        for one in programs
    }


def runs(environment: AnalysisEnvironment) -> tuple[Run, ...]:
    """Return the record of the runs that `sufficient` makes."""
    return tuple(
        Run(
            generation=environment.generation,
            environment_lock=environment.lock_sha256,
            python=environment.python_version,
            hash_seed=one.hash_seed,
            threads=one.threads,
            clock_s=one.clock_s,
            folder=one.folder,
        )
        for one in (FIRST, SECOND)
    )


def without(programs: Sequence[Program], files: Collection[str], lab: Lab) -> dict[str, list[Without]]:
    """Return, by program, what leaving out each file does."""
    found: dict[str, list[Without]] = {one.name: [] for one in programs}
    for file in sorted(files):
        outcomes = lab.run(programs, [one for one in files if one != file], FIRST)
        for one in programs:
            effect, detail = _effect(one, outcomes[one.name])
            found[one.name].append(Without(path=file, effect=effect, detail=detail))
    return found


def _effect(program: Program, seen: Outcome) -> tuple[Effect, str]:
    expected = program.expected()
    if len(seen.agreeing(expected)) == len(expected):
        return Effect.SAME, ""
    if seen.differing(expected):
        return Effect.OTHER, ""
    return Effect.FAILS, _plain(seen.trouble)


def _plain(trouble: str) -> str:
    """Return an error without what differs from run to run."""
    return trouble.replace(f"/workspace/{FIRST.folder}/", "")[:200]


def elsewhere(
    programs: Sequence[Program], files: Collection[str], lab: Lab, others: Sequence[AnalysisEnvironment]
) -> dict[str, list[tuple[Elsewhere, set[Key]]]]:
    """Return, by program, what other generations make of it, with the parts that come out otherwise."""
    found: dict[str, list[tuple[Elsewhere, set[Key]]]] = {one.name: [] for one in programs}
    for other in others:
        outcomes = lab.run(programs, files, FIRST, environment=other)
        for one in programs:
            effect, detail = _effect(one, outcomes[one.name])
            record = Elsewhere(
                generation=other.generation, environment_lock=other.lock_sha256, effect=effect, detail=detail
            )
            found[one.name].append((record, outcomes[one.name].differing(one.expected())))
    return found


def sensitive(programs: Sequence[Program], files: Collection[str], lab: Lab) -> dict[str, dict[str, set[Key]]]:
    """Return, by program and change of the data, the parts that change with it.

    A part that is not there any more has changed as well, unless the program failed before it came to it.
    """
    found: dict[str, dict[str, set[Key]]] = {one.name: {} for one in programs}
    for how in PERTURBATIONS:
        outcomes = lab.run(programs, files, FIRST._replace(perturb=how))
        for one in programs:
            seen, expected = outcomes[one.name], one.expected()
            if seen.reached:
                gone = set() if seen.trouble else set(expected) - set(seen.values)
                found[one.name][how] = seen.differing(expected) | gone
    return found


def decoys(
    program: Program, files: Collection[str], lab: Lab, alike: Mapping[str, Sequence[str]]
) -> Iterator[tuple[Decoy, set[Key]]]:
    """Yield what comes out with each other file in the place of one, and the parts that then differ.

    Args:
        program: what is run.
        files: those it needs.
        lab: where it is run.
        alike: by file, others of the community that have the columns it uses.
    """
    for file in sorted(files):
        for other in alike.get(file, ()):
            seen = lab.run([program], files, FIRST, instead={file: other})[program.name]
            effect, _ = _effect(program, seen)
            yield Decoy(path=other, instead_of=file, effect=effect), seen.differing(program.expected())
