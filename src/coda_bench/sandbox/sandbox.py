"""Sandbox: one attempt's closed room, in which commands run one by one or side by side."""

import os
import platform
import select
import shlex
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import ClassVar, Self

from coda_bench.errors import BadInput, SandboxFileError, SandboxLost, SandboxUnavailable
from coda_bench.records.access import CommandAccess, CommandEnd, FileAccess, TrackerKind, file_access
from coda_bench.records.attempt import SandboxRecord
from coda_bench.records.run import Backend
from coda_bench.sandbox import terminal
from coda_bench.sandbox.connection import ASK_DOCTOR, Connection
from coda_bench.sandbox.container.connection import ContainerConnection
from coda_bench.sandbox.holder import wire
from coda_bench.sandbox.spec import BACKEND_VARIABLE, CommandResult, SandboxSpec
from coda_bench.sandbox.streams import Kept, Pipes, exchange

_GRACE_S = 30.0
"""How long after a command's time limit the holder may take to report its end."""
_NOT_THE_SANDBOX = (b"bwrap: execvp ", b"bwrap: Can't chdir to ")
_NO_PROCESSES = b"Resource temporarily unavailable"
_NOT_FOUND, _CANNOT_RUN = 127, 126
_FILE_TIMEOUT_S = 20.0
_A_WEEK_S = 7 * 86400.0
_PERSON = {"TERM": "xterm-256color"}
_COMMAND_CHARACTERS = 2000
_ERROR_BYTES = 4096
_NO_FILE, _NOT_REGULAR, _TOO_LARGE = 64, 65, 66
_READ = (
    f'[ -e "$1" ] || exit {_NO_FILE}; [ -f "$1" ] || exit {_NOT_REGULAR}; '
    f'[ "$(stat -Lc %s -- "$1")" -le "$2" ] || exit {_TOO_LARGE}; exec head -c "$2" -- "$1"'
)
_WRITE = 'mkdir -p -- "$(dirname -- "$1")" && exec cat > "$1"'
_REASONS = {_NO_FILE: "no such file", _NOT_REGULAR: "not a regular file", _TOO_LARGE: "larger than {limit} bytes"}


class Sandbox:
    """A started sandbox; a context manager, safe to use from several threads.

    Each command gets a process namespace and a view of the community of its own: what it leaves running
    ends with it, and the files it opens are known to be its own. `/workspace` and `/tmp` stay.
    """

    _proven: ClassVar[set[Backend]] = set()

    def __init__(self, spec: SandboxSpec) -> None:
        self._spec = spec
        self._backend = _backend(spec)
        self._connection = _connect(spec, self._backend)
        self._started = time.monotonic()
        self._lock = threading.Lock()
        self._channels: set[socket.socket] = set()
        self._count = 0
        self._accesses: list[CommandAccess] = []
        self._closed = False
        self.record = _record(spec, self._connection)
        """What held the attempt, for its journal line."""

    @classmethod
    def start(cls, spec: SandboxSpec) -> Self:
        """Start a sandbox.

        The first of a process also runs a command, so that a machine that cannot is found out here and not by
        one attempt after the other.

        Raises:
            SandboxUnavailable: this machine cannot; the message names the step that failed and the remedy.
        """
        started = cls(spec)
        if started._backend not in Sandbox._proven:
            try:
                started.execute(["true"], timeout_s=_FILE_TIMEOUT_S, counted=False)
            except SandboxLost as lost:
                started.close()
                raise SandboxUnavailable(f"{lost}; {ASK_DOCTOR}") from lost
            Sandbox._proven.add(started._backend)
        return started

    @property
    def holder_pid(self) -> int:
        """The process on the host that holds the sandbox; it and its descendants are all there is."""
        return self._connection.ready.pid

    def execute(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        cwd: str = "/workspace",
        timeout_s: float | None = None,
        env: Mapping[str, str] | None = None,
        counted: bool = True,
    ) -> CommandResult:
        """Run a command to its end and return how it ended, with its output's head and tail.

        Args:
            argv: the program, looked up on the sandbox's PATH, and its arguments.
            stdin: what it reads.
            cwd: an existing directory inside.
            timeout_s: seconds until its whole tree is killed; None for the attempt's time limit.
            env: variables beside the sandbox's own few.
            counted: False keeps the command out of the attempt's file access.

        Raises:
            SandboxLost: the sandbox died or could not set the command up.
        """
        request = wire.Request(
            argv=list(argv),
            cwd=cwd,
            env=dict(env or {}),
            timeout_s=_bounded(self._spec.limits.time_s if timeout_s is None else timeout_s),
            tracked=counted,
        )
        kept_bytes = self._spec.limits.output_kb << 10
        return self._run(request, stdin, kept_bytes=kept_bytes)

    def attach(self, argv: Sequence[str]) -> int:
        """Run a command on the caller's own standard input, output and error, for a person; return its exit code.

        On a terminal the command gets a pseudo-terminal, so that Ctrl-C and job control are its own. It counts
        like any other command and has no time limit; to be called by the main thread.

        Raises:
            SandboxLost: the sandbox died.
        """
        if sys.stdin.isatty():
            with terminal.joined() as (standard, converse):
                reply, _ = self._perform(_for_a_person(terminal.owning(list(argv))), standard, converse)
        else:
            standard = sys.stdin.fileno(), sys.stdout.fileno(), sys.stderr.fileno()
            reply, _ = self._perform(_for_a_person(list(argv)), standard, _until_answered)
        if reply.problem:
            raise SandboxLost(f"sandbox: {reply.problem}")
        return reply.exit_code or 0

    def _run(self, request: wire.Request, stdin: bytes, *, kept_bytes: int) -> CommandResult:
        stdout, stderr = Kept(kept_bytes), Kept(kept_bytes)
        deadline = time.monotonic() + request.timeout_s + _GRACE_S
        with Pipes() as pipes:

            def converse(channel: socket.socket) -> bool:
                return exchange(channel, pipes, (stdout, stderr), content=stdin, deadline=deadline)

            reply, access = self._perform(request, pipes.inner, converse, errors=stderr)
        if reply.problem:
            raise SandboxLost(f"sandbox: {reply.problem}: {stderr.content().decode(errors='replace').strip()}")
        return CommandResult(
            exit_code=reply.exit_code,
            stdout=stdout.content(),
            stderr=stderr.content(),
            stdout_dropped=stdout.dropped,
            stderr_dropped=stderr.dropped,
            seconds=reply.seconds,
            ended_by=CommandEnd(reply.ended_by),
            access=access,
        )

    def _perform(
        self,
        request: wire.Request,
        standard: tuple[int, int, int],
        converse: Callable[[socket.socket], bool],
        *,
        errors: Kept | None = None,
    ) -> tuple[wire.Reply, CommandAccess | None]:
        """Have a command run on three descriptors; `converse` serves them until the channel holds the answer."""
        index, started_s = self._next_index(request), time.monotonic() - self._started
        fields = None
        with self._connection.watched(request) as completed:
            with self._connection.open_channel(standard) as channel, suppress(ConnectionError):
                wire.send(channel, request)
                with self._interruptible(channel):
                    answered = converse(channel)
                fields = wire.receive(channel) if answered else None
            if fields is None:
                raise SandboxLost(f"sandbox: it died during a command{self._connection.last_words()}")
            reply = completed(_understood(wire.Reply(**fields), errors.content() if errors else b""))
        access = _access(index, started_s, request, reply) if request.tracked and not reply.problem else None
        if access:
            with self._lock:
                self._accesses.append(access)
        return reply, access

    def _next_index(self, request: wire.Request) -> int:
        with self._lock:
            index = self._count
            self._count += request.tracked
        return index

    @contextmanager
    def _interruptible(self, channel: socket.socket) -> Iterator[None]:
        with self._lock:
            self._channels.add(channel)
        try:
            yield
        finally:
            with self._lock:
                self._channels.discard(channel)

    def interrupt(self) -> None:
        """Kill every command that runs now; the sandbox stays and takes new ones."""
        with self._lock:
            for channel in self._channels:
                with suppress(OSError):  # its command may just have ended, or the sandbox with it
                    channel.send(b"k")

    def read(self, path: str, *, limit_bytes: int = 16 << 20) -> bytes:
        """Return the content of a regular file inside; links are followed inside only, nothing counts as access.

        Raises:
            SandboxFileError: missing, not a regular file, unreadable, or larger than the limit.
            SandboxLost: the sandbox died.
        """
        result = self._helper(_READ, path, str(limit_bytes), kept_bytes=2 * limit_bytes + 2)
        if result.exit_code in _REASONS:
            reason = _REASONS[result.exit_code].format(limit=limit_bytes)
            raise SandboxFileError(f"{path} (inside the sandbox): {reason}")
        _check(result, path, "cannot be read")
        return result.stdout

    def write(self, path: str, content: bytes) -> None:
        """Write a file inside as the agent's user, making its directories; nothing counts as access.

        Raises:
            SandboxFileError: the place is read-only, a directory, or the disk limit is reached.
            SandboxLost: the sandbox died.
        """
        _check(self._helper(_WRITE, path, stdin=content), path, "cannot be written")

    def _helper(
        self, script: str, *arguments: str, stdin: bytes = b"", kept_bytes: int = _ERROR_BYTES
    ) -> CommandResult:
        argv = ["/bin/sh", "-c", script, "sh", *arguments]
        env = {"PATH": "/usr/bin:/bin"}
        request = wire.Request(argv=argv, cwd="/", env=env, timeout_s=_FILE_TIMEOUT_S, tracked=False)
        return self._run(request, stdin, kept_bytes=kept_bytes)

    def file_access(self) -> FileAccess:
        """Return what the counted commands so far listed, opened and used, in the order they were started."""
        with self._lock:
            commands = tuple(sorted(self._accesses, key=lambda access: access.index))
        return file_access(self.record.tracker, commands)

    def close(self) -> None:
        """End every command and remove every trace of the sandbox; may be called more than once."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _for_a_person(argv: list[str]) -> wire.Request:
    return wire.Request(argv=argv, cwd="/workspace", env=_PERSON, timeout_s=_A_WEEK_S, tracked=True)


def _bounded(timeout_s: float) -> float:
    return min(max(0.0, timeout_s), _A_WEEK_S)  # in this order, what is not a number is nothing


def _understood(reply: wire.Reply, errors: bytes) -> wire.Reply:
    """Tell a command that cannot be run from a sandbox that could not be set up.

    It or its directory is not there, or others have taken all processes. bubblewrap ends alike for all of these;
    what it printed tells them apart. No command of the agent's was running that could have printed it instead.
    """
    said = errors.rstrip()
    if not reply.problem or not (said.startswith(_NOT_THE_SANDBOX) or said.endswith(_NO_PROCESSES)):
        return reply
    code = _NOT_FOUND if said.endswith(b"No such file or directory") else _CANNOT_RUN
    return reply._replace(problem="", exit_code=code)


def _until_answered(channel: socket.socket) -> bool:
    return bool(select.select([channel], [], [])[0])


def _check(result: CommandResult, path: str, problem: str) -> None:
    if result.ended_by is not CommandEnd.EXIT:
        raise SandboxFileError(f"{path} (inside the sandbox): {problem} ({result.ended_by})")
    if result.exit_code != 0:
        said = result.stderr.decode(errors="replace").strip().removeprefix("sh: ")
        raise SandboxFileError(f"{path} (inside the sandbox): {problem} ({said})")


def _access(index: int, started_s: float, request: wire.Request, reply: wire.Reply) -> CommandAccess:
    return CommandAccess(
        index=index,
        command=_shown(request.argv),
        started_s=started_s,
        seconds=reply.seconds,
        exit_code=reply.exit_code,
        ended_by=CommandEnd(reply.ended_by),
        complete=reply.complete,
        listed=tuple(reply.listed),
        opened=tuple(reply.opened),
        openers=None if reply.openers is None else tuple(reply.openers),
    )


def _shown(argv: Sequence[str]) -> str:
    """Return the command as a person would type it: a shell's script alone, else the quoted words."""
    script = argv[-1] if len(argv) > 2 and argv[-2] in {"-c", "-lc"} else shlex.join(argv)  # noqa: PLR2004 - shell -c script
    return script.encode(errors="replace").decode()[:_COMMAND_CHARACTERS]


def _backend(spec: SandboxSpec) -> Backend:
    named = spec.backend or os.environ.get(BACKEND_VARIABLE) or Backend.BUBBLEWRAP
    if named not in {backend.value for backend in Backend}:
        raise BadInput(f"{BACKEND_VARIABLE}={named}: no such sandbox; choose one of {', '.join(Backend)}")
    return Backend(named)


def _connect(spec: SandboxSpec, backend: Backend) -> Connection | ContainerConnection:
    return Connection(spec) if backend is Backend.BUBBLEWRAP else ContainerConnection(spec, backend)


def _record(spec: SandboxSpec, connection: Connection | ContainerConnection) -> SandboxRecord:
    ready = connection.ready
    return SandboxRecord(
        backend=connection.backend,
        tracker=TrackerKind(ready.tracker),
        kernel=platform.release(),
        uid_outside=ready.uid,
        environment=spec.environment.generation,
        environment_lock=spec.environment.lock_sha256,
        limits={**spec.limits.as_record(), "cpus": float(len(ready.cpus))},
        notes=(f"memory is bounded by {ready.memory_by}", *ready.notes),
    )
