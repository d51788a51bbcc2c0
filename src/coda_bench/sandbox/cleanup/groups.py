"""Control groups whose sandbox is gone."""

import os
from collections.abc import Iterator
from pathlib import Path

from coda_bench.sandbox.cleanup.leftover import Leftover
from coda_bench.sandbox.cleanup.owner import is_neighbour, owner_of
from coda_bench.sandbox.holder.room.cgroup import PREFIX

_ROOT = Path("/sys/fs/cgroup")


def find() -> list[Leftover]:
    """Return groups named for a holder that has ended, with nothing in them and nothing foreign beside them."""
    return [
        Leftover(kind="control group", where=str(path), detail="empty, and its sandbox has ended")
        for path in _named()
        if _is_left(path)
    ]


def _named() -> Iterator[Path]:
    for parent, names, _ in os.walk(_ROOT):
        yield from (Path(parent, name) for name in names if name.startswith(PREFIX))


def _is_left(path: Path) -> bool:
    holder = path.name.removeprefix(PREFIX)
    try:
        mine = path.stat().st_uid == os.geteuid()
        busy = bool(_members(path))
        foreign = not all(is_neighbour(process) for process in _members(path.parent))
    except OSError:
        return False  # it has just gone, or nobody may look
    return mine and holder.isdigit() and not busy and not foreign and owner_of(int(holder)) is None


def _members(group: Path) -> list[int]:
    """Return the processes of a group; a number of 0 is one that this process's namespace does not show."""
    return [int(number) for number in (group / "cgroup.procs").read_text(encoding="ascii").split()]


def remove(leftover: Leftover) -> None:
    """Remove a group.

    Raises:
        OSError: this user may not, or something is in it again.
    """
    Path(leftover.where).rmdir()
