"""How much memory the processes of a sandbox hold, from `/proc`.

Counted are the pages that are their own: anonymous ones and shared memory, mapped or, where no control group counts
it, behind an open descriptor. Pages of mapped files are not: they are the machine's to drop. What lies in sockets is
not seen from here, so each is taken for full; what lies in pipes the kernel bounds for each user (pipe(7)).
"""

import os

_BLOCK_BYTES = 512
"""Of `st_blocks` (inode(7))."""
_SOCKET_BYTES = 416 << 10
"""What one may hold to send: twice the kernel's usual `wmem_max` (socket(7))."""


def exceeds(root: int, limit_bytes: int, *, unmapped: bool) -> bool:
    """Whether the descendants of process `root` hold more than `limit_bytes`.

    The first sum counts a page once for each process that shares it, as forked workers do; only when that
    is too much is the exact and slower sum taken.

    Args:
        root: not counted itself.
        limit_bytes: of them all together.
        unmapped: whether to count shared memory that is open but not mapped.
    """
    processes = tree(root)[1:]
    held_open = _open_memory(processes) if unmapped else 0
    if _sum(processes, "status", b"RssAnon:", b"RssShmem:") + held_open <= limit_bytes:
        return False
    # What is open may be mapped too: the larger of both sums is certainly held.
    shared = max(_sum(processes, "smaps_rollup", b"Pss_Shmem:"), held_open)
    return _sum(processes, "smaps_rollup", b"Pss_Anon:") + shared > limit_bytes


def _open_memory(processes: list[int]) -> int:
    """Return what processes hold by open descriptors: memory files, and sockets as if their buffers were full."""
    sizes: dict[str, int] = {}
    for process in processes:
        folder = f"/proc/{process}/fd"
        try:
            for name in os.listdir(folder):
                target = os.readlink(f"{folder}/{name}")
                if target.startswith("socket:"):
                    sizes[target] = _SOCKET_BYTES
                elif target.startswith("/memfd:"):
                    found = os.stat(f"{folder}/{name}")
                    sizes[f"{found.st_dev}:{found.st_ino}"] = found.st_blocks * _BLOCK_BYTES
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue  # it ended while we looked, or closed what we looked at: there is a next look
    return sum(sizes.values())


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


def _sum(processes: list[int], file: str, *fields: bytes) -> int:
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
