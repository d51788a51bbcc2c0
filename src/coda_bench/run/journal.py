"""A run's directory on disk: its configuration, its lock, its journal, and the predictions derived from it."""

import fcntl
import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from coda_bench.errors import RunConflict
from coda_bench.layout import RunDirectory
from coda_bench.records.attempt import Attempt, latest_attempts, read_journal
from coda_bench.records.prediction import Prediction, PredictionMetadata
from coda_bench.records.run import RunConfig
from coda_bench.records.storage import append_line, read_json, sync_directory, write_atomically

Key = tuple[int, int]
"""Instance id and epoch, what makes an attempt unique in its run."""


@contextmanager
def locked(directory: RunDirectory) -> Iterator[None]:
    """Hold a run directory for this process; the kernel lets go when the process ends, however it ends.

    Raises:
        RunConflict: another run is working in it.
    """
    directory.root.mkdir(parents=True, exist_ok=True)
    path = directory.root / ".lock"
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise RunConflict(f"{directory.root}: another run is working here; wait for it, or choose --out") from None
    try:
        yield
    finally:
        os.close(handle)


def begin_or_continue(directory: RunDirectory, config: RunConfig) -> None:
    """Store the configuration, or check that the stored one is the same experiment.

    Raises:
        RunConflict: it is not; the message names the first setting that differs.
    """
    if not directory.config_file.is_file():
        write_atomically(directory.config_file, config.model_dump_json(indent=2) + "\n")
        return
    stored = RunConfig.from_stored(read_json(directory.config_file), where=str(directory.config_file))
    before, now = stored.identity(), config.identity()
    different = [name for name in now if now[name] != before.get(name)]
    if different:
        name = different[0]
        raise RunConflict(
            f"{directory.root}: holds a run with other settings ({name}: {_short(before.get(name))} there, "
            f"{_short(now[name])} now); choose another --out, or repeat the command as it was"
        )


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}…"  # noqa: PLR2004  # a line has room for two


class Journal:
    """The append-only record of attempts; what is not in it has not happened."""

    def __init__(self, directory: RunDirectory) -> None:
        self._path = directory.journal_file
        if not self._path.exists():
            self._path.touch()
            sync_directory(directory.root)
        self._attempts = read_journal(self._path)

    def append(self, attempt: Attempt) -> None:
        """Add an attempt and flush it to the disk."""
        append_line(self._path, attempt.model_dump_json())
        self._attempts.append(attempt)

    @property
    def latest(self) -> dict[Key, Attempt]:
        """The attempt that counts, by key."""
        return latest_attempts(self._attempts)

    def failures_by_key(self) -> Counter[Key]:
        """Return how often the machine ended an attempt, by key."""
        return Counter(attempt.key for attempt in self._attempts if attempt.status.is_machine_failure)

    def open_keys(self, config: RunConfig) -> list[Key]:
        """Return the attempts still to make, first epoch first: all minus those that came to an end of their own."""
        wanted = [(instance, epoch + 1) for epoch in range(config.epochs) for instance in config.instances]
        latest = self.latest
        return [key for key in wanted if key not in latest or latest[key].status.is_machine_failure]

    def spent_usd(self) -> float:
        """Return the cost of all attempts with a known price, repeated ones too."""
        return sum(attempt.usage.cost_usd or 0.0 for attempt in self._attempts)


def write_predictions(directory: RunDirectory, config: RunConfig, journal: Journal) -> None:
    """Derive `predictions.jsonl` (and `predictions.epoch-N.jsonl`) from the journal.

    Attempts that the machine ended are left out unless they had an answer: they are missing, not wrong.
    """
    latest = journal.latest
    for epoch in range(1, config.epochs + 1):
        rows = [latest[instance, epoch] for instance in config.instances if (instance, epoch) in latest]
        lines = [_prediction_line(row) for row in rows if row.answer or not row.status.is_machine_failure]
        path = directory.predictions_file if epoch == 1 else directory.root / f"predictions.epoch-{epoch}.jsonl"
        write_atomically(path, "".join(lines))


def _prediction_line(attempt: Attempt) -> str:
    access = attempt.file_access
    measured = {} if access is None else {"files_accessed": list(access.opened), "files_used": list(access.used)}
    metadata = PredictionMetadata(
        **measured,
        file_access_complete=access is not None and access.complete,
        execution_time_seconds=attempt.wall_seconds,
        code_generated=attempt.code_generated or "",
        num_retries=attempt.num_retries,
        status=attempt.status.value,  # a further field, kept by the record
    )
    prediction = Prediction(
        instance_id=attempt.instance_id, prediction=attempt.answer, method=_method(attempt), metadata=metadata
    )
    return json.dumps(prediction.to_row(), ensure_ascii=True) + "\n"


def _method(attempt: Attempt) -> str:
    return f"{attempt.agent} ({attempt.model})" if attempt.model else attempt.agent
