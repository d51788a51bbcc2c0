"""The default tracker: inotify on an overlay mount that one command has for itself.

Its inodes belong to that mount alone, so an event on it comes from this command, whatever the language, library
or system call used. The mount, and with it the watching, lives on while anybody holds a descriptor of it.
"""

import os
import struct

from coda_bench.sandbox.holder import kernel
from coda_bench.sandbox.holder.trackers.seen import Seen, text_of

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


class InotifyTracker:
    """Collects the events of one overlay mount; not thread-safe."""

    def __init__(self, root: str, directories: list[bytes]) -> None:
        """Watch `directories` (relative to `root`).

        Raises:
            OSError: the machine's inotify limits are reached.
        """
        self.complete = True
        self.ended = False
        """Whether the mount is gone: nobody can open anything through it any more."""
        self._opened: dict[tuple[int, bytes], None] = {}
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
        offset, size = 0, len(queued)
        while offset < size:
            watch, mask, _, length = _EVENT.unpack_from(queued, offset)
            start = offset + _EVENT.size
            offset = start + length
            if mask == kernel.IN_OPEN and length:
                self._opened[watch, queued[start:offset]] = None
            elif mask != kernel.IN_ACCESS:  # of a file: that it was opened is known
                self._take_rare(watch, mask, named=length > 0)

    def _take_rare(self, watch: int, mask: int, *, named: bool) -> None:
        if mask & kernel.IN_Q_OVERFLOW:
            # What is lost while the mount goes away is only that it does.
            self.complete = self.ended and self.complete
        elif mask & kernel.IN_UNMOUNT:
            self.ended = True
        elif mask & kernel.IN_ISDIR and mask & kernel.IN_ACCESS and not named:
            # A directory reports on itself without a name, and to its parent with one.
            self._listed[self._by_watch[watch]] = None

    def take(self) -> Seen:
        """Return what was opened and listed since the last time, in order, and forget it."""
        paths = (os.path.join(self._by_watch[watch], name.rstrip(b"\0")) for watch, name in self._opened)
        seen = Seen([text_of(path) for path in paths], [text_of(path) or "." for path in self._listed])
        self._opened.clear()
        self._listed.clear()
        return seen

    def close(self) -> None:
        """Stop watching."""
        os.close(self.descriptor)
