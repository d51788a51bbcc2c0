"""Which files of a community a command opens, and which of its directories it lists.

Every command sees the community through an overlay mount of its own. Its inodes belong to that mount alone,
so an inotify event on it comes from this command, whatever the language, library or system call used.
"""

import os
import struct

from coda_bench.sandbox.holder import kernel

_EVENT = struct.Struct("iIII")
_MASK = kernel.IN_OPEN | kernel.IN_ACCESS | kernel.IN_ONLYDIR
_READ_BYTES = 1 << 18


def directories_of(root: bytes) -> list[bytes]:
    """Return every directory below `root` as a path relative to it, itself (empty) first; links are not followed.

    Raises:
        PermissionError: a directory or file cannot be read by this user; the message names it.
    """
    found = [b""]
    for relative in found:
        with os.scandir(os.path.join(root, relative)) as entries:
            for entry in entries:
                path = os.path.join(relative, entry.name)
                if entry.is_dir(follow_symlinks=False):
                    found.append(path)
                elif not entry.is_symlink() and not os.access(entry.path, os.R_OK):
                    raise PermissionError(f"{os.fsdecode(path)} cannot be read")
    return found


class Tracker:
    """Collects the events of one overlay mount; not thread-safe, drained by the thread that waits for the command."""

    def __init__(self, root: str, directories: list[bytes]) -> None:
        """Watch `directories` (relative to `root`).

        Raises:
            OSError: the machine's inotify limits are reached.
        """
        self.complete = True
        self._opened: dict[bytes, None] = {}
        self._listed: dict[bytes, None] = {}
        self._by_watch: dict[int, bytes] = {}
        self.descriptor = kernel.inotify_open()
        try:
            for directory in directories:
                path = os.path.join(os.fsencode(root), directory)
                self._by_watch[kernel.inotify_watch(self.descriptor, path, _MASK)] = directory
        except OSError:
            self.close()
            raise

    def drain(self) -> None:
        """Take what the kernel has queued; events are queued before the call that caused them returns."""
        while True:
            try:
                queued = os.read(self.descriptor, _READ_BYTES)
            except BlockingIOError:
                return
            self._take(queued)

    def _take(self, queued: bytes) -> None:
        offset = 0
        while offset < len(queued):
            watch, mask, _, length = _EVENT.unpack_from(queued, offset)
            start = offset + _EVENT.size
            offset = start + length
            if mask & kernel.IN_Q_OVERFLOW:
                self.complete = False
            elif mask & kernel.IN_ISDIR:
                # A directory reports on itself without a name, and to its parent with one.
                if mask & kernel.IN_ACCESS and not length:
                    self._listed[self._by_watch[watch]] = None
            elif mask & kernel.IN_OPEN and length:
                name = queued[start:offset].rstrip(b"\0")
                self._opened[os.path.join(self._by_watch[watch], name)] = None

    def opened(self) -> list[str]:
        """Return the files opened so far, in order of first opening."""
        return [_text(path) for path in self._opened]

    def listed(self) -> list[str]:
        """Return the directories listed so far, `.` for the community's own."""
        return [_text(path) or "." for path in self._listed]

    def close(self) -> None:
        """Stop watching."""
        os.close(self.descriptor)


def _text(path: bytes) -> str:
    """Return a path as text; bytes that are not UTF-8 become escapes, since records are text."""
    return path.decode("utf-8", "backslashreplace")
