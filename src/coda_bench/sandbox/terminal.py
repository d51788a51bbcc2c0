"""Joining a person's terminal to a command in a sandbox, through a pseudo-terminal of the command's own.

The person's terminal itself never enters: whoever holds it could type into it.
"""

import os
import select
import signal
import socket
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_CHUNK = 1 << 14
# The command has to own its terminal for Ctrl-C and job control to work; Python is what is surely there.
_OWN_TERMINAL = (
    "import fcntl, os, sys, termios; os.getsid(0) == os.getpid() or os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execvp(sys.argv[1], sys.argv[1:])"
)


def owning(argv: list[str]) -> list[str]:
    """Return the command line that makes `argv` the owner of the terminal on its standard input."""
    return ["/opt/analysis/bin/python3", "-I", "-c", _OWN_TERMINAL, *argv]


@contextmanager
def joined() -> Iterator[tuple[tuple[int, int, int], Callable[[socket.socket], bool]]]:
    """Yield a command's standard descriptors on a new pseudo-terminal, and what joins it to the person's.

    The second is called with the command's channel and returns when the command has ended.
    """
    outer, inner = os.openpty()
    keyboard = sys.stdin.fileno()

    def converse(channel: socket.socket) -> bool:
        with _following_size(keyboard, outer), _raw(keyboard):
            _carry_until_answered(keyboard, outer, channel)
        return True

    try:
        yield (inner, inner, inner), converse
    finally:
        os.close(outer)
        os.close(inner)


@contextmanager
def _raw(keyboard: int) -> Iterator[None]:
    """Hand every key on as it is typed, and put the terminal back afterwards."""
    before = termios.tcgetattr(keyboard)
    tty.setraw(keyboard)
    try:
        yield
    finally:
        termios.tcsetattr(keyboard, termios.TCSAFLUSH, before)


@contextmanager
def _following_size(keyboard: int, outer: int) -> Iterator[None]:
    """Give the pseudo-terminal the size of the real one, now and whenever its window changes."""

    def follow(_signal: int = 0, _frame: FrameType | None = None) -> None:
        termios.tcsetwinsize(outer, termios.tcgetwinsize(keyboard))

    follow()
    before = signal.signal(signal.SIGWINCH, follow)
    try:
        yield
    finally:
        signal.signal(signal.SIGWINCH, before)


def _carry_until_answered(keyboard: int, outer: int, channel: socket.socket) -> None:
    sources = {keyboard, outer, channel.fileno()}
    while True:
        ready = select.select(list(sources), [], [])[0]
        if outer in ready:
            _write(sys.stdout.fileno(), os.read(outer, _CHUNK))
        elif channel.fileno() in ready:
            return  # and nothing of its output is left
        if keyboard in ready:
            typed = os.read(keyboard, _CHUNK)
            _write(outer, typed)
            if not typed:
                sources.discard(keyboard)


def _write(target: int, content: bytes) -> None:
    while content:
        content = content[os.write(target, content) :]
