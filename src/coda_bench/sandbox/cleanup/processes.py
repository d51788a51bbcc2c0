"""Processes of sandboxes whose harness is gone."""

import os
import select
import signal
from collections.abc import Iterator
from pathlib import Path

from coda_bench.sandbox.cleanup.leftover import Leftover
from coda_bench.sandbox.cleanup.owner import is_neighbour, owner_of, parent_of
from coda_bench.sandbox.holder.room.namespaces import NOBODY
from coda_bench.sandbox.holder.room.places import BWRAP

_END_S = 5.0
_NURSERY = b"coda_bench.sandbox.holder.nursery"


def find() -> list[Leftover]:
    """Return processes that should have ended with their harness; those about to end by themselves are among them."""
    reasons = {process: _why_left(process) for process in _mine() if is_neighbour(process)}
    return [Leftover(kind="process", where=str(process), detail=why) for process, why in reasons.items() if why]


def _why_left(process: int) -> str:
    owner = owner_of(process)
    if owner is not None:
        left = owner.uid == os.geteuid() and not owner.is_alive()
        return f"holds sandboxes of harness {owner.process}, which has ended" if left else ""
    if _command(process) == BWRAP.encode() and not _is_held(process):
        return "a command's first process whose sandbox has ended"
    return ""


def _is_held(process: int) -> bool:
    """Whether a nursery or holder stands above a process: a live one, of this release or another."""
    while process > 1:
        process = parent_of(process)
        if _NURSERY in _arguments(process):
            return True
    return False


def _command(process: int) -> bytes:
    return _arguments(process).partition(b"\0")[0]


def _arguments(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def _mine() -> Iterator[int]:
    """Return the processes of this user, and nobody's for root, whose sandboxes run as nobody."""
    users = {os.geteuid()} | ({NOBODY} if os.geteuid() == 0 else set())
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and folder.stat().st_uid in users:
                yield int(folder.name)
        except OSError:
            continue  # it has just ended


def remove(leftover: Leftover) -> None:
    """Kill a process that is still what it was and wait for its end; what it holds goes with it.

    Raises:
        OSError: it cannot be killed, or does not end.
    """
    process = int(leftover.where)
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return
    try:
        if not _why_left(process):
            return  # the number belongs to another one by now
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        if not select.select([descriptor], [], [], _END_S)[0]:
            raise TimeoutError(0, "it does not end")
    except ProcessLookupError:
        return
    finally:
        os.close(descriptor)
