"""Start the engine on a task, quietly, and hear of each attempt as it begins and ends."""

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from inspect_ai import Task, eval  # noqa: A004  # the engine's name
from inspect_ai.dataset import Sample
from inspect_ai.hooks import Hooks, SampleEnd, SampleStart, hooks
from inspect_ai.log import EvalLog, EvalSample, EvalSpec
from inspect_ai.model import GenerateConfig, Model, get_model
from inspect_ai.scorer import SampleScore
from inspect_ai.util import EarlyStop
from pydantic import Field
from rich.text import Text

from coda_bench.errors import BadInput, HarnessFailed
from coda_bench.layout import Release
from coda_bench.records.attempt import Attempt
from coda_bench.records.record import Record
from coda_bench.records.run import RunConfig
from coda_bench.run.engine.provider import close_all
from coda_bench.run.engine.samples import attempt_of
from coda_bench.run.engine.task import TaskOptions, build_task
from coda_bench.run.journal import Key
from coda_bench.run.prices import Price


class Recorder(Protocol):
    """Who is told of attempts, and asked whether to go on."""

    def may_start(self) -> bool:
        """Whether another attempt may begin."""
        ...

    def retries_of(self, key: Key) -> int:
        """How often the machine ended this attempt before."""
        ...

    def started(self, key: Key) -> None:
        """Hear that an attempt began."""
        ...

    def ended(self, attempt: Attempt) -> None:
        """Store an attempt that ended."""
        ...


class RoundSettings(Record):
    """What matters to the engine but not to the experiment."""

    jobs: int
    log_dir: Path
    model_base_url: str | None = None
    model_args: dict[str, Any] = Field(default_factory=dict)
    """As given, keys included: the stored configuration leaves those out."""
    model_retries: int = 0
    prices: dict[str, Price] = Field(default_factory=dict)


class _Session:
    """One call of the engine: whom to tell, and what went wrong in telling."""

    def __init__(self, recorder: Recorder, config: RunConfig, settings: RoundSettings) -> None:
        self.recorder = recorder
        self.error: Exception | None = None
        self.task_id = ""
        self._config = config
        self._settings = settings

    def store(self, sample: EvalSample) -> None:
        key = sample.metadata["instance_id"], sample.metadata["epoch"]
        attempt = attempt_of(
            sample,
            self._config,
            retries=self.recorder.retries_of(key),
            log=self._log_name(),
            prices=self._settings.prices,
        )
        self.recorder.ended(attempt)

    def _log_name(self) -> str:
        folder = self._settings.log_dir
        found = next(folder.glob(f"*{self.task_id}*.eval"), None)
        return f"{folder.name}/{found.name}" if found else folder.name


_sessions: list[_Session] = []
"""At most one: the engine runs one evaluation a process at a time."""


class _Journalling(Hooks):
    """Passes the engine's events on to the session at hand; silent in evaluations that are not ours."""

    def enabled(self) -> bool:
        return bool(_sessions)

    async def on_sample_start(self, data: SampleStart) -> None:
        metadata = data.summary.metadata
        for session in _sessions:
            session.recorder.started((metadata["instance_id"], metadata["epoch"]))

    async def on_sample_end(self, data: SampleEnd) -> None:
        # The engine only warns when a hook fails; a journal that cannot be written must stop the run.
        for session in _sessions:
            try:
                session.store(data.sample)
            except Exception as error:  # noqa: BLE001  # kept, and raised by run_round
                session.error = session.error or error


class _Gate:
    """Lets samples begin while the recorder agrees; the engine calls this early stopping."""

    def __init__(self, session: _Session) -> None:
        self._session = session

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:
        del samples, epochs
        self._session.task_id = task.task_id
        _register_once()
        return "coda_bench"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:  # noqa: A002  # the engine's name
        if self._session.error is None and self._session.recorder.may_start():
            return None
        return EarlyStop(id=id, epoch=epoch, reason="the run's spending limit is reached")

    async def complete_sample(self, id: str | int, epoch: int, scores: dict[str, SampleScore]) -> None:  # noqa: A002
        del id, epoch, scores

    async def complete_task(self) -> dict[str, Any]:
        return {}


@cache
def _register_once() -> None:
    # Not at import, and after the engine has looked for hooks: it announces every one it finds, also to
    # users who run something else while this package is installed.
    hooks("coda_bench_journal", "Appends each attempt to the run's journal.")(_Journalling)


def run_round(
    release: Release,
    agent: object,
    keys: Sequence[Key],
    config: RunConfig,
    recorder: Recorder,
    *,
    with_reference: bool,
    settings: RoundSettings,
) -> bool:
    """Make these attempts and return whether the round came to its end (False: it was interrupted).

    Raises:
        BadInput: the release lacks what the setting needs.
        Exception: whatever the recorder raised when it could not store an attempt.
    """
    # Settings of some project's .env file must not leak into a benchmark; keys come from the environment.
    os.environ.setdefault("PYTHON_DOTENV_DISABLED", "1")
    settings.log_dir.mkdir(parents=True, exist_ok=True)
    session = _Session(recorder, config, settings)
    task = build_task(
        release,
        agent,
        keys,
        _options(config),
        with_reference=with_reference,
        extras={"early_stopping": _Gate(session)},
    )
    _sessions[:] = [session]
    try:
        logs = _evaluate(task, _model(config, settings), settings)
    finally:
        _sessions.clear()
        close_all()
    if session.error:
        raise session.error
    return _came_to_its_end(logs)


def _came_to_its_end(logs: list[EvalLog]) -> bool:
    # An interrupted evaluation comes back cancelled, or without any log when it had hardly begun.
    failed = next((log.error for log in logs if log.error), None)
    if failed:
        raise HarnessFailed(f"the engine gave up: {failed.message}")
    return bool(logs) and all(log.status == "success" for log in logs)


def _options(config: RunConfig) -> TaskOptions:
    return TaskOptions(
        setting=config.setting,
        limits=config.limits,
        environment=config.environment,
        sandbox=config.sandbox,
        message_limit=config.message_limit,
        token_limit=config.token_limit,
    )


def _model(config: RunConfig, settings: RoundSettings) -> Model | None:
    if config.model is None:
        return None
    try:
        return get_model(
            config.model,
            config=GenerateConfig(
                temperature=config.temperature, max_tokens=config.max_tokens, max_retries=settings.model_retries
            ),
            base_url=settings.model_base_url,
            **settings.model_args,
        )
    except Exception as error:
        raise BadInput(f"model {config.model}: {_plain(str(error))}") from error


def _plain(text: str) -> str:
    """Return a message of the engine's without its mark-up for terminals."""
    return " ".join(Text.from_markup(text).plain.removeprefix("ERROR:").split())


def _evaluate(task: Task, model: Model | None, settings: RoundSettings) -> list[EvalLog]:
    return eval(
        task,
        model=model,
        display="none",
        log_dir=str(settings.log_dir),
        log_format="eval",
        log_level="critical",
        log_realtime=False,
        ctl_server=False,
        max_samples=settings.jobs,
        max_tasks=1,
    )
