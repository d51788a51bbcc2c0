"""Checks: what running programs on changed files, data and libraries says about their results."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from coda_bench.records.proof import Decoy, Effect, Elsewhere, Run, Without
from coda_bench.sandbox.analysis_env import AnalysisEnvironment
from coda_bench.tasks.proof.program import Key, Outcome, Program
from coda_bench.tasks.proof.trial import FIRST, SECOND, Lab, Trial

PERTURBATIONS = ("rows", "few", "values")


class Tried(NamedTuple):
    """A program on files that may be its own."""

    program: Program
    files: frozenset[str]


class Held(NamedTuple):
    """What two runs and perturbed ones showed."""

    keys: set[Key]
    """Parts that both runs gave."""
    moved: dict[str, set[Key]]
    """By change of the data, the parts that changed with it."""


def held(tried: Sequence[Tried], lab: Lab) -> list[Held]:
    """Run programs on their files alone, twice under different conditions, and on changed data."""
    trials = [
        trial
        for one in tried
        for trial in (
            Trial(one.program, one.files, FIRST),
            Trial(one.program, one.files, SECOND),
            *(Trial(one.program, one.files, FIRST, how) for how in PERTURBATIONS),
        )
    ]
    outcomes = iter(lab.run(trials))
    found = []
    for one in tried:
        expected = one.program.expected()
        first, second = next(outcomes), next(outcomes)
        moved = {how: _moved(expected, next(outcomes)) for how in PERTURBATIONS}
        found.append(Held(first.agreeing(expected) & second.agreeing(expected), moved))
    return found


def _moved(expected: Mapping[Key, object], seen: Outcome) -> set[Key]:
    """Return the parts that changed with the data.

    A part that is not there any more has changed as well, unless the program failed before it came to it.
    """
    if not seen.reached:
        return set()
    return seen.differing(dict(expected)) | (set() if seen.trouble else set(expected) - set(seen.values))  # type: ignore[arg-type]


def runs(environment: AnalysisEnvironment) -> tuple[Run, ...]:
    """Return the record of the two runs of `held`."""
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


def without(tried: Sequence[Tried], lab: Lab) -> list[list[Without]]:
    """Return, for each program, what leaving out each of its files does."""
    pairs = [(one, file) for one in tried for file in sorted(one.files)]
    outcomes = lab.run([Trial(one.program, one.files - {file}) for one, file in pairs])
    found: dict[int, list[Without]] = {number: [] for number in range(len(tried))}
    numbers = [number for number, one in enumerate(tried) for _ in one.files]
    for number, (one, file), seen in zip(numbers, pairs, outcomes, strict=True):
        effect, detail = _effect(one.program, seen)
        found[number].append(Without(path=file, effect=effect, detail=detail))
    return list(found.values())


def _effect(program: Program, seen: Outcome) -> tuple[Effect, str]:
    expected = program.expected()
    if len(seen.agreeing(expected)) == len(expected):
        return Effect.SAME, ""
    if seen.differing(expected):
        return Effect.OTHER, ""
    return Effect.FAILS, seen.trouble.replace(f"/workspace/{FIRST.folder}/{program.name}/", "")[:200]


def elsewhere(
    tried: Sequence[Tried], others: Iterable[AnalysisEnvironment], lab: Lab
) -> list[list[tuple[Elsewhere, set[Key]]]]:
    """Return, for each program, what other generations make of it, with the parts that come out otherwise."""
    found: list[list[tuple[Elsewhere, set[Key]]]] = [[] for _ in tried]
    files = frozenset(file for one in tried for file in one.files)
    for other in others:
        outcomes = lab.run([Trial(one.program, files, environment=other) for one in tried])
        for row, one, seen in zip(found, tried, outcomes, strict=True):
            effect, detail = _effect(one.program, seen)
            record = Elsewhere(
                generation=other.generation, environment_lock=other.lock_sha256, effect=effect, detail=detail
            )
            row.append((record, seen.differing(one.program.expected())))
    return found


def decoys(one: Tried, alike: Mapping[str, Sequence[str]], lab: Lab) -> list[Decoy]:
    """Return what comes out with each other file in the place of one.

    Args:
        one: the program with its files.
        alike: by file, others of the community that have the columns it uses.
        lab: where it is run.
    """
    pairs = [(file, other) for file in sorted(one.files) for other in alike.get(file, ())]
    outcomes = lab.run([Trial(one.program, one.files, instead=(pair,)) for pair in pairs])
    return [
        Decoy(path=other, instead_of=file, effect=_effect(one.program, seen)[0])
        for (file, other), seen in zip(pairs, outcomes, strict=True)
    ]
