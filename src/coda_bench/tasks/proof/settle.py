"""Settle: for each displaying statement the fewest statements that, run again, give what it displays.

Data flow proposes; running decides. What does not hold is widened, from statements to whole cells to all that was run
before, and a widened slice is shrunk by leaving parts out for as long as the results stay.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from coda_bench.records.anchor import StatementId
from coda_bench.sandbox.analysis_env import AnalysisEnvironment
from coda_bench.tasks.execution.execute import Executed, execute
from coda_bench.tasks.execution.room import Room
from coda_bench.tasks.proof.program import Outcome, Program, outcome
from coda_bench.tasks.slicing.flow import Flow
from coda_bench.tasks.slicing.shrink import shrink

MOST_SHRINKING_RUNS = 24
"""For one slice."""


class Settled(NamedTuple):
    """A program whose statements are enough."""

    program: Program
    outcome: Outcome
    silent: frozenset[str]
    """Files that some program of the same run opened without Python noticing."""
    widened: str


class Bench(NamedTuple):
    """Where programs of one notebook are tried out."""

    room: Room
    environment: AnalysisEnvironment
    limit_s: float

    def run(self, programs: Sequence[Program]) -> tuple[dict[str, Outcome], Executed]:
        """Run programs in one sandbox with all files."""
        done = execute([one.job() for one in programs], self.room, self.environment, limit_s=self.limit_s)
        return {one.name: outcome(one, done.jobs[one.name]) for one in programs}, done


def settle(programs: Sequence[Program], flow: Flow, bench: Bench) -> dict[str, Settled]:
    """Return, by name, the programs that hold, with as few statements as were found to be enough.

    Parts of a program that even all statements before it do not give again are given up; a program without any left
    is not in the result.
    """
    found: dict[str, Settled] = {}
    steps = {one.name: _proposals(one, flow) for one in programs}
    waiting = list(programs)
    while waiting:
        tried = []
        for one in waiting:
            step = next(steps[one.name], None)
            if step is not None:
                tried.append((step[0], one._replace(kept=step[1])))
        if not tried:
            break
        outcomes, done = bench.run([one for _, one in tried])
        heard = frozenset(file for one in outcomes.values() for file in one.files)
        waiting = []
        for widened, one in tried:
            seen = outcomes[one.name]
            agreeing = seen.agreeing(one.expected())
            if len(agreeing) == len(one.expected()) or (agreeing and widened == "prefix"):
                found[one.name] = Settled(one.only(agreeing), seen, done.opened - heard, widened)
            else:
                waiting.append(one)
    return {name: _shrunk(one, bench) if one.widened else one for name, one in found.items()}


def _proposals(program: Program, flow: Flow) -> Iterator[tuple[str, frozenset[StatementId]]]:
    proposed = flow.slice_of(program.target)
    yield "", proposed
    last = proposed
    for name, wider in zip(("cells", "prefix"), flow.widened(proposed, program.target), strict=False):
        if wider != last:
            yield name, wider
        last = wider


def _shrunk(settled: Settled, bench: Bench) -> Settled:
    """Leave out of a widened slice what can be left out."""
    program, best = settled.program, settled
    expected = program.expected()

    def holds(kept: frozenset[StatementId]) -> bool:
        nonlocal best
        tried = program._replace(kept=kept)
        outcomes, done = bench.run([tried])
        seen = outcomes[tried.name]
        if len(seen.agreeing(expected)) < len(expected):
            return False
        if len(kept) <= len(best.program.kept):
            best = Settled(tried, seen, done.opened - seen.files, settled.widened)
        return True

    shrink(program.kept, holds, required=frozenset({program.target}), most_runs=MOST_SHRINKING_RUNS)
    return best
