"""The first process of the container in which an attempt's commands run.

It is the container's root, which the commands are not: they cannot stop or read it. Each command gets a supervisor, a
fork of this process; nothing here has threads, so that forking is safe.
"""

import os
import select
import signal
import socket
from contextlib import suppress

from coda_bench.sandbox.container.inside import bounds
from coda_bench.sandbox.container.inside.become import Identity, become
from coda_bench.sandbox.container.inside.command import Room, supervise
from coda_bench.sandbox.container.inside.words import Settings
from coda_bench.sandbox.holder import limits, seccomp
from coda_bench.sandbox.holder.replies import Standard, turn_away
from coda_bench.sandbox.holder.wire import Ready, receive, receive_descriptors, send


def main(control: socket.socket) -> None:
    """Serve one sandbox over the control socket until the harness has closed it or died."""
    fields = receive(control)
    if fields is None:
        return
    settings = Settings(**fields)
    try:
        room, ready = _prepare(settings)
    except (OSError, KeyError) as error:
        send(control, _ready("container", problem=str(error)))
        return
    send(control, ready)
    _serve(control, room)


def _ready(step: str = "", *, problem: str = "", memory_by: str = "", cpus: list[int] | None = None) -> Ready:
    return Ready(
        step=step,
        problem=problem,
        pid=os.getpid(),
        tracker="none",
        uid=os.getuid(),
        notes=[],
        memory_by=memory_by,
        cpus=cpus or [],
    )


def _prepare(settings: Settings) -> tuple[Room, Ready]:
    os.sched_setaffinity(0, settings.cpus)
    memory = bounds.find()
    # Processes are bounded by the container itself.
    identity = Identity(settings.uid, seccomp.program(), limits.of_a_command(settings.memory_mb))
    room = Room(identity, settings.environment, settings.memory_mb << 20, memory)
    if settings.caches:
        _link_caches(settings, identity)
    return room, _ready(memory_by=memory.name, cpus=settings.cpus)


def _link_caches(settings: Settings, identity: Identity) -> None:
    """Link what the environment was built with to where programs look for it, as the commands' user."""
    process = os.fork()
    if process == 0:
        with suppress(OSError):
            become(identity)
            os.mkdir(settings.links)
            for name in os.listdir(settings.caches):
                os.symlink(f"{settings.caches}/{name}", f"{settings.links}/{name}")
        os._exit(0)
    os.waitpid(process, 0)


def _serve(control: socket.socket, room: Room) -> None:
    woken, wake = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    poller = select.poll()
    for descriptor in (control.fileno(), woken):
        poller.register(descriptor, select.POLLIN)
    while True:
        ready = {descriptor for descriptor, _ in poller.poll()}
        if woken in ready:
            os.read(woken, 4096)
            _reap()
        if control.fileno() in ready:
            descriptors = receive_descriptors(control, 4)
            if not descriptors:
                return
            _start(descriptors, control, room)


def _reap() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _start(descriptors: list[int], control: socket.socket, room: Room) -> None:
    standard = Standard(descriptors[1:])
    with socket.socket(fileno=descriptors[0]) as channel:
        try:
            process = os.fork()
        except OSError as error:
            turn_away(standard, channel, error)
            return
        if process == 0:
            _supervise(standard, channel, control, room)
        standard.close()


def _supervise(standard: Standard, channel: socket.socket, control: socket.socket, room: Room) -> None:
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        control.close()
        supervise(standard, channel, room)
    finally:
        os._exit(0)
