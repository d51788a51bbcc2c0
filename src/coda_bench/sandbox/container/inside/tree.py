"""Ending a command's whole tree without a process namespace of its own.

Whatever loses its parent becomes the supervisor's child, so nothing of a command can leave its tree.
"""

import os
import signal
from contextlib import suppress

from coda_bench.sandbox.holder import memory


def end(process: int, *, killed: bool) -> int:
    """Wait until a command and all it started are gone, killing what is left; return its exit code (128 + n).

    Args:
        process: the command's first one, a child of this process.
        killed: whether it is to be killed too; else it has ended already.
    """
    code = None if killed else _code(os.waitpid(process, 0)[1])
    while memory.children_of(os.getpid()):
        _stop_all()
        for one in memory.tree(os.getpid())[1:]:
            _signal(one, signal.SIGKILL)
        found = _reap(process)
        code = found if code is None else code
    return 0 if code is None else code


def _stop_all() -> None:
    """Stop every process of the tree: one that is stopped cannot fork, so at some look there is no new one."""
    stopped: set[int] = set()
    while new := set(memory.tree(os.getpid())[1:]) - stopped:
        for one in new:
            _signal(one, signal.SIGSTOP)
        stopped |= new


def _reap(process: int) -> int | None:
    """Wait for the children that have been killed; return the exit code of `process` when it is among them."""
    code = None
    with suppress(ChildProcessError):
        while True:
            ended, status = os.waitpid(-1, 0)
            if ended == process:
                code = _code(status)
    return code


def _code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _signal(process: int, number: int) -> None:
    with suppress(ProcessLookupError):  # it has just ended
        os.kill(process, number)
