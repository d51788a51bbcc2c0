"""A control group that bounds a sandbox's memory, where this user may make one; elsewhere the watchdog is alone.

Version 1 has a tree of its own for memory, version 2 one tree in which a group's children may be bounded when
its `cgroup.subtree_control` says so. The group is made below the harness's own, whose limits stay above it, or
beside it where only that is allowed: in what `systemd-run --user --scope` delegates.
Root's holder is nobody when it ends and cannot remove it: the nursery does.
"""

import errno
import os
import signal
from contextlib import suppress
from typing import NamedTuple

PREFIX = "coda-bench-"
"""Of the names of groups; the holder's process number follows."""
_THREADS = "tasks"
_ROOT_V1 = "/sys/fs/cgroup/memory"
_ROOTS_V2 = ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")


class Kind(NamedTuple):
    """The file names of a version, and the directory to make groups in."""

    name: str
    parent: str
    limit: str
    events: str
    members: str


class Group(NamedTuple):
    """Open files of a group: what they allow was decided when they were opened."""

    kind: str
    members_fd: int
    """Who writes `0` here joins: the thread in version 1, the whole process in version 2."""
    by_thread: bool
    events_fd: int

    def join(self) -> bool:
        """Let the calling thread in, so that what it starts is born in the group; returns whether that is possible.

        Moving a thread takes microseconds, moving a process waits for every CPU: up to 20 ms.
        """
        if self.by_thread:
            os.write(self.members_fd, b"0")
        return self.by_thread

    def kills(self) -> int:
        """Return how many processes the kernel has killed for the group's memory so far."""
        return kills(self.events_fd)


def kills(events_fd: int) -> int:
    """Return how many processes the kernel has killed for memory, from a group's `memory.events` or its like."""
    for line in os.pread(events_fd, 4096, 0).splitlines():
        name, _, count = line.partition(b" ")
        if name == b"oom_kill":
            return int(count)
    return 0


def create(limit_bytes: int) -> Group | None:
    """Make a group named for this process, or return None where that is not possible."""
    kind = _kind()
    if kind is None:
        return None
    path = _path(kind, os.getpid())
    try:
        os.mkdir(path)
        _write(f"{path}/{kind.limit}", b"%d" % limit_bytes)
        members = os.open(f"{path}/{kind.members}", os.O_WRONLY | os.O_CLOEXEC)
        events = os.open(f"{path}/{kind.events}", os.O_RDONLY | os.O_CLOEXEC)
        return Group(kind.name, members, by_thread=kind.members == _THREADS, events_fd=events)
    except OSError as error:
        if error.errno != errno.EEXIST:
            with suppress(OSError):
                os.rmdir(path)
        return None


def remove(process: int) -> bool:
    """Remove the group of a holder that has ended; returns whether there is none now.

    What it left in the group is killed first: such as a bubblewrap that waits for word from a parent that was
    killed while starting it. Then the group can only be removed a little later.
    """
    kind = _kind()
    if kind is None:
        return True
    path = _path(kind, process)
    try:
        os.rmdir(path)
    except FileNotFoundError:
        return True
    except OSError:
        _kill_members(path)
        return False
    return True


def _kill_members(path: str) -> None:
    with suppress(OSError), open(f"{path}/cgroup.procs", "rb") as members:
        for member in members.read().split():
            with suppress(ProcessLookupError):
                os.kill(int(member), signal.SIGKILL)


def remove_abandoned() -> None:
    """Remove groups whose holders have gone without anybody left to clean up after them."""
    kind = _kind()
    if kind is None:
        return
    for name in os.listdir(kind.parent):
        process = name.removeprefix(PREFIX)
        if process != name and process.isdigit() and not os.path.exists(f"/proc/{process}"):
            remove(int(process))


def _kind() -> Kind | None:
    own = _own_groups()
    if "memory" in own and os.path.isdir(_ROOT_V1):
        parent = _ROOT_V1 + own["memory"].rstrip("/")
        if os.access(parent, os.W_OK):
            return Kind("cgroup v1", parent, "memory.limit_in_bytes", "memory.oom_control", _THREADS)
    for root in _ROOTS_V2:
        here = root + own.get("", "/").rstrip("/")
        for parent in (here, os.path.dirname(here)):
            if parent.startswith(root) and os.access(parent, os.W_OK) and _bounds_memory_below(parent):
                return Kind("cgroup v2", parent, "memory.max", "memory.events", "cgroup.procs")
    return None


def _bounds_memory_below(group: str) -> bool:
    try:
        with open(f"{group}/cgroup.subtree_control", "rb") as controllers:
            return b"memory" in controllers.read().split()
    except OSError:
        return False


def _own_groups() -> dict[str, str]:
    """Return this process's group by controller; version 2 stands under the empty name."""
    with open("/proc/self/cgroup", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split(":", 2) for line in lines]
    return {controller: path for _, controllers, path in rows for controller in controllers.split(",")}


def _path(kind: Kind, process: int) -> str:
    return f"{kind.parent}/{PREFIX}{process}"


def _write(path: str, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, content)
    finally:
        os.close(descriptor)
