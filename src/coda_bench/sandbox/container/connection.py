"""The harness's end of an attempt's containers: the same that it has of a holder."""

import atexit
import json
import os
import select
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from weakref import WeakSet

from coda_bench.errors import SandboxLost, SandboxUnavailable
from coda_bench.records.access import TrackerKind
from coda_bench.records.run import Backend
from coda_bench.sandbox.container import engine as engines
from coda_bench.sandbox.container import image, launch
from coda_bench.sandbox.container.bundle import hand_over
from coda_bench.sandbox.container.folder import attempt_folder, remove_folder
from coda_bench.sandbox.container.inside.words import Mark, Marked, Settings
from coda_bench.sandbox.container.meeting import Meeting
from coda_bench.sandbox.holder import wire
from coda_bench.sandbox.holder.room.rootfs import ENVIRONMENT, WRITABLE
from coda_bench.sandbox.spec import SandboxSpec, check_places

_ANSWER_S = 30.0
_END_S = 10.0
_LINKS = ENVIRONMENT["MPLCONFIGDIR"]
_CACHES = "share/matplotlib"
_SIZES = f"{', '.join(WRITABLE)} have the disk limit each, and all together what the container's memory leaves"
_BESIDE = "files opened by commands that ran side by side count for each of them"
_ENGINE_PATHS = "paths of the engine can be read in /proc/self/mountinfo"


_open: "WeakSet[ContainerConnection]" = WeakSet()


@atexit.register
def _close_all() -> None:
    """Close what a harness that ends has left open: an engine's volumes with names do not go by themselves."""
    for connection in list(_open):
        connection.close()


class ContainerConnection:
    """Two running containers; thread-safe."""

    def __init__(self, spec: SandboxSpec, backend: Backend) -> None:
        """Start both and wait until their programs answer.

        Raises:
            SandboxUnavailable: the engine refuses, or a program does not answer.
            BadInput: a read-only source is to be shown where none can be.
        """
        _check(spec)
        self._engine = engines.find(backend)
        self._image = image.find(self._engine)
        self._environment = spec.environment
        self._lock = threading.Lock()
        self._marks = 0
        self._control: socket.socket | None = None
        self._watch: socket.socket | None = None
        self._process: int | None = None
        self._place = launch.Place(
            attempt_folder(spec, names_volumes=self._engine.names_volumes), _name(), self._image.id
        )
        self._volumes = launch.volumes(self._engine, spec, self._place)
        _open.add(self)
        try:
            self.ready = self._start(spec)
        except BaseException:
            self.close()
            raise

    @property
    def backend(self) -> str:
        """The engine with its version, and the image by its content."""
        return f"{self._engine.name} {self._engine.version}, {self._image.name} {self._image.id}"

    def _start(self, spec: SandboxSpec) -> wire.Ready:
        for words in self._volumes.values():
            self._engine.run(*words)
        with Meeting(self._place.folder / "commands") as commands, Meeting(self._place.folder / "watch") as watch:
            self._engine.run(*launch.commands(self._engine, spec, self._place))
            wants_watching = spec.tracking and spec.tracker in {None, TrackerKind.OVERLAY_INOTIFY}
            with ThreadPoolExecutor(1) as beside:
                started = beside.submit(self._start_watching, watch) if wants_watching else None
                keeper = self._greet(commands, spec)
                watcher = started.result() if started else None
        if not self._engine.names_volumes:
            remove_folder(self._place.folder)  # both have what they need of it, and a killed harness leaves nothing
        return _together(keeper, watcher, pid=self._pid)

    def _start_watching(self, meeting: Meeting) -> wire.Ready:
        self._engine.run(*launch.watch(self._engine, self._place))
        self._watch = meeting.wait()
        hand_over(self._watch, "watcher")
        return self._told(self._watch, Mark(0, begins=True))

    def _greet(self, meeting: Meeting, spec: SandboxSpec) -> wire.Ready:
        self._control = meeting.wait()
        self._pid = meeting.peer
        self._process = os.pidfd_open(self._pid)
        hand_over(self._control, "keeper")
        return self._told(self._control, _settings(spec))

    def _told(self, connection: socket.socket, message: wire.Message) -> wire.Ready:
        connection.settimeout(_ANSWER_S)
        try:
            wire.send(connection, message)
            fields = wire.receive(connection)
        except OSError as error:
            raise SandboxUnavailable(f"{self._engine.name}: a container does not answer ({error})") from error
        if fields is None:
            why = image.why_not(self._engine, self._image, self._environment)
            raise SandboxUnavailable(f"{self._engine.name}: a container ended early; {why}")
        ready = wire.Ready(**fields)
        if ready.step:
            raise SandboxUnavailable(f"sandbox: {ready.step} failed: {ready.problem}")
        connection.settimeout(None)
        return ready

    def open_channel(self, standard: tuple[int, int, int]) -> socket.socket:
        """Announce a command with its standard descriptors; the channel returned takes its Request.

        Raises:
            SandboxLost: the containers are gone.
        """
        try:
            with self._lock:
                if self._control is None:
                    raise ConnectionError("closed")
                return wire.announce(self._control, standard)
        except OSError as error:
            raise SandboxLost(f"sandbox: its container has ended ({error})") from error

    @contextmanager
    def watched(self, request: wire.Request) -> Iterator[Callable[[wire.Reply], wire.Reply]]:
        """Surround a command with its two marks; what is yielded adds what was opened between them to its reply."""
        if not request.tracked:
            yield lambda reply: reply
            return
        with self._lock:
            self._marks += 1
            number = self._marks
        begun = self._mark(number, begins=True)

        def completed(reply: wire.Reply) -> wire.Reply:
            seen = self._mark(number, begins=False) if begun else None
            if seen is None:
                return reply._replace(complete=False)
            return reply._replace(complete=reply.complete and seen.complete, listed=seen.listed, opened=seen.opened)

        yield completed

    def _mark(self, number: int, *, begins: bool) -> Marked | None:
        """Return what the watcher says to a mark, None when it is gone or does not answer: never guessed."""
        if self._watch is None:
            return None
        with self._lock:
            try:
                self._watch.settimeout(_ANSWER_S)
                wire.send(self._watch, Mark(number, begins))
                fields = wire.receive(self._watch)
            except (OSError, json.JSONDecodeError):
                fields = None
            if fields is None:
                self._watch.close()
                self._watch = None
        return Marked(**fields) if fields else None

    def last_words(self) -> str:
        """Return what is known about the end of the container, for messages."""
        return f" ({self._engine.name} container {self._place.name}-commands)"

    def close(self) -> None:
        """End both containers and remove what was made for them."""
        with self._lock:
            for connection in (self._control, self._watch):
                if connection:
                    connection.close()
            self._control = self._watch = None
        self._wait()
        names = [f"{self._place.name}-{role}" for role in ("commands", "watch")]
        with suppress(SandboxUnavailable):  # they end by themselves, and may be gone
            self._engine.run("rm", "--force", "--volumes", *names)
        if self._volumes:
            with suppress(SandboxUnavailable):
                self._engine.run("volume", "rm", "--force", *self._volumes)
        remove_folder(self._place.folder)

        _open.discard(self)

    def _wait(self) -> None:
        if self._process is None:
            return
        if not select.select([self._process], [], [], _END_S)[0]:
            with suppress(OSError):
                signal.pidfd_send_signal(self._process, signal.SIGKILL)
        os.close(self._process)
        self._process = None


def _name() -> str:
    return f"coda-bench-{os.getpid()}-{os.urandom(6).hex()}"


def _check(spec: SandboxSpec) -> None:
    check_places(spec)
    if spec.data is not None and not spec.data.is_dir():
        raise SandboxUnavailable(f"sandbox: opening of a source failed: no such directory ({spec.data})")


def _settings(spec: SandboxSpec) -> Settings:
    allowed = sorted(os.sched_getaffinity(0))
    first = (os.getpid() + time.monotonic_ns()) % len(allowed)
    return Settings(
        uid=launch.user(),
        memory_mb=spec.limits.memory_mb,
        cpus=(allowed[first:] + allowed[:first])[: spec.limits.cpus],
        environment=ENVIRONMENT,
        caches=f"/opt/analysis/{_CACHES}" if Path(spec.environment.root, _CACHES).is_dir() else "",
        links=_LINKS,
    )


def _together(keeper: wire.Ready, watcher: wire.Ready | None, *, pid: int) -> wire.Ready:
    """Return what both containers said, as a holder would have."""
    if watcher is None:
        notes = ["file access is not tracked: switched off, or by a tracker that containers do not have"]
    elif watcher.problem:
        notes = [f"file access is not tracked: {watcher.problem}"]
    else:
        notes = [_BESIDE]
    tracker = watcher.tracker if watcher else TrackerKind.NONE.value
    return keeper._replace(pid=pid, uid=launch.user(), tracker=tracker, notes=[*notes, _SIZES, _ENGINE_PATHS])
