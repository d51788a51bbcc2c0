"""What harness and holder say to each other, and how: JSON behind a length, descriptors beside it.

One control socket carries one byte with four descriptors for every command: a channel of its own, and the
command's standard input, output and error. The channel carries one Request and then one Reply; any byte
sent or a shutdown by the harness in between stops the command. When the control socket ends, the holder
ends, and everything in it.
"""

import array
import json
import socket
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

_LENGTH = struct.Struct("!I")


class Plan(NamedTuple):
    """What a holder sets up, sent once."""

    community: str | None
    """Host directory to show at `/data`; None for an empty one."""
    analysis: str
    """Host directory to show at `/opt/analysis`."""
    readonly: list[list[str]]
    """Pairs of host path and path inside."""
    bwrap: str
    bwrap_libraries: str | None
    """Directory that bwrap's own shared libraries are in, when it brings them."""
    hidden: list[str]
    """Directories below the visible part of the host that are shown empty."""
    tracker: str
    """The one wanted: `overlay_inotify`, `seccomp_notify` or `none`; empty for the best that works."""
    memory_mb: int
    cpus: int
    processes: int
    disk_mb: int


class Ready(NamedTuple):
    """The holder's answer to a Plan."""

    step: str
    """Empty when ready, else the step that failed."""
    problem: str
    pid: int
    tracker: str
    uid: int
    notes: list[str]
    memory_by: str
    """What bounds memory: a control group of some version and the watchdog, or that alone."""
    cpus: list[int]


class Request(NamedTuple):
    """One command."""

    argv: list[str]
    cwd: str
    env: dict[str, str]
    timeout_s: float
    tracked: bool


class Reply(NamedTuple):
    """How the command ended."""

    exit_code: int | None
    ended_by: str
    seconds: float
    complete: bool
    listed: list[str]
    opened: list[str]
    openers: list[str] | None
    """Beside each opened file, the program that did; None where the tracker cannot know."""
    problem: str
    """Not empty when the command was never started."""


class Message(Protocol):
    """A named tuple of what JSON can hold."""

    def _asdict(self) -> dict[str, Any]: ...


def send(connection: socket.socket, message: Message) -> None:
    """Send one message whole."""
    body = json.dumps(message._asdict()).encode()
    connection.sendall(_LENGTH.pack(len(body)) + body)


def announce(control: socket.socket, standard: Sequence[int]) -> socket.socket:
    """Announce a command with its standard descriptors; return its channel.

    Raises:
        OSError: the other side has gone.
    """
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            socket.send_fds(control, [b"c"], [theirs.fileno(), *standard])
        except OSError:
            ours.close()
            raise
    return ours


def receive(connection: socket.socket) -> dict[str, Any] | None:
    """Return the fields of the next message, or None when the other side has gone."""
    head = _exactly(connection, _LENGTH.size)
    body = _exactly(connection, _LENGTH.unpack(head)[0]) if head else None
    return json.loads(body) if body else None


def receive_descriptors(connection: socket.socket, count: int) -> list[int]:
    """Return the descriptors of the next announcement, closed on exec; none when the other side has gone."""
    # socket.recv_fds would leave them inheritable: it drops its flags.
    numbers = array.array("i")
    space = socket.CMSG_LEN(count * numbers.itemsize)
    try:
        _, ancillary, _, _ = connection.recvmsg(1, space, socket.MSG_CMSG_CLOEXEC)
    except ConnectionResetError:
        return []
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            numbers.frombytes(data[: len(data) - len(data) % numbers.itemsize])
    return list(numbers)


def _exactly(connection: socket.socket, size: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < size:
        try:
            part = connection.recv(size - len(parts))
        except ConnectionResetError:
            return None
        if not part:
            return None
        parts += part
    return bytes(parts)
