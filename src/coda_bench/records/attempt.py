"""Attempt: one agent, one task, once; a line of a run's journal `attempts.jsonl`."""

import json
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path

from coda_bench.errors import BadInput
from coda_bench.records.access import FileAccess, TrackerKind
from coda_bench.records.record import Record, StoredRecord


class AttemptStatus(StrEnum):
    """How an attempt ended; independent of whether its answer is right.

    The last four are machine failures: counted aloud wherever a score is shown, and repeated on resume.
    """

    ANSWERED = "answered"
    NO_ANSWER = "no_answer"
    LIMIT_TIME = "limit_time"
    LIMIT_MESSAGES = "limit_messages"
    LIMIT_TOKENS = "limit_tokens"
    LIMIT_COST = "limit_cost"
    AGENT_FAILED = "agent_failed"
    MODEL_FAILED = "model_failed"
    SANDBOX_LOST = "sandbox_lost"
    HARNESS_FAILED = "harness_failed"
    CANCELLED = "cancelled"

    @property
    def is_machine_failure(self) -> bool:
        """Whether the machine, not the agent, ended the attempt."""
        return self in _MACHINE_FAILURES


_MACHINE_FAILURES = frozenset(
    {
        AttemptStatus.MODEL_FAILED,
        AttemptStatus.SANDBOX_LOST,
        AttemptStatus.HARNESS_FAILED,
        AttemptStatus.CANCELLED,
    }
)


class Usage(Record):
    """Model use of one attempt; zero calls for agents without a model."""

    turns: int = 0
    """Model calls."""
    input_tokens: int = 0
    """Includes tokens read from a cache."""
    output_tokens: int = 0
    cache_read_tokens: int = 0
    reasoning_tokens: int = 0
    cost_usd: float | None = None
    """None: the price is not known (never 0 for an unknown price); 0.0 for agents without a model."""


class SandboxRecord(Record):
    """What held the attempt: enough to judge its isolation and to repeat it."""

    backend: str
    """Such as `bubblewrap 0.11.0`."""
    tracker: TrackerKind
    kernel: str
    uid_outside: int
    """The user the sandbox ran as on the host (65534 when started by root)."""
    environment: str
    """Generation of the analysis environment: `current` or `older`."""
    environment_lock: str
    """sha256 of the analysis environment's lock file."""
    limits: dict[str, float]
    """Name with unit to value, as enforced."""
    notes: tuple[str, ...] = ()
    """Weaknesses of this machine that bear on the result, in plain words."""


class Attempt(StoredRecord):
    """One finished attempt, whatever its end."""

    instance_id: int
    epoch: int = 1
    agent: str
    model: str | None = None
    setting: str
    status: AttemptStatus
    answer: str = ""
    """Taken from `/workspace/result.txt`, else from the submit tool; stripped of surrounding white space."""
    answer_source: str | None = None
    """`file`, `submit`, or None when there was no answer."""
    error: str | None = None
    """Why a failed attempt failed, in one line; for limits which one, with configured and actual value."""
    file_access: FileAccess | None = None
    """None when the sandbox was lost before it could be read; discovery is then not measured."""
    sandbox: SandboxRecord | None = None
    usage: Usage = Usage()
    wall_seconds: float = 0.0
    working_seconds: float = 0.0
    """Wall time less waits for the model's rate limits and retries."""
    code_generated: str | None = None
    num_retries: int = 0
    started_at: str = ""
    """UTC, ISO 8601."""
    log: str | None = None
    """Name of the engine's log file that holds the transcript, relative to the run directory."""

    @property
    def key(self) -> tuple[int, int]:
        """What makes the attempt unique within its run: instance id and epoch."""
        return self.instance_id, self.epoch


def read_journal(path: Path) -> list[Attempt]:
    """Read a run's journal: every attempt ever finished, in the order they ended.

    Lines torn by a kill or a power cut are skipped: their attempts count as not made.

    Raises:
        BadInput: the file cannot be read, or a whole line is not an attempt.
        UnknownFormat: the journal is of a newer release.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from error
    attempts = []
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
        except ValueError:
            continue
        attempts.append(Attempt.from_stored(row, where=f"{path}:{number}"))
    return attempts


def latest_attempts(attempts: Iterable[Attempt]) -> dict[tuple[int, int], Attempt]:
    """Return the attempt that counts for each key: the last one, since only machine failures are repeated."""
    return {attempt.key: attempt for attempt in attempts}
