"""Mounts of sandboxes in the host's own mount table, where none belong."""

from pathlib import Path

from coda_bench.sandbox.cleanup.leftover import Leftover
from coda_bench.sandbox.holder import kernel
from coda_bench.sandbox.holder.room import places

_POINT, _SEPARATOR = 4, "-"


def find() -> list[Leftover]:
    """Return overlay mounts that only a holder makes, which has a mount table of its own."""
    rows = [line.split(" ") for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()]
    return [
        Leftover(kind="mount", where=row[_POINT], detail="an overlay as only sandboxes mount it, outside of any")
        for row in rows
        if f"lowerdir={places.EMPTY}:" in row[-1] and row[row.index(_SEPARATOR) + 1] == "overlay"
    ]


def remove(leftover: Leftover) -> None:
    """Take a mount away.

    Raises:
        OSError: this user may not.
    """
    kernel.detach(leftover.where)
