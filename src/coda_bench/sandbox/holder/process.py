"""bubblewrap and the process tree below it."""

import fcntl
import json
import os
import resource
import select
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from coda_bench.sandbox.holder.room.cgroup import Group
from coda_bench.sandbox.holder.room.places import BWRAP
from coda_bench.sandbox.holder.trackers.views import Views

_ARGUMENTS_FD, _FILTER_FD, _STATUS_FD, _MEMBERS_FD = 3, 4, 5, 6
_JOIN_GROUP = 'echo 0 >&6; exec "$0" "$@" 6>&-'
"""Joining a control group before anything else runs: later, the first child would be missed."""
CHANNEL_FD = 7
"""Where a tracker's launcher finds its channel."""
_HIGH_FD = 16
"""Descriptors are moved up here before they are dealt out, so that none lies on another's place."""


class Shared(NamedTuple):
    """What the commands of one sandbox have in common."""

    directories: list[bytes]
    """Of the community, relative to it."""
    tracker: str
    """`overlay_inotify`, `seccomp_notify` or `none`."""
    views: Views
    memory_bytes: int
    processes: int
    """What the attempt's commands may have at once, all together."""
    group: Group | None
    filter: bytes
    """The system call filter's program."""


class Process:
    """A monitor outside and, below it, the first process of the command's own process namespace."""

    def __init__(
        self,
        options: list[str],
        argv: list[str],
        standard: list[int],
        shared: Shared,
        *,
        processes: int,
        channel_fd: int | None = None,
    ) -> None:
        """Start `argv` under bubblewrap with `options`; `standard` are its input, output and error.

        `processes` is how many the sandbox may have for this one to make another; `channel_fd` becomes the
        command's descriptor `CHANNEL_FD`.
        Must be called by the thread that stays until the end: bubblewrap dies with the thread that made it.
        """
        self._status_fd, status_end = os.pipe()
        os.set_blocking(self._status_fd, False)
        self._status = b""
        given = [_in_memory("\0".join(options).encode(errors="surrogateescape")), _in_memory(shared.filter)]
        try:
            placed = dict(enumerate([*standard, *given, status_end]))
            if shared.group and not shared.group.join():
                placed[_MEMBERS_FD] = shared.group.members_fd
            if channel_fd is not None:
                placed[CHANNEL_FD] = channel_fd
            with _process_limit(processes):
                self._pid = _spawn(argv, placed)
        except BaseException:
            os.close(self._status_fd)
            raise
        finally:
            for descriptor in (*given, status_end):
                os.close(descriptor)
        self.monitor = os.pidfd_open(self._pid)
        """Readable when bubblewrap has ended."""

    def exit_code(self) -> int | None:
        """Return the command's exit code (128 + n for signal n), None when it was never started or was killed."""
        return self._said().get("exit-code")

    def end(self, *, killed: bool) -> None:
        """Wait until the whole tree is gone, killing it first when asked to; reap what falls to us."""
        first = self._first()
        descriptor = _process_descriptor(first)
        if killed:
            _kill(self.monitor if descriptor is None else descriptor)
        _reap(self._pid)
        if first is not None and descriptor is not None:
            # The kernel ends a namespace's first process only after all the others are gone.
            select.select([descriptor], [], [])
            os.close(descriptor)
            _reap(first)
        os.close(self.monitor)
        self._said()
        os.close(self._status_fd)
        self._status_fd = -1

    def _first(self) -> int | None:
        return self._said().get("child-pid")

    def _said(self) -> dict[str, int]:
        """Return what bubblewrap has reported so far: JSON objects one after the other."""
        while self._status_fd >= 0:
            try:
                part = os.read(self._status_fd, 4096)
            except BlockingIOError:
                break
            if not part:
                break
            self._status += part
        said: dict[str, int] = {}
        for line in self._status.splitlines():
            said.update(json.loads(line))
        return said


@contextmanager
def _process_limit(processes: int) -> Iterator[None]:
    """Have what is started meanwhile inherit a limit of its own; this process keeps its larger one.

    The kernel holds a user namespace to the limit that its maker had, so raising it again inside is in vain.
    """
    with _limiting:
        own, most = resource.getrlimit(resource.RLIMIT_NPROC)
        resource.setrlimit(resource.RLIMIT_NPROC, (min(processes, most), most))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_NPROC, (own, most))


_limiting = threading.Lock()
"""Limits belong to the whole process, commands to its threads."""


def _spawn(argv: list[str], placed: dict[int, int]) -> int:
    """Start bubblewrap with descriptors at the places given."""
    numbers = {"--args": _ARGUMENTS_FD, "--seccomp": _FILTER_FD, "--json-status-fd": _STATUS_FD}
    options = [word for option, number in numbers.items() for word in (option, str(number))]
    command = [BWRAP, *options, "--", *argv]
    if _MEMBERS_FD in placed:
        command = ["/bin/sh", "-c", _JOIN_GROUP, *command]
    high = {place: fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _HIGH_FD) for place, descriptor in placed.items()}
    try:
        return os.posix_spawn(
            command[0],
            command,
            {},  # what stands here could be read in /proc/1/environ inside
            file_actions=[(os.POSIX_SPAWN_DUP2, descriptor, place) for place, descriptor in high.items()],
            setsid=True,
            setsigmask=[],
            setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],  # Python ignores them, programs rely on them
        )
    finally:
        for descriptor in high.values():
            os.close(descriptor)


def _in_memory(content: bytes) -> int:
    descriptor = os.memfd_create("", os.MFD_CLOEXEC)
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _process_descriptor(process: int | None) -> int | None:
    try:
        return None if process is None else os.pidfd_open(process)
    except ProcessLookupError:
        return None


def _kill(descriptor: int) -> None:
    with suppress(ProcessLookupError):  # it may end by itself meanwhile
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)


def _reap(process: int) -> None:
    with suppress(ChildProcessError):  # bubblewrap may have reaped it, being its parent
        os.waitpid(process, 0)
