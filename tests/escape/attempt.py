"""What an attempt to break out is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

PRELUDE = """
import ctypes, errno, fcntl, json, mmap, os, resource, signal, socket, stat, struct, subprocess, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
HOST = json.loads(os.environ["HOST"])
MACHINE = {"x86_64": 0, "aarch64": 1}[os.uname().machine]

def call(numbers, *arguments):
    "Make a system call by its numbers on both machines; the result, or the error raised."
    ctypes.set_errno(0)
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(numbers[MACHINE]), *words)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def escaped(what):
    print("ESCAPED:", what, flush=True)

def expect(holds, what):
    "Say what was found; it is a way out unless `holds`."
    print(what, flush=True) if holds else escaped(what)

def must_fail(name, action):
    "Do what must not be possible, and say what came of it."
    try:
        result = action()
    except (OSError, ValueError, OverflowError, MemoryError) as error:
        print(f"{name}: {getattr(error, 'strerror', None) or error}", flush=True)
    else:
        escaped(f"{name}: {result!r:.80}")
"""


def memory_kb(name: str) -> int:
    """Return a figure of `/proc/self/status`: VmRSS, or its peak VmHWM."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def forget_peak_memory() -> None:
    """Let the peak begin at what is held now: the process that runs the attempts may have been large before."""
    Path("/proc/self/clear_refs").write_text("5")


class Attempt(NamedTuple):
    """One way out, as a program that runs inside."""

    name: str
    subject: str
    program: str
    """Python, after `PRELUDE`; a line that starts with ESCAPED says that it got out."""
    limits: dict[str, Any] = {}  # noqa: RUF012 - never changed
    """Not empty: it gets a sandbox of its own with these."""
    timeout_s: float = 20
    ends: tuple[str, ...] = ("exit",)
    """How the command may end."""
    check: Callable[[Any], str] | None = None
    """Looks, in the `Scene`, for what the attempt changed; returns what, or an empty text."""
    meanwhile: Callable[[Any], str] | None = None
    """Done beside the attempt; likewise."""


class Outcome(NamedTuple):
    """What came of an attempt."""

    name: str
    subject: str
    tried: str
    happened: str
    held: bool
    went_on: bool
