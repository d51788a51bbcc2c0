"""Giving up what a supervisor has, on the way to becoming a command."""

import ctypes
import os
import signal
import struct
from typing import NamedTuple

from coda_bench.sandbox.holder import kernel, limits

_PR_SET_SECCOMP, _MODE_FILTER, _PR_CAPBSET_DROP = 22, 2, 24
_FIRST_VICTIM = b"500"
"""When memory runs out the kernel is to choose a command, not what keeps it (proc_pid_oom_score_adj(5))."""


class Identity(NamedTuple):
    """What every command of a sandbox is."""

    uid: int
    filter: bytes
    """The system call filter's program."""
    limits: dict[int, int]
    """By number of the resource."""


def become(identity: Identity) -> None:
    """Turn this process into one with the commands' user, limits and filter; there is no way back.

    Raises:
        OSError: the container refuses a step.
    """
    with open("/proc/self/oom_score_adj", "wb") as score:
        score.write(_FIRST_VICTIM)
    limits.impose(identity.limits)
    _drop_bounding_set()
    os.setgroups([])
    os.setresgid(identity.uid, identity.uid, identity.uid)
    os.setresuid(identity.uid, identity.uid, identity.uid)
    kernel.renounce_privileges()
    _filter(identity.filter)
    for name in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, programs rely on them
        signal.signal(name, signal.SIG_DFL)


def _drop_bounding_set() -> None:
    """Give up the rights that no program could win back anyway, so that it can be seen."""
    libc = ctypes.CDLL(None, use_errno=True)
    right = 0
    while libc.prctl(_PR_CAPBSET_DROP, ctypes.c_ulong(right), *(ctypes.c_ulong(0),) * 3) == 0:
        right += 1


def _filter(program: bytes) -> None:
    buffer = ctypes.create_string_buffer(program, len(program))
    described = struct.pack("=HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_SECCOMP, ctypes.c_ulong(_MODE_FILTER), described, ctypes.c_ulong(0), ctypes.c_ulong(0)):
        code = ctypes.get_errno()
        raise OSError(code, f"system call filter: {os.strerror(code)}")
