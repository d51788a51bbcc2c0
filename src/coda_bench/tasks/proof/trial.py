"""Trials: a program run on some files alone, under some conditions, in a sandbox fresh for just these."""

from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from coda_bench.sandbox.analysis_env import AnalysisEnvironment
from coda_bench.tasks.execution.execute import Conditions, execute
from coda_bench.tasks.execution.room import Room
from coda_bench.tasks.proof.program import Outcome, Program, outcome
from coda_bench.tasks.proof.staging import staged

A_MONTH_AND_A_DAY_S = 32 * 86400.0
FIRST = Conditions(hash_seed=1, threads=1, folder="one")
SECOND = Conditions(hash_seed=20260, threads=2, clock_s=A_MONTH_AND_A_DAY_S, folder="another/place")
"""Everything that a fact about the data cannot hang on is different from the first run's."""


class Trial(NamedTuple):
    """One run of one program."""

    program: Program
    files: frozenset[str]
    """All that there is below `/data`."""
    conditions: Conditions = FIRST
    perturb: str = ""
    """How tables are changed as they are read."""
    environment: AnalysisEnvironment | None = None
    """None for the notebook's own."""
    instead: tuple[tuple[str, str], ...] = ()
    """Files with others whose content stands in their places."""


class Lab(NamedTuple):
    """Where the programs of one notebook are tried."""

    room: Room
    environment: AnalysisEnvironment
    limit_s: float
    at_once: int = 2
    """Sandboxes at a time."""

    def run(self, trials: Sequence[Trial]) -> list[Outcome]:
        """Return the outcomes of trials in their order.

        Those that differ only in program and perturbation share a sandbox, each in a process of its own.

        Raises:
            SandboxError: this machine cannot run them.
        """
        groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for number, one in enumerate(trials):
            lock = (one.environment or self.environment).lock_sha256
            groups[one.files, one.conditions, lock, one.instead].append(number)
        found: dict[int, Outcome] = {}
        with ThreadPoolExecutor(self.at_once) as pool:
            for part in pool.map(lambda numbers: self._run([trials[number] for number in numbers]), groups.values()):
                found |= {trials.index(trial): seen for trial, seen in part}
        return [found[trials.index(one)] for one in trials]

    def _run(self, trials: Sequence[Trial]) -> list[tuple[Trial, Outcome]]:
        first = trials[0]
        with staged(self.room.data, first.files, instead=dict(first.instead)) as folder:
            done = execute(
                [one.program.job(one.perturb) for one in trials],
                self.room._replace(data=folder),
                first.environment or self.environment,
                first.conditions,
                limit_s=self.limit_s,
            )
        return [(one, outcome(one.program, done.jobs[one.program.job(one.perturb).name])) for one in trials]
