"""One command: its view of the community, its process tree, its end."""

import errno
import math
import os
import select
import socket
import time
from contextlib import suppress
from typing import NamedTuple

from coda_bench.sandbox.holder import kernel
from coda_bench.sandbox.holder.process import Process, Shared
from coda_bench.sandbox.holder.room import places, rootfs
from coda_bench.sandbox.holder.tracker import Tracker
from coda_bench.sandbox.holder.wire import Reply, Request, send

_TICK_S = 0.1
"""How often memory is looked at."""


_CANNOT_RUN = 126
"""Exit code of shells for what is there but cannot be run."""
_UNLIMITED = 1 << 30


class Standard(NamedTuple):
    """The command's standard input, output and error."""

    descriptors: list[int]

    def close(self) -> None:
        """Give them up, so that their other ends see the end when the command's tree has gone."""
        for descriptor in self.descriptors:
            os.close(descriptor)


class View:
    """A private mount of the community, watched when the command counts."""

    def __init__(self, path: str, shared: Shared, *, tracked: bool) -> None:
        os.mkdir(path)
        self.path = path
        self.tracker: Tracker | None = None
        self.complete = shared.tracked
        if not shared.tracked:
            flags = kernel.MS_BIND | kernel.MS_REC
            kernel.mount(places.COMMUNITY, path, None, flags=flags)
            return
        mount_overlay(path)
        if tracked:
            self._watch(shared.directories)

    def _watch(self, directories: list[bytes]) -> None:
        try:
            self.tracker = Tracker(self.path, directories)
        except OSError:
            self.complete = False  # the machine's inotify limits are reached: not measured, never guessed

    def drain(self) -> None:
        """Take the events queued so far."""
        if self.tracker:
            self.tracker.drain()

    def close(self) -> None:
        """Stop watching and take the mount away."""
        if self.tracker:
            self.tracker.close()
        kernel.detach(self.path)
        os.rmdir(self.path)


def mount_overlay(path: str) -> None:
    """Mount the community read-only on `path`; an overlay wants two layers, the upper one is empty."""
    flags = kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV
    layers = f"lowerdir={places.EMPTY}:{places.COMMUNITY}"
    try:
        kernel.mount("overlay", path, "overlay", flags=flags, options=f"{layers},userxattr")
    except OSError:
        kernel.mount("overlay", path, "overlay", flags=flags, options=layers)


def run(request: Request, standard: Standard, channel: socket.socket, *, view: str, shared: Shared) -> None:
    """Run a command to its end and answer how it ended, once its whole process tree is gone."""
    try:
        seen = View(view, shared, tracked=request.tracked)
    except OSError as error:
        standard.close()
        _answer(channel, _never_started(f"view of the community: {error}"))
        return
    try:
        reply = _run_seeing(seen, request, standard, channel, shared=shared)
    except OSError as error:
        reply = _never_started(f"start of bubblewrap: {error}")
    _answer(channel, reply)
    seen.close()  # after the answer: the kernel takes its time to forget watches


def _answer(channel: socket.socket, reply: Reply) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):  # nobody may wait for it any more
        send(channel, reply)


def _run_seeing(seen: View, request: Request, standard: Standard, channel: socket.socket, *, shared: Shared) -> Reply:
    started = time.monotonic()
    kills = shared.group.kills() if shared.group else 0
    try:
        _check(request)
        options = rootfs.command_options(seen.path, request.cwd, request.env)
        # The harness's own commands may take from the reserve.
        most = shared.processes if request.tracked else _UNLIMITED
        process = Process(options, request.argv, standard.descriptors, shared, processes=most)
    except (ValueError, OSError) as error:
        if isinstance(error, OSError) and error.errno not in {errno.E2BIG, errno.EAGAIN}:
            raise
        return _refused(standard, error)
    finally:
        standard.close()
    ended_by = _supervise(process, channel, seen, started + request.timeout_s, shared=shared, kills=kills)
    process.end(killed=ended_by != "exit")
    if ended_by == "exit" and shared.group and shared.group.kills() > kills:
        ended_by = "memory"
    seen.drain()
    return Reply(
        exit_code=process.exit_code() if ended_by == "exit" else None,
        ended_by=ended_by,
        seconds=time.monotonic() - started,
        complete=seen.complete and (seen.tracker is None or seen.tracker.complete),
        listed=seen.tracker.listed() if seen.tracker else [],
        opened=seen.tracker.opened() if seen.tracker else [],
        problem="" if ended_by != "exit" or process.exit_code() is not None else "bubblewrap could not set it up",
    )


def turn_away(standard: Standard, channel: socket.socket, error: Exception) -> None:
    """Answer a command that cannot be taken on now."""
    reply = _refused(standard, error)
    standard.close()
    _answer(channel, reply)


def _check(request: Request) -> None:
    """Refuse what cannot be said to bubblewrap, or would say something else to it.

    Raises:
        ValueError: an empty command or directory, a variable without a usable name, a null byte.
    """
    if not request.argv or not request.cwd:
        raise ValueError("the command or its directory is empty")
    if any(not name or "=" in name for name in request.env):
        raise ValueError("a variable has no usable name")
    if any("\0" in word for word in (*request.argv, request.cwd, *request.env, *request.env.values())):
        raise ValueError("embedded null byte")


def _refused(standard: Standard, error: Exception) -> Reply:
    """Answer a command that cannot be run: an argument is too long or has a null byte, there are no processes left."""
    with suppress(OSError):  # nobody may listen
        os.write(standard.descriptors[2], f"cannot be run: {error}\n".encode(errors="backslashreplace"))
    return Reply(exit_code=_CANNOT_RUN, ended_by="exit", seconds=0, complete=True, listed=[], opened=[], problem="")


def _never_started(problem: str) -> Reply:
    return Reply(exit_code=None, ended_by="exit", seconds=0, complete=False, listed=[], opened=[], problem=problem)


def _supervise(
    process: Process, channel: socket.socket, seen: View, deadline: float, *, shared: Shared, kills: int
) -> str:
    """Wait for the command, draining its events; returns how it ended, or what it has to be stopped for.

    `kills` is the number of processes the kernel had killed for memory before.
    """
    poller = select.poll()
    events = [seen.tracker.descriptor] if seen.tracker else []
    for descriptor in (process.monitor, channel.fileno(), *events):
        poller.register(descriptor, select.POLLIN)
    next_look = time.monotonic() + _TICK_S
    while True:
        wait_s = min(deadline, next_look) - time.monotonic()
        ready = {descriptor for descriptor, _ in poller.poll(max(0, math.ceil(1000 * wait_s)))}
        seen.drain()
        if process.monitor in ready:
            return "exit"
        if channel.fileno() in ready:
            return "interrupted"
        now = time.monotonic()
        if now >= deadline:
            return "timeout"
        if now >= next_look:
            next_look = now + _TICK_S
            killed = shared.group is not None and shared.group.kills() > kills
            if killed or process.holds_more_than(shared.memory_bytes):
                return "memory"
