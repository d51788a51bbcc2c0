"""System calls of the notification tracker that the standard library lacks, and the layout of their arguments."""

import ctypes
import fcntl
import os
import struct
from contextlib import suppress
from typing import NamedTuple

RESOLVE_IN_ROOT = 0x10
_SYS_OPENAT2 = ctypes.c_long(437)
_HOW = struct.Struct("=QQQ")

_NOTIFICATION = struct.Struct("=QIIiIQ6Q")
"""`struct seccomp_notif`: id, thread, flags, then `struct seccomp_data`: call, ABI, instruction, six arguments."""
_RESPONSE = struct.Struct("=QqiI")
_ADD = struct.Struct("=QIIII")
_RECEIVE, _SEND, _ADD_DESCRIPTOR = 0xC0502100, 0xC0182101, 0x40182103
_CONTINUE = 1
_AND_SEND = 2

_libc = ctypes.CDLL(None, use_errno=True)


class Call(NamedTuple):
    """A system call that waits for us."""

    id: int
    thread: int
    number: int
    arguments: tuple[int, ...]


def receive(listener: int) -> Call | None:
    """Return the next call, or None when its thread was killed meanwhile; to be asked only when one is there."""
    buffer = bytearray(_NOTIFICATION.size)
    try:
        fcntl.ioctl(listener, _RECEIVE, buffer)
    except OSError:
        return None
    identity, thread, _, number, _, _, *arguments = _NOTIFICATION.unpack(buffer)
    return Call(identity, thread, number, tuple(arguments))


def let_pass(listener: int, call: Call) -> None:
    """Have the kernel perform the call as if nobody had asked."""
    with suppress(OSError):  # it was interrupted, or its thread killed
        fcntl.ioctl(listener, _SEND, _RESPONSE.pack(call.id, 0, 0, _CONTINUE))


def fail(listener: int, call: Call, number: int) -> None:
    """Have the call fail with an error number."""
    with suppress(OSError):
        fcntl.ioctl(listener, _SEND, _RESPONSE.pack(call.id, 0, -number, 0))


def give(listener: int, call: Call, descriptor: int, *, close_on_exec: bool) -> bool:
    """Give the calling process a copy of a descriptor, which the call returns; whether it was still there to take it.

    Raises:
        OSError: the process has too many open.
    """
    flags = os.O_CLOEXEC if close_on_exec else 0
    try:
        fcntl.ioctl(listener, _ADD_DESCRIPTOR, _ADD.pack(call.id, _AND_SEND, descriptor, 0, flags))
    except FileNotFoundError:
        return False
    return True


def open_below(root: int, path: bytes, flags: int) -> int:
    """Open `path` as a process would whose root directory is `root`: links and `..` stay inside.

    Raises:
        OSError: as `open` would; `EXDEV` at the links of `/proc` that lead elsewhere.
    """
    how = _HOW.pack(flags, 0, RESOLVE_IN_ROOT)
    found: int = _libc.syscall(_SYS_OPENAT2, ctypes.c_int(root), path, how, ctypes.c_size_t(len(how)))
    if found < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return found
