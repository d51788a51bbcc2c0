"""What a sandbox is made from, and what running a command in it gives back."""

from pathlib import Path

from coda_bench.errors import BadInput
from coda_bench.records.access import CommandAccess, CommandEnd, TrackerKind
from coda_bench.records.record import Record
from coda_bench.records.run import Backend, Limits
from coda_bench.sandbox.analysis_env import AnalysisEnvironment

BACKEND_VARIABLE = "CODA_BENCH_SANDBOX"
"""The environment variable that chooses what sandboxes are made with where the caller does not."""


class SandboxSpec(Record):
    """What a sandbox shows and how much it may take."""

    data: Path | None
    """Host directory shown read-only at `/data`; None shows an empty one."""
    environment: AnalysisEnvironment
    """Shown read-only at `/opt/analysis`."""
    limits: Limits = Limits()
    backend: Backend | None = None
    """None for the environment variable `CODA_BENCH_SANDBOX`, else bubblewrap."""
    readonly: tuple[tuple[Path, str], ...] = ()
    """More files or directories to show read-only: pairs of host path and path inside."""
    tracking: bool = True
    """False leaves file access unwatched, for measuring what watching costs."""
    tracker: TrackerKind | None = None
    """The only tracker to try; None for the environment variable `CODA_BENCH_TRACKER`, else the first that works."""


def check_places(spec: SandboxSpec) -> None:
    """Refuse places inside where no source can be shown.

    Raises:
        BadInput: one is relative, climbs, or lies where the sandbox has its own.
    """
    for _, inside in spec.readonly:
        if not inside.startswith("/") or inside.split("/")[1] in {"", "data", "proc"} or ".." in inside.split("/"):
            raise BadInput(f"{inside}: a source cannot be shown there; give an absolute path outside /data and /proc")


class CommandResult(Record):
    """What a command printed and how it ended; a timeout or a limit is a result, not an error."""

    exit_code: int | None
    """128 + n when signal n ended it by itself; None when the sandbox stopped it."""
    stdout: bytes
    """With a line that says how much is missing where the middle was dropped."""
    stderr: bytes
    stdout_dropped: int
    """Bytes of the middle that were not kept."""
    stderr_dropped: int
    seconds: float
    ended_by: CommandEnd
    access: CommandAccess | None
    """None for commands that do not count."""
