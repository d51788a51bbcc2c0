"""How much memory a command's process tree holds, from `/proc`.

Counted are the pages that are the tree's own: anonymous ones and shared memory. Pages of mapped files are
not: they are the machine's to drop.
"""

import os

_OWN = (b"RssAnon:", b"RssShmem:")
_PROPORTIONAL = (b"Pss_Anon:", b"Pss_Shmem:")


def exceeds(root: int, limit_bytes: int) -> bool:
    """Whether the tree below process `root` holds more than `limit_bytes`.

    The first sum counts a page once for each process that shares it, as forked workers do; only when that
    is too much is the exact and slower sum taken.
    """
    processes = tree(root)
    if _sum(processes, "status", _OWN) <= limit_bytes:
        return False
    return _sum(processes, "smaps_rollup", _PROPORTIONAL) > limit_bytes


def tree(root: int) -> list[int]:
    """Return `root` and its descendants; those that end meanwhile are left out."""
    found = [root]
    for process in found:
        found += children_of(process)
    return found


def children_of(process: int) -> list[int]:
    """Return the children of a process; none when it has ended."""
    children: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{process}/task"):
            children += map(int, _read(f"/proc/{process}/task/{thread}/children").split())
    except FileNotFoundError:
        pass  # it ended while we looked
    return children


def _sum(processes: list[int], file: str, fields: tuple[bytes, ...]) -> int:
    return sum(_field(line) for process in processes for line in _lines(process, file) if line.startswith(fields))


def _lines(process: int, file: str) -> list[bytes]:
    return _read(f"/proc/{process}/{file}").splitlines()


def _field(line: bytes) -> int:
    """`RssAnon:   1234 kB` in bytes."""
    return int(line.split()[1]) * 1024


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return b""  # it ended while we looked, or is a zombie
