"""One command: its view of the community, its process tree, its end."""

import errno
import os
import socket
import time

from coda_bench.sandbox.holder import memory
from coda_bench.sandbox.holder.process import CHANNEL_FD, Process, Shared
from coda_bench.sandbox.holder.replies import Standard, answer, check, never_started, refused
from coda_bench.sandbox.holder.room import rootfs
from coda_bench.sandbox.holder.supervision import supervise
from coda_bench.sandbox.holder.trackers.seen import Seen
from coda_bench.sandbox.holder.trackers.views import View
from coda_bench.sandbox.holder.wire import Reply, Request

_UNLIMITED = 1 << 30


def run(request: Request, standard: Standard, channel: socket.socket, *, view: str, shared: Shared) -> None:
    """Run a command to its end and answer how it ended, once its whole process tree is gone."""
    try:
        seen = View(view, shared.tracker, shared.directories, tracked=request.tracked)
    except OSError as error:
        standard.close()
        answer(channel, never_started(f"view of the community: {error}"))
        return
    if request.tracked:
        shared.views.begin(seen)
    try:
        reply = _run_seeing(seen, request, standard, channel, shared=shared)
    except OSError as error:
        reply = never_started(f"start of bubblewrap: {error}")
    found, complete = shared.views.end(seen)
    answer(channel, _with_access(reply, found, complete=complete))
    shared.views.release(seen)  # after the answer: the kernel takes its time to forget watches


def _with_access(reply: Reply, found: Seen, *, complete: bool) -> Reply:
    return reply._replace(
        complete=complete and reply.complete, listed=found.listed, opened=found.opened, openers=found.openers
    )


def _run_seeing(seen: View, request: Request, standard: Standard, channel: socket.socket, *, shared: Shared) -> Reply:
    started = time.monotonic()
    kills = shared.group.kills() if shared.group else 0
    try:
        check(request)
        process = _start(seen, request, standard, shared)
    except (ValueError, OSError) as error:
        if isinstance(error, OSError) and error.errno not in {errno.E2BIG, errno.EAGAIN}:
            raise
        return refused(standard, error)
    finally:
        standard.close()
    ended_by = _supervise(process, channel, seen, started + request.timeout_s, shared=shared, kills=kills)
    process.end(killed=ended_by != "exit")
    if ended_by == "exit" and shared.group and shared.group.kills() > kills:
        ended_by = "memory"
    return Reply(
        exit_code=process.exit_code() if ended_by == "exit" else None,
        ended_by=ended_by,
        seconds=time.monotonic() - started,
        complete=True,
        listed=[],
        opened=[],
        openers=None,
        problem="" if ended_by != "exit" or process.exit_code() is not None else "bubblewrap could not set it up",
    )


def _start(seen: View, request: Request, standard: Standard, shared: Shared) -> Process:
    # The harness's own commands may take from the reserve.
    most = shared.processes if request.tracked else _UNLIMITED
    notify = seen.notify
    if notify is None:
        options = rootfs.command_options(seen.path, request.cwd, request.env)
        return Process(options, request.argv, standard.descriptors, shared, processes=most)
    options = rootfs.command_options(seen.path, request.cwd, {})
    argv = notify.launch(request.argv, request.env, CHANNEL_FD)
    try:
        return Process(options, argv, standard.descriptors, shared, processes=most, channel_fd=notify.channel())
    finally:
        notify.started()


def _supervise(
    process: Process, channel: socket.socket, seen: View, deadline: float, *, shared: Shared, kills: int
) -> str:
    """Wait for the command, draining its events; returns how it ended, or what it has to be stopped for.

    `kills` is the number of processes the kernel had killed for memory before.
    """

    def is_too_large() -> bool:
        killed = shared.group is not None and shared.group.kills() > kills
        return killed or memory.exceeds(os.getpid(), shared.memory_bytes, unmapped=shared.group is None)

    def woken() -> None:
        seen.drain()
        shared.views.settle()

    events = seen.tracker.descriptor if seen.tracker else None
    gathers = seen.notify is None
    return supervise(process.monitor, channel, deadline, is_too_large, events=events, gathers=gathers, woken=woken)
