"""How commands are turned away, refused and answered, whatever holds them."""

import os
import socket
from contextlib import suppress
from typing import NamedTuple

from coda_bench.sandbox.holder.wire import Reply, Request, send

_CANNOT_RUN = 126
"""Exit code of shells for what is there but cannot be run."""


class Standard(NamedTuple):
    """The command's standard input, output and error."""

    descriptors: list[int]

    def close(self) -> None:
        """Give them up, so that their other ends see the end when the command's tree has gone."""
        for descriptor in self.descriptors:
            os.close(descriptor)


def answer(channel: socket.socket, reply: Reply) -> None:
    """Tell the harness how a command ended."""
    with suppress(BrokenPipeError, ConnectionResetError):  # nobody may wait for it any more
        send(channel, reply)


def turn_away(standard: Standard, channel: socket.socket, error: Exception) -> None:
    """Answer a command that cannot be taken on now."""
    reply = refused(standard, error)
    standard.close()
    answer(channel, reply)


def check(request: Request) -> None:
    """Refuse what cannot be told to the kernel or to bubblewrap, or would tell them something else.

    Raises:
        ValueError: an empty command or directory, a variable without a usable name, a null byte.
    """
    if not request.argv or not request.cwd:
        raise ValueError("the command or its directory is empty")
    if any(not name or "=" in name for name in request.env):
        raise ValueError("a variable has no usable name")
    if any("\0" in word for word in (*request.argv, request.cwd, *request.env, *request.env.values())):
        raise ValueError("embedded null byte")


def refused(standard: Standard, error: Exception) -> Reply:
    """Answer a command that cannot be run: an argument is too long or has a null byte, there are no processes left."""
    with suppress(OSError):  # nobody may listen
        os.write(standard.descriptors[2], f"cannot be run: {error}\n".encode(errors="backslashreplace"))
    return Reply(
        exit_code=_CANNOT_RUN, ended_by="exit", seconds=0, complete=True, listed=[], opened=[], openers=None, problem=""
    )


def never_started(problem: str) -> Reply:
    """Answer a command that the sandbox could not set up: the sandbox is to blame, not the command."""
    return Reply(
        exit_code=None, ended_by="exit", seconds=0, complete=False, listed=[], opened=[], openers=None, problem=problem
    )
