"""Keeping the head and the tail of an output of any size, and feeding a command while it prints."""

import os
import selectors
import socket
import time
from collections.abc import Sequence

_CHUNK = 1 << 16


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


def exchange(
    channel: socket.socket, stdin: int, outputs: Sequence[tuple[int, Kept]], *, content: bytes, deadline: float
) -> bool:
    """Feed `content` to a command and keep its outputs until it has answered and closed them.

    The three descriptors are made non-blocking and closed. The deadline is of `time.monotonic()`.

    Returns:
        Whether the channel became readable and the outputs ended before the deadline.
    """
    with selectors.DefaultSelector() as selector:
        selector.register(channel, selectors.EVENT_READ)
        os.set_blocking(stdin, False)
        selector.register(stdin, selectors.EVENT_WRITE, memoryview(content))
        for descriptor, kept in outputs:
            selector.register(descriptor, selectors.EVENT_READ, kept)
        try:
            return _pump(selector, channel, deadline)
        finally:
            for key in list(selector.get_map().values()):
                if key.fileobj is not channel:
                    os.close(key.fd)


def _pump(selector: selectors.BaseSelector, channel: socket.socket, deadline: float) -> bool:
    while selector.get_map():
        ready = selector.select(max(0.0, deadline - time.monotonic()))
        if not ready and time.monotonic() >= deadline:
            return False
        for key, _ in ready:
            if key.fileobj is channel:
                selector.unregister(channel)
            elif isinstance(key.data, Kept):
                _take(selector, key)
            else:
                _feed(selector, key)
    return True


def _take(selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
    part = os.read(key.fd, _CHUNK)
    if part:
        key.data.add(part)
    else:
        _finish(selector, key.fd)


def _feed(selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
    """Write the next part of the input; a command that no longer reads is not an error."""
    try:
        written = os.write(key.fd, key.data[:_CHUNK])
    except BrokenPipeError:
        written = len(key.data)
    rest = key.data[written:]
    if rest:
        selector.modify(key.fd, selectors.EVENT_WRITE, rest)
    else:
        _finish(selector, key.fd)


def _finish(selector: selectors.BaseSelector, descriptor: int) -> None:
    selector.unregister(descriptor)
    os.close(descriptor)
