"""FileAccess: what an attempt listed, opened and used in the community, command by command.

All paths are community paths: relative to `/data`, with `/` between parts, such as `ckdisease/kidney.csv`.
"""

from collections.abc import Iterable
from enum import StrEnum

from coda_bench.records.record import Record


class CommandEnd(StrEnum):
    """How a command ended."""

    EXIT = "exit"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    INTERRUPTED = "interrupted"


class TrackerKind(StrEnum):
    """What watched the file access."""

    OVERLAY_INOTIFY = "overlay_inotify"
    """inotify on an overlay mount that each command has for itself; the default."""
    SECCOMP_NOTIFY = "seccomp_notify"
    """Opening itself, in the command's place; where no overlay can be mounted."""
    AUDIT_HOOK = "audit_hook"
    """The interpreter's own events, for code that cannot be wrapped; it has blind spots."""
    NONE = "none"
    """Nothing could watch: discovery is not measured."""

    @classmethod
    def _missing_(cls, value: object) -> "TrackerKind | None":
        return cls.OVERLAY_INOTIFY if value == "overlay+inotify" else None  # as version 0.1.0 spelt it


class CommandAccess(Record):
    """One command run in the sandbox and what it touched of the community."""

    index: int
    command: str
    """The command as run, cut to 2,000 characters."""
    started_s: float
    """Seconds since the sandbox started."""
    seconds: float
    exit_code: int | None
    """None when the command was killed."""
    ended_by: CommandEnd
    complete: bool
    """False when events were lost while it ran, such as by an overflow of the kernel's queue."""
    listed: tuple[str, ...] = ()
    """Directories whose entries were read; `.` is the community's own."""
    opened: tuple[str, ...] = ()
    """Files opened, in order of first opening."""
    openers: tuple[str, ...] | None = None
    """Beside each opened file, the name of the program that opened it first; None where the tracker cannot know."""


class FileAccess(Record):
    """The union over an attempt's commands, with the commands kept."""

    tracker: TrackerKind
    complete: bool
    """False: discovery is not measured for this attempt."""
    commands: tuple[CommandAccess, ...] = ()
    listed: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    """Files read by the final computation, see `final_computation`."""


def final_computation(commands: tuple[CommandAccess, ...]) -> CommandAccess | None:
    """Return the command whose files count as used, or None when no command opened a data file.

    The rule: the last command that opened a data file and exited with 0; where every such command
    failed, the last one that opened a data file. Debatable cases: an agent that looks at another file
    after computing is charged with the look; one that saves intermediate results to `/workspace` and
    computes from those is credited with the files of its last read of the community only.
    """
    reading = [command for command in commands if command.opened]
    succeeded = [command for command in reading if command.exit_code == 0]
    candidates = succeeded or reading
    return candidates[-1] if candidates else None


def file_access(tracker: TrackerKind, commands: tuple[CommandAccess, ...]) -> FileAccess:
    """Collect the commands of an attempt into its FileAccess."""
    final = final_computation(commands)
    return FileAccess(
        tracker=tracker,
        complete=tracker != TrackerKind.NONE and all(command.complete for command in commands),
        commands=commands,
        listed=_in_first_order(path for command in commands for path in command.listed),
        opened=_in_first_order(path for command in commands for path in command.opened),
        used=final.opened if final else (),
    )


def _in_first_order(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(paths))
