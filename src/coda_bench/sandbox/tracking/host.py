"""Tracking a command on the host: nothing is closed to it, only its view of one directory is watched.

The directory is covered by an overlay of itself in a mount namespace that only the command and its children have.
Network, files and user stay the command's own, so this measures and does not isolate.
"""

import os
import select
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from coda_bench.errors import BadInput, SandboxUnavailable
from coda_bench.records.access import CommandAccess, CommandEnd, FileAccess, TrackerKind, file_access
from coda_bench.records.record import Record
from coda_bench.sandbox.holder import kernel, memory
from coda_bench.sandbox.holder.trackers.inotify import InotifyTracker, directories_of

_NOT_FOUND, _CANNOT_RUN = 127, 126
_SIGNALLED = 128


class Watched(Record):
    """What the watching process reports of the command."""

    problem: str = ""
    """Why it was never started; empty when it was."""
    exit_code: int = 0
    seconds: float = 0.0
    complete: bool = True
    opened: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()


def track_on_host(argv: Sequence[str], data: Path) -> tuple[int, FileAccess]:
    """Run a command on the caller's own standard streams and return its exit code and what it opened below `data`.

    Not seen: what it reads by another way to the same files (a second mount, a hard link elsewhere), and through
    descriptors that were open before. What it leaves running makes the access incomplete.

    Raises:
        BadInput: `data` is no readable directory.
        SandboxUnavailable: this machine has no private mounts for this user, or no overlay.
    """
    try:
        directories = directories_of(os.fsencode(data.resolve()))
    except OSError as error:
        raise BadInput(f"{data}: cannot be read as a directory ({error})") from error
    with tempfile.TemporaryDirectory() as empty:
        watched = _watch(argv, data.resolve(), directories, Path(empty))
    if watched.problem:
        raise SandboxUnavailable(
            f"tracking on the host: {watched.problem}; `coda-bench doctor` says what this machine allows"
        )
    command = CommandAccess(
        index=0,
        command=" ".join(argv)[:2000],
        started_s=0.0,
        seconds=watched.seconds,
        exit_code=watched.exit_code,
        ended_by=CommandEnd.EXIT,
        complete=watched.complete,
        listed=watched.listed,
        opened=watched.opened,
    )
    return watched.exit_code, file_access(TrackerKind.OVERLAY_INOTIFY, (command,))


def _watch(argv: Sequence[str], data: Path, directories: list[bytes], empty: Path) -> Watched:
    """Have a child watch, which must be a process of its own: mount namespaces are entered for good."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _report(argv, data, directories, empty, writing=writing)
    os.close(writing)
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the command
    try:
        with os.fdopen(reading, "rb") as stream:
            said = stream.read()
        os.waitpid(child, 0)
    finally:
        signal.signal(signal.SIGINT, previous)
    return Watched.model_validate_json(said) if said else Watched(problem="the watching process died")


def _report(argv: Sequence[str], data: Path, directories: list[bytes], empty: Path, *, writing: int) -> NoReturn:
    """Watch and write what came of it; whatever happens, this copy of the caller ends here."""
    try:
        watched = _run(argv, data, directories, empty)
    except OSError as error:
        watched = Watched(problem=str(error))
    except BaseException as error:  # noqa: BLE001 - it must not return into the caller's program
        watched = Watched(problem=f"{type(error).__name__}: {error}")
    with os.fdopen(writing, "wb") as stream:
        stream.write(watched.model_dump_json().encode(errors="replace"))
    os._exit(0)


def _run(argv: Sequence[str], data: Path, directories: list[bytes], empty: Path) -> Watched:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _cover(data, empty)
    tracker = InotifyTracker(str(data), directories)
    kernel.adopt_orphans()
    started = time.monotonic()
    command = os.fork()
    if command == 0:
        _become(argv)
    ended = os.pidfd_open(command)
    poller = select.poll()
    for descriptor in (ended, tracker.descriptor):
        poller.register(descriptor, select.POLLIN)
    while ended not in {descriptor for descriptor, _ in poller.poll()}:
        tracker.drain()
    code = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
    tracker.drain()
    seen = tracker.take()
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass  # children that it left ended behind
    return Watched(
        exit_code=_SIGNALLED - code if code < 0 else code,
        seconds=time.monotonic() - started,
        complete=tracker.complete and not memory.children_of(os.getpid()),
        opened=tuple(seen.opened),
        listed=tuple(seen.listed),
    )


def _cover(data: Path, empty: Path) -> None:
    """Enter a private mount namespace and mount an overlay of `data` on itself.

    Raises:
        OSError: the machine refuses one of the steps.
    """
    uid, gid = os.geteuid(), os.getegid()
    if uid == 0:
        kernel.unshare(kernel.CLONE_NEWNS)
    else:
        kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS)
        for file, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
            Path("/proc/self", file).write_text(text, encoding="ascii")
    kernel.mount("none", "/", None, flags=kernel.MS_REC | kernel.MS_PRIVATE)
    # By descriptor: the kernel would split a path at its colons and commas.
    layers = [f"/proc/self/fd/{os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)}" for path in (empty, data)]
    options = f"lowerdir={':'.join(layers)}"
    flags = kernel.MS_RDONLY | kernel.MS_NODEV
    try:
        kernel.mount("overlay", str(data), "overlay", flags=flags, options=f"{options},userxattr")
    except OSError:
        kernel.mount("overlay", str(data), "overlay", flags=flags, options=options)
    os.chdir(Path.cwd())  # it may lie below `data`: enter it anew, through the overlay


def _become(argv: Sequence[str]) -> NoReturn:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for name in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, programs rely on them
        signal.signal(name, signal.SIG_DFL)
    try:
        os.execvp(argv[0], list(argv))  # noqa: S606 - the command, as it was asked for
    except OSError as error:
        os.write(2, f"{argv[0]}: {error.strerror}\n".encode(errors="backslashreplace"))
        os._exit(_NOT_FOUND if isinstance(error, FileNotFoundError) else _CANNOT_RUN)
