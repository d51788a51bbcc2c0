"""Run an agent over a release: from options to `attempts.jsonl` and `predictions.jsonl`.

Input: a release directory. Output: a run directory (`run.json`, `attempts.jsonl`, `predictions.jsonl`,
`logs/`). The same call again continues where the last one stopped, however it stopped.
"""

import time
from collections import Counter
from typing import Protocol

from coda_bench.errors import MissingExtra
from coda_bench.layout import Release, RunDirectory
from coda_bench.records.attempt import Attempt, AttemptStatus
from coda_bench.records.record import Record
from coda_bench.records.run import RunConfig
from coda_bench.run.agents.choose import choose_agent
from coda_bench.run.agents.reference import Reference
from coda_bench.run.interrupts import Interrupts, interrupts
from coda_bench.run.journal import Journal, Key, begin_or_continue, locked, write_predictions
from coda_bench.run.plan import RunOptions, default_directory, make_config
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import AnalysisEnvironment, find


class Observer(Protocol):
    """Who watches a run; called from the thread that runs it."""

    def begin(self, config: RunConfig, directory: RunDirectory, progress: "Progress") -> None:
        """Hear what will run, where, and how much of it is done already."""
        ...

    def started(self, key: Key) -> None:
        """Hear that an attempt began."""
        ...

    def ended(self, attempt: Attempt, progress: "Progress") -> None:
        """Hear that an attempt ended and was stored."""
        ...


class Progress(Record):
    """How far a run is."""

    total: int
    done: int
    """Attempts that came to an end of their own, from earlier calls too."""
    statuses: dict[AttemptStatus, int]
    cost_usd: float
    """Known cost so far, of repeated attempts too."""
    cost_complete: bool = True
    """False when some attempt's price is not known."""


class RunSummary(Record):
    """What a call of `run_batch` came to."""

    directory: str
    progress: Progress
    missing: tuple[tuple[int, int], ...]
    """Attempts (instance id, epoch) not made, or ended by the machine: neither right nor wrong."""
    seconds: float
    budget_reached: bool = False
    interrupted_by: int | None = None
    """Number of the signal that ended the run early."""


def run_batch(options: RunOptions, observer: Observer | None = None) -> RunSummary:
    """Make all attempts that are still open, store each as it ends, and derive the predictions.

    Raises:
        BadInput: options or release cannot be used.
        RunConflict: the run directory belongs to another experiment, or to a run in progress.
        AnalysisEnvironmentMissing, SandboxUnavailable: the machine is not ready.
        MissingExtra: the engine is not installed.
    """
    release = Release.open(options.release)
    agent = choose_agent(options.agent, options.agent_args)
    environment = find(options.environment)
    config = make_config(options, release, environment_lock=environment.lock_sha256)
    directory = RunDirectory((options.out or default_directory(config)).resolve())
    with locked(directory):
        begin_or_continue(directory, config)
        return _Run(config, options, release, directory, observer).to_the_end(agent, environment)


class _Run:
    """One call's state: the journal, the spending limit, and who watches."""

    def __init__(
        self,
        config: RunConfig,
        options: RunOptions,
        release: Release,
        directory: RunDirectory,
        observer: Observer | None,
    ) -> None:
        self.budget_reached = False
        self.journal = Journal(directory)
        self._config = config
        self._options = options
        self._release = release
        self._directory = directory
        self._observer = observer

    def to_the_end(self, agent: object, environment: AnalysisEnvironment) -> RunSummary:
        """Run what is open, round after round, and sum up."""
        start = time.monotonic()
        if self._observer:
            self._observer.begin(self._config, self._directory, self.progress())
        with interrupts() as signals:
            self._rounds(agent, environment, signals)
        write_predictions(self._directory, self._config, self.journal)
        return RunSummary(
            directory=str(self._directory.root),
            progress=self.progress(),
            missing=tuple(self.journal.open_keys(self._config)),
            seconds=round(time.monotonic() - start, 3),
            budget_reached=self.budget_reached,
            interrupted_by=signals.received,
        )

    def _rounds(self, agent: object, environment: AnalysisEnvironment, signals: Interrupts) -> None:
        for _ in range(self._options.retries + 1):
            keys = self.journal.open_keys(self._config)
            if not keys or not self.may_start():
                return
            _check_machine(environment, self._config)
            if not self._round(agent, keys):
                signals.note()
                return

    def _round(self, agent: object, keys: list[Key]) -> bool:
        try:
            from coda_bench.run.engine.round import RoundSettings, run_round  # noqa: PLC0415  # optional third party
        except ModuleNotFoundError as error:
            raise MissingExtra(f"running agents needs {error.name}: pip install 'coda-bench[run]'") from error
        settings = RoundSettings(
            jobs=self._options.jobs,
            log_dir=self._directory.logs,
            model_base_url=self._options.model_base_url,
            model_args=self._options.model_args,
            model_retries=self._options.model_retries,
            prices=self._options.prices,
        )
        return run_round(
            self._release,
            agent,
            keys,
            self._config,
            self,
            with_reference=isinstance(agent, Reference),
            settings=settings,
        )

    def may_start(self) -> bool:
        """Whether the spending limit leaves room for another attempt."""
        limit = self._options.max_cost_usd
        if limit is not None and self.journal.spent_usd() >= limit:
            self.budget_reached = True
        return not self.budget_reached

    def retries_of(self, key: Key) -> int:
        """How often the machine ended this attempt before."""
        return self.journal.failures_by_key()[key]

    def started(self, key: Key) -> None:
        """Tell the observer that an attempt began."""
        if self._observer:
            self._observer.started(key)

    def ended(self, attempt: Attempt) -> None:
        """Store an attempt, then tell the observer."""
        self.journal.append(attempt)
        if self._observer:
            self._observer.ended(attempt, self.progress())

    def progress(self) -> Progress:
        """Count the attempts that count."""
        latest = self.journal.latest.values()
        return Progress(
            total=len(self._config.instances) * self._config.epochs,
            done=sum(not attempt.status.is_machine_failure for attempt in latest),
            statuses=dict(Counter(attempt.status for attempt in latest)),
            cost_usd=self.journal.spent_usd(),
            cost_complete=all(attempt.usage.cost_usd is not None for attempt in latest),
        )


def _check_machine(environment: AnalysisEnvironment, config: RunConfig) -> None:
    """Start one sandbox first: a machine that cannot must say so once, not once per attempt."""
    with Sandbox.start(SandboxSpec(data=None, environment=environment, limits=config.limits, backend=config.sandbox)):
        pass
