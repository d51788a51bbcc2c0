"""The harness's end of a holder: having one started, asking it for commands, and its end."""

import atexit
import fcntl
import os
import platform
import select
import signal
import socket
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from coda_bench.errors import BadInput, SandboxLost, SandboxUnavailable
from coda_bench.records.access import TrackerKind
from coda_bench.sandbox import bubblewrap
from coda_bench.sandbox.cleanup.owner import mark
from coda_bench.sandbox.holder import wire
from coda_bench.sandbox.holder.room import cgroup
from coda_bench.sandbox.holder.room.rootfs import VISIBLE
from coda_bench.sandbox.spec import SandboxSpec, check_places

ASK_DOCTOR = "`coda-bench doctor` checks this machine"
"""What to do when a step fails that nothing better is known about."""
TRACKER_VARIABLE = "CODA_BENCH_TRACKER"
"""Forces a tracker, for tests and for machines where the choice should not be left to trying."""
_TRACKERS = (TrackerKind.OVERLAY_INOTIFY.value, TrackerKind.SECCOMP_NOTIFY.value, TrackerKind.NONE.value)
_START_S = 30.0
_END_S = 10.0
_TRIES = 500
_LAST_WORDS_BYTES = 4096
_CONTROL_FD = 3
_PACKAGE = Path(__file__).parent
# Empty stand-ins for the two packages above the holder: what those import is not needed there.
_PROGRAM = """
import os, sys
os.chdir("/")
for name, path in (("coda_bench", sys.argv[2]), ("coda_bench.sandbox", sys.argv[3])):
    package = sys.modules[name] = type(sys)(name)
    package.__path__ = [path]
from coda_bench.sandbox.holder.nursery import main
main(int(sys.argv[1]))
"""
_REMEDIES = {
    "user namespace": "this machine forbids unprivileged user namespaces; `coda-bench doctor` says how to allow them",
    "mount namespace": "root lacks CAP_SYS_ADMIN here, as in a container; run on the host or as an ordinary user",
}


class _Nursery:
    """The process that forks this harness's holders: nothing of the harness is in it, variables included.

    It ends by itself when the harness does, however that ends.
    """

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair()
        with theirs:
            # Moved up, since a descriptor that happens to stand on its place already would be closed there.
            moved = fcntl.fcntl(theirs, fcntl.F_DUPFD_CLOEXEC, _CONTROL_FD + 1)
            self._pid = os.posix_spawn(
                sys.executable,
                [
                    sys.executable,
                    "-I",
                    "-S",
                    "-c",
                    _PROGRAM,
                    str(_CONTROL_FD),
                    str(_PACKAGE.parent),
                    str(_PACKAGE),
                    mark(),
                ],
                {},
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                    (os.POSIX_SPAWN_DUP2, moved, _CONTROL_FD),
                ],
                setsid=True,  # a Ctrl-C meant for the harness is the harness's to handle
            )
            os.close(moved)

    def ask(self, control: socket.socket, errors_fd: int) -> None:
        """Have a holder started that is controlled through `control` and prints to `errors_fd`."""
        socket.send_fds(self._control, [b"h"], [control.fileno(), errors_fd])

    def bury(self) -> None:
        """Release what is left of one that has died."""
        self._control.close()
        with suppress(ChildProcessError):
            os.waitpid(self._pid, os.WNOHANG)


class _Nurseries:
    """The one nursery of this harness, started when first needed and again when it has died."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._current: _Nursery | None = None

    def ask(self, control: socket.socket, errors_fd: int) -> None:
        """Have a holder started; thread-safe."""
        with self._lock:
            if self._current:
                with suppress(OSError):
                    self._current.ask(control, errors_fd)
                    return
                self._current.bury()
            self._current = _Nursery()
            self._current.ask(control, errors_fd)

    def end(self) -> None:
        """Let the nursery go, and with it whatever is left of its holders."""
        with self._lock:
            if self._current:
                self._current.bury()
                self._current = None


_nurseries = _Nurseries()
atexit.register(_nurseries.end)


class Connection:
    """A running holder; thread-safe."""

    def __init__(self, spec: SandboxSpec) -> None:
        """Have a holder started and wait until it has set the sandbox up.

        Raises:
            SandboxUnavailable: a step of the set-up failed; the message names it.
        """
        if platform.system() != "Linux":
            raise SandboxUnavailable(f"sandbox: it needs Linux, this is {platform.system()}; scoring works here")
        self._errors = os.memfd_create("holder-errors", os.MFD_CLOEXEC)
        self._lock = threading.Lock()
        self._process: int | None = None
        self._control, theirs = socket.socketpair()
        try:
            with theirs:
                _nurseries.ask(theirs, self._errors)
            self.ready = self._greet(spec)
            self._process = os.pidfd_open(self.ready.pid)
        except BaseException:
            self.close()
            raise

    def _greet(self, spec: SandboxSpec) -> wire.Ready:
        self._control.settimeout(_START_S)
        try:
            wire.send(self._control, plan(spec))
            fields = wire.receive(self._control)
        except OSError as error:
            raise SandboxUnavailable(f"sandbox: set-up did not answer ({error}){self.last_words()}") from error
        if fields is None:
            raise SandboxUnavailable(f"sandbox: set-up ended early{self.last_words()}")
        ready = wire.Ready(**fields)
        if ready.step:
            remedy = _REMEDIES.get(ready.step, ASK_DOCTOR)
            raise SandboxUnavailable(f"sandbox: {ready.step} failed: {ready.problem}; {remedy}")
        self._control.settimeout(None)
        return ready

    @property
    def backend(self) -> str:
        """Name and version of what holds the commands."""
        return f"bubblewrap {bubblewrap.find().version}"

    @contextmanager
    def watched(self, request: wire.Request) -> Iterator[Callable[[wire.Reply], wire.Reply]]:
        """Surround a command; what is yielded adds what was opened to its reply, which a holder has done already."""
        del request
        yield lambda reply: reply

    def open_channel(self, standard: tuple[int, int, int]) -> socket.socket:
        """Announce a command with its standard descriptors; the channel returned takes its Request.

        Raises:
            SandboxLost: the holder is gone.
        """
        try:
            with self._lock:
                return wire.announce(self._control, standard)
        except OSError as error:
            raise SandboxLost(f"sandbox: it is closed or has died ({error}){self.last_words()}") from error

    def last_words(self) -> str:
        """Return what the holder printed, for messages: nothing unless it failed."""
        try:
            start = max(0, os.fstat(self._errors).st_size - _LAST_WORDS_BYTES)
            text = os.pread(self._errors, _LAST_WORDS_BYTES, start)
        except OSError:
            return ""
        return f": {text.decode(errors='replace').strip()}" if text else ""

    def close(self) -> None:
        """End the holder and with it every process and mount of the sandbox."""
        self._control.close()
        if self._process is not None:
            if not select.select([self._process], [], [], _END_S)[0]:
                signal.pidfd_send_signal(self._process, signal.SIGKILL)
            os.close(self._process)
            self._remove_group()
        os.close(self._errors)
        self._errors = -1

    def _remove_group(self) -> None:
        """Remove what bounded memory: the nursery's to do, but that may have been killed."""
        for _ in range(_TRIES):
            if cgroup.remove(self.ready.pid):
                return
            time.sleep(_END_S / _TRIES)


def plan(spec: SandboxSpec) -> wire.Plan:
    """Translate a spec into what the holder is told: absolute host paths and numbers.

    Raises:
        BadInput: a read-only source is to be shown where none can be.
        SandboxUnavailable: there is no usable bubblewrap.
    """
    found = bubblewrap.find()
    check_places(spec)
    return wire.Plan(
        community=str(spec.data.resolve()) if spec.data else None,
        analysis=str(spec.environment.root.resolve()),
        readonly=[[str(path.resolve()), inside] for path, inside in spec.readonly],
        bwrap=str(found.binary),
        bwrap_libraries=str(found.libraries) if found.libraries else None,
        hidden=sorted(_harness_folders()),
        tracker=_tracker(spec),
        memory_mb=spec.limits.memory_mb,
        cpus=spec.limits.cpus,
        processes=spec.limits.processes,
        disk_mb=spec.limits.disk_mb,
    )


def _tracker(spec: SandboxSpec) -> str:
    """Return the tracker wanted, empty for the best; raises BadInput for one that sandboxes do not know."""
    if not spec.tracking:
        return TrackerKind.NONE.value
    named = spec.tracker or os.environ.get(TRACKER_VARIABLE, "")
    if named and named not in _TRACKERS:
        raise BadInput(f"{TRACKER_VARIABLE}={named}: no such tracker; choose one of {', '.join(_TRACKERS)}")
    return str(named)


def _harness_folders() -> set[str]:
    """Return the harness's own folders that lie in the visible part of the host: installed packages, an environment."""
    standard = {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")}
    standard |= {folder / "lib-dynload" for folder in standard}
    visible = [Path("/usr", name) for name in VISIBLE]
    own = {Path(path).resolve() for path in (*sys.path, sys.prefix, str(_PACKAGE.parents[1])) if path}
    return {
        str(path)
        for path in own - standard
        if path.is_dir() and any(path != root and path.is_relative_to(root) for root in visible)
    }
