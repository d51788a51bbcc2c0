"""What bounds a container's memory, and how its end is known: the files that its engine shows in it."""

import os
from typing import NamedTuple

from coda_bench.sandbox.holder.room.cgroup import kills

_KINDS = {
    "cgroup v2": ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.events"),
    "cgroup v1": ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.oom_control"),
}
_NO_LIMIT = 1 << 60
"""Version 1 says a number of bytes that no machine has where version 2 says `max`."""


class Bounds(NamedTuple):
    """What bounds memory here."""

    name: str
    events_fd: int
    """Of the container's group; -1 where there is none or it sets no limit."""

    def kills(self) -> int:
        """Return how many processes the kernel has killed for memory so far."""
        return kills(self.events_fd) if self.events_fd >= 0 else 0


def find() -> Bounds:
    """Return the container's group when it sets a limit, else the watchdog alone."""
    for name, (limit, events) in _KINDS.items():
        try:
            with open(limit, encoding="ascii") as stream:
                text = stream.read().strip()
            if text.isdigit() and int(text) < _NO_LIMIT:
                return Bounds(f"the container's {name} and watchdog", os.open(events, os.O_RDONLY | os.O_CLOEXEC))
        except OSError:
            continue
    return Bounds("watchdog", -1)
