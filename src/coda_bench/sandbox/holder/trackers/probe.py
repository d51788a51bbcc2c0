"""Trying the notification tracker out: a process is confined, asks, and gets a descriptor that it did not open."""

import array
import os
import select
import socket
from typing import NoReturn

from coda_bench.sandbox.holder.trackers import calls, inside, notify

_WAIT_MS = 5000
_NOT_THERE = "/coda-bench-probe"
"""Only an opening that is performed in its place can succeed."""


def why_not() -> str:
    """Return why this machine cannot track by notification, or an empty text; to be called before threads exist."""
    if os.uname().machine not in notify.MACHINES:
        return f"no call numbers are known for {os.uname().machine}"
    ours, theirs = socket.socketpair()
    process = os.fork()
    if process == 0:
        _be_confined(theirs)
    theirs.close()
    with ours:
        problem = _serve(ours)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return problem or ("" if code == 0 else "a descriptor could not be handed over")


def _be_confined(channel: socket.socket) -> NoReturn:
    try:
        inside.forbid_reading_data()
        listener = inside.ask_before_opening(notify.program())
        socket.send_fds(channel, [b"l"], [listener])
        os.close(listener)
        channel.close()
        os.read(os.open(_NOT_THERE, os.O_RDONLY), 1)
    except OSError as error:
        _say(channel, str(error))
        os._exit(1)
    os._exit(0)


def _say(channel: socket.socket, text: str) -> None:
    if channel.fileno() >= 0:
        channel.send(text.encode())


def _serve(channel: socket.socket) -> str:
    """Answer the one opening; returns what went wrong before it."""
    said, ancillary, _, _ = channel.recvmsg(200, socket.CMSG_LEN(4), socket.MSG_CMSG_CLOEXEC)
    if not ancillary:
        return f"no notification of system calls ({said.decode(errors='replace') or 'the process was killed'})"
    listener = array.array("i", ancillary[0][2])[0]
    given = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    try:
        poller = select.poll()
        poller.register(listener, select.POLLIN)
        call = calls.receive(listener) if poller.poll(_WAIT_MS) else None
        return "" if call and calls.give(listener, call, given, close_on_exec=True) else "nothing was asked"
    except OSError as error:
        return f"no handing over of descriptors ({error})"
    finally:
        os.close(given)
        os.close(listener)
