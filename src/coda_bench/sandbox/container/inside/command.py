"""One command in a container: its start, its supervision, the end of its whole tree."""

import errno
import os
import socket
import time
from typing import NamedTuple, NoReturn

from coda_bench.sandbox.container.inside import tree
from coda_bench.sandbox.container.inside.become import Identity, become
from coda_bench.sandbox.container.inside.bounds import Bounds
from coda_bench.sandbox.holder import kernel, memory, supervision
from coda_bench.sandbox.holder.replies import Standard, answer, check, never_started, refused
from coda_bench.sandbox.holder.wire import Reply, Request, receive

_KEEPER = 1
_NOT_FOUND, _CANNOT_RUN = 127, 126
_REFUSED = frozenset({errno.E2BIG, errno.EAGAIN})


class Room(NamedTuple):
    """What the commands of one sandbox have in common."""

    identity: Identity
    environment: dict[str, str]
    memory_bytes: int
    bounds: Bounds


def supervise(standard: Standard, channel: socket.socket, room: Room) -> None:
    """Run the command that the channel asks for and answer how it ended, once its whole tree is gone."""
    kernel.adopt_orphans()
    fields = receive(channel)
    if fields is None:
        return
    try:
        reply = _run(Request(**fields), standard, channel, room)
    except OSError as error:
        reply = never_started(f"start of the command: {error}")
    answer(channel, reply)


def _run(request: Request, standard: Standard, channel: socket.socket, room: Room) -> Reply:
    started = time.monotonic()
    kills = room.bounds.kills()
    try:
        check(request)
        process = _start(request, standard, channel, room)
    except (ValueError, OSError) as error:
        if isinstance(error, OSError) and error.errno not in _REFUSED:
            raise
        return refused(standard, error)
    finally:
        standard.close()
    ended_by = _watch(process, channel, started + request.timeout_s, room, kills=kills)
    code = tree.end(process, killed=ended_by != "exit")
    if ended_by == "exit" and room.bounds.kills() > kills:
        ended_by = "memory"
    return Reply(
        exit_code=code if ended_by == "exit" else None,
        ended_by=ended_by,
        seconds=time.monotonic() - started,
        complete=True,
        listed=[],
        opened=[],
        openers=None,
        problem="",
    )


def _start(request: Request, standard: Standard, channel: socket.socket, room: Room) -> int:
    process = os.fork()
    if process:
        return process
    channel.close()
    try:
        _become(request, standard, room)
    finally:
        os._exit(_CANNOT_RUN)


def _become(request: Request, standard: Standard, room: Room) -> NoReturn:
    os.setsid()
    for place, descriptor in enumerate(standard.descriptors):
        os.dup2(descriptor, place)
    what = request.argv[0]
    try:
        os.umask(0o022)
        become(room.identity)
        what = request.cwd
        os.chdir(request.cwd)
        what = request.argv[0]
        os.execvpe(what, request.argv, {**room.environment, **request.env})  # noqa: S606 - the command, as it was asked for
    except ValueError as error:  # such as a word that cannot be encoded
        os.write(2, f"cannot be run: {error}\n".encode(errors="backslashreplace"))
        os._exit(_CANNOT_RUN)
    except OSError as error:
        os.write(2, f"cannot be run: {what}: {error.strerror}\n".encode(errors="backslashreplace"))
        os._exit(_NOT_FOUND if isinstance(error, FileNotFoundError) else _CANNOT_RUN)


def _watch(process: int, channel: socket.socket, deadline: float, room: Room, *, kills: int) -> str:
    """Wait for the command; returns how it ended, or what it has to be stopped for.

    `kills` is the number of processes the kernel had killed for memory before.
    """

    def is_too_large() -> bool:
        unmapped = room.bounds.events_fd < 0
        return room.bounds.kills() > kills or memory.exceeds(_KEEPER, room.memory_bytes, unmapped=unmapped)

    monitor = os.pidfd_open(process)
    try:
        return supervision.supervise(monitor, channel, deadline, is_too_large)
    finally:
        os.close(monitor)
