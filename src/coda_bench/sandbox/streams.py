"""Keeping the head and the tail of an output of any size, and feeding a command while it prints."""

import fcntl
import os
import selectors
import socket
import struct
import termios
import time
from types import TracebackType
from typing import Self

_CHUNK = 1 << 16
_COUNT = struct.Struct("i")


class Kept:
    """The first and the last bytes of a stream, in bounded memory."""

    def __init__(self, limit_bytes: int) -> None:
        self._head_size = (limit_bytes + 1) // 2
        self._tail_size = limit_bytes // 2
        self._head = bytearray()
        self._tail = bytearray()
        self.dropped = 0
        """Bytes between head and tail that were not kept."""

    def add(self, part: bytes) -> None:
        """Take the next bytes of the stream."""
        room = self._head_size - len(self._head)
        self._head += part[:room]
        self._tail += part[room:]
        excess = len(self._tail) - self._tail_size
        if excess > 0:
            del self._tail[:excess]
            self.dropped += excess

    def content(self) -> bytes:
        """Return what was kept; a line in the middle says how much is missing."""
        gap = f"\n[... {self.dropped} bytes dropped ...]\n".encode() if self.dropped else b""
        return bytes(self._head + gap + self._tail)


class Pipes:
    """Three pipes for a command's standard input, output and error; a context manager that closes what is left."""

    def __init__(self) -> None:
        stdin, self.feed = os.pipe()
        self.out, stdout = os.pipe()
        self.err, stderr = os.pipe()
        self.inner = (stdin, stdout, stderr)
        """The command's ends; once it has them, ours keep us from seeing it close them."""
        self._open = {*self.inner, self.feed, self.out, self.err}

    def close(self, *descriptors: int) -> None:
        """Close some of the ends."""
        for descriptor in self._open.intersection(descriptors):
            os.close(descriptor)
        self._open.difference_update(descriptors)

    def has(self, descriptor: int) -> bool:
        """Whether one of the ends is still open."""
        return descriptor in self._open

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(*self._open)


def exchange(channel: socket.socket, pipes: Pipes, kept: tuple[Kept, Kept], *, content: bytes, deadline: float) -> bool:
    """Feed `content` to a command and keep its output and errors until it has answered.

    By then its tree is gone and all it printed lies in the pipes. Their end is not waited for: another command
    of the sandbox may have been handed a descriptor of them.

    Returns:
        Whether that came about before the deadline (of `time.monotonic()`), and before the other side was gone.
    """
    pipes.close(*pipes.inner)
    os.set_blocking(pipes.feed, False)
    with selectors.DefaultSelector() as selector:
        selector.register(channel, selectors.EVENT_READ)
        selector.register(pipes.feed, selectors.EVENT_WRITE, memoryview(content))
        selector.register(pipes.out, selectors.EVENT_READ, kept[0])
        selector.register(pipes.err, selectors.EVENT_READ, kept[1])
        while True:
            ready = selector.select(max(0.0, deadline - time.monotonic()))
            if any(key.fileobj is channel for key, _ in ready):
                _take_rest(pipes, kept)
                return bool(channel.recv(1, socket.MSG_PEEK))
            if time.monotonic() >= deadline:
                return False
            for key, _ in ready:
                if not _serve(selector, key):
                    selector.unregister(key.fileobj)
                    pipes.close(key.fd)


def _take_rest(pipes: Pipes, kept: tuple[Kept, Kept]) -> None:
    for descriptor, keeper in zip((pipes.out, pipes.err), kept, strict=True):
        if not pipes.has(descriptor):
            continue
        queued = _COUNT.unpack(fcntl.ioctl(descriptor, termios.FIONREAD, _COUNT.pack(0)))[0]
        while queued > 0 and (part := os.read(descriptor, min(queued, _CHUNK))):
            keeper.add(part)
            queued -= len(part)


def _serve(selector: selectors.BaseSelector, key: selectors.SelectorKey) -> bool:
    """Move what can be moved; returns whether more may follow."""
    if isinstance(key.data, Kept):
        part = os.read(key.fd, _CHUNK)
        key.data.add(part)
        return bool(part)
    try:
        rest = key.data[os.write(key.fd, key.data[:_CHUNK]) :]
    except BrokenPipeError:
        return False  # a command that does not read its input is no error
    selector.modify(key.fd, selectors.EVENT_WRITE, rest)
    return bool(rest)
