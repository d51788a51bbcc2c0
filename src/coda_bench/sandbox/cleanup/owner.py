"""Whose something is: the mark that a harness puts on its processes, and whether it is still alive."""

import os
import re
from pathlib import Path
from typing import NamedTuple

_MARK = re.compile(rb"coda-bench-of:(\d+):(\d+):(\d+)")
_START_FIELD = 22
"""Of `/proc/PID/stat`: start in clock ticks since the machine's own (proc_pid_stat(5))."""


class Owner(NamedTuple):
    """A harness: its user, and its process, known again by its number and the time it started."""

    uid: int
    process: int
    started: int

    def is_alive(self) -> bool:
        """Whether this very process still runs."""
        return started(self.process) == self.started


def mark() -> str:
    """Return the word by which processes of this harness are known, among their arguments."""
    process = os.getpid()
    return f"coda-bench-of:{os.geteuid()}:{process}:{started(process)}"


def owner_of(process: int) -> Owner | None:
    """Return the harness whose mark a process carries."""
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return None
    found = next((match for word in words if (match := _MARK.fullmatch(word))), None)
    return Owner(*map(int, found.groups())) if found else None


def started(process: int) -> int | None:
    """Return when a process started, None when it has ended."""
    fields = _stat(process)
    if fields is None or fields[0] in {"Z", "X"}:
        return None
    return int(fields[_START_FIELD - 3])


def parent_of(process: int) -> int:
    """Return a process's parent, 0 when there is none."""
    fields = _stat(process)
    return int(fields[1]) if fields else 0


def is_neighbour(process: int) -> bool:
    """Whether a process numbers others as this one does: one in a container names its harness by other numbers."""
    try:
        return Path(f"/proc/{process}/ns/pid").readlink() == Path("/proc/self/ns/pid").readlink()
    except OSError:
        return False


def _stat(process: int) -> list[str] | None:
    """Return the fields after the name, which may hold blanks and brackets."""
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return text.rpartition(")")[2].split()
