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
    """False when the kernel's event queue overflowed while it ran."""
    listed: tuple[str, ...] = ()
    """Directories whose entries were read; `.` is the community's own."""
    opened: tuple[str, ...] = ()
    """Files opened, in order of first opening."""


class FileAccess(Record):
    """The union over an attempt's commands, with the commands kept."""

    tracker: str
    """`overlay+inotify`, or `none` where nothing could watch."""
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


def file_access(tracker: str, commands: tuple[CommandAccess, ...]) -> FileAccess:
    """Collect the commands of an attempt into its FileAccess."""
    final = final_computation(commands)
    return FileAccess(
        tracker=tracker,
        complete=tracker != "none" and all(command.complete for command in commands),
        commands=commands,
        listed=_in_first_order(path for command in commands for path in command.listed),
        opened=_in_first_order(path for command in commands for path in command.opened),
        used=final.opened if final else (),
    )


def _in_first_order(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(paths))
