"""Finding and removing what killed harnesses left on this machine: never another user's, never a live one's.

A harness that dies takes its sandboxes with it, so there is rarely anything. What there can be after a power cut or
after both harness and nursery were killed: half-made folders, empty control groups, in theory a process or a mount.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from coda_bench.sandbox.cleanup import containers, folders, groups, mounts, processes
from coda_bench.sandbox.cleanup.leftover import Leftover

__all__ = ["Leftover", "find", "remove"]


def find(places: Sequence[Path] = ()) -> list[Leftover]:
    """Return what is left on this machine, in the order it has to be removed.

    Args:
        places: directories to look for half-made folders in, beside this project's own and the temporary one.
    """
    return [*containers.find(), *processes.find(), *mounts.find(), *groups.find(), *folders.find(places)]


def remove(leftover: Leftover) -> str:
    """Remove one; returns why it could not be, or an empty text."""
    kinds = {
        "container": containers.remove,
        "volume": containers.remove,
        "process": processes.remove,
        "mount": mounts.remove,
        "control group": groups.remove,
    }
    try:
        kinds.get(leftover.kind, folders.remove)(leftover)
    except OSError as error:
        return error.strerror or os.strerror(error.errno or 0)
    return ""
