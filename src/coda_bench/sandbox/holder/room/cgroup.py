"""A control group that bounds a sandbox's memory, where root may make one; elsewhere the watchdog is alone.

Version 1 has a tree of its own for memory, version 2 one tree in which a group's children may be bounded when
its `cgroup.subtree_control` says so. The group is made below the harness's own, whose limits stay above it.
Only root can remove it again, and by then its holder is nobody: the nursery does.
"""

import errno
import os
import signal
from contextlib import suppress
from typing import NamedTuple

_PREFIX = "coda-bench-"
_ROOT_V1 = "/sys/fs/cgroup/memory"
_ROOTS_V2 = ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")


class Kind(NamedTuple):
    """The file names of a version, and the directory to make groups in."""

    name: str
    parent: str
    limit: str
    events: str


class Group(NamedTuple):
    """Open files of a group: what they allow was decided when root opened them."""

    kind: str
    members_fd: int
    """A process that writes `0` here joins."""
    events_fd: int

    def kills(self) -> int:
        """Return how many processes the kernel has killed for the group's memory so far."""
        for line in os.pread(self.events_fd, 4096, 0).splitlines():
            name, _, count = line.partition(b" ")
            if name == b"oom_kill":
                return int(count)
        return 0


def create(limit_bytes: int) -> Group | None:
    """Make a group named for this process, or return None where that is not possible."""
    kind = _kind() if os.geteuid() == 0 else None
    if kind is None:
        return None
    path = _path(kind, os.getpid())
    try:
        os.mkdir(path)
        _write(f"{path}/{kind.limit}", b"%d" % limit_bytes)
        members = os.open(f"{path}/cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)
        return Group(kind.name, members, os.open(f"{path}/{kind.events}", os.O_RDONLY | os.O_CLOEXEC))
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
    kind = _kind() if os.geteuid() == 0 else None
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
    kind = _kind() if os.geteuid() == 0 else None
    if kind is None:
        return
    for name in os.listdir(kind.parent):
        process = name.removeprefix(_PREFIX)
        if process != name and process.isdigit() and not os.path.exists(f"/proc/{process}"):
            remove(int(process))


def _kind() -> Kind | None:
    own = _own_groups()
    if "memory" in own and os.path.isdir(_ROOT_V1):
        return Kind("cgroup v1", _ROOT_V1 + own["memory"].rstrip("/"), "memory.limit_in_bytes", "memory.oom_control")
    for root in _ROOTS_V2:
        parent = root + own.get("", "/").rstrip("/")
        with suppress(OSError), open(f"{parent}/cgroup.subtree_control", "rb") as controllers:
            if b"memory" in controllers.read().split():
                return Kind("cgroup v2", parent, "memory.max", "memory.events")
    return None


def _own_groups() -> dict[str, str]:
    """Return this process's group by controller; version 2 stands under the empty name."""
    with open("/proc/self/cgroup", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split(":", 2) for line in lines]
    return {controller: path for _, controllers, path in rows for controller in controllers.split(",")}


def _path(kind: Kind, process: int) -> str:
    return f"{kind.parent}/{_PREFIX}{process}"


def _write(path: str, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, content)
    finally:
        os.close(descriptor)
