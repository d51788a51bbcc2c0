"""The commands' views of the community, and what becomes of those that outlive their command.

A command can hand another one that runs beside it an open directory of its own view. Then the view is not gone when
its command is. It stays watched until the kernel says that nobody holds it any more, and what is opened through it
counts for every command that runs meanwhile: one of them it was.
"""

import os
import select
import threading

from coda_bench.sandbox.holder import kernel
from coda_bench.sandbox.holder.room import places
from coda_bench.sandbox.holder.trackers.inotify import InotifyTracker
from coda_bench.sandbox.holder.trackers.notify import NotifyTracker
from coda_bench.sandbox.holder.trackers.seen import Seen, Tracker

_USUAL_END_MS = 1000
"""A view that nobody holds is gone some milliseconds after its command."""


def mount_overlay(path: str) -> None:
    """Mount the community read-only on `path`."""
    kernel.overlay(places.COMMUNITY, path, empty=places.EMPTY)


class View:
    """A private mount of the community, watched when the command counts."""

    def __init__(self, path: str, kind: str, directories: list[bytes], *, tracked: bool) -> None:
        """Mount the community on `path`.

        Args:
            path: a directory to make.
            kind: the tracker: `overlay_inotify`, `seccomp_notify` or `none`.
            directories: of the community, relative to it.
            tracked: False for the harness's own commands.

        Raises:
            OSError: the mount is refused.
        """
        os.mkdir(path)
        self.path = path
        self.tracker: Tracker | None = None
        self.complete = kind != "none"
        self.late = Seen([], [])
        """What was opened meanwhile through views of commands that have ended."""
        if kind == "overlay_inotify":
            mount_overlay(path)
        else:
            kernel.mount(places.COMMUNITY, path, None, flags=kernel.MS_BIND | kernel.MS_REC)
        if tracked and kind != "none":
            self._watch(kind, directories)

    def _watch(self, kind: str, directories: list[bytes]) -> None:
        try:
            self.tracker = NotifyTracker() if kind == "seccomp_notify" else InotifyTracker(self.path, directories)
        except OSError:
            self.complete = False  # the machine's inotify limits are reached: not measured, never guessed

    @property
    def notify(self) -> NotifyTracker | None:
        """The tracker, where the command has to be started for it in a way of its own."""
        return self.tracker if isinstance(self.tracker, NotifyTracker) else None

    def drain(self) -> None:
        """Take what has happened so far."""
        if self.tracker:
            self.tracker.drain()

    def seen(self) -> tuple[Seen, bool]:
        """Return what the command opened and listed, and whether that is all."""
        if self.tracker is None:
            return self.late, self.complete
        return self.tracker.take().merged(self.late), self.complete and self.tracker.complete

    def unmount(self) -> None:
        """Take the mount out of the holder's tree; who holds something of it keeps that."""
        kernel.detach(self.path)
        os.rmdir(self.path)


class Views:
    """The views of one sandbox; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[View] = set()
        self._outliving: list[View] = []

    def begin(self, view: View) -> None:
        """Count a command among those that run."""
        with self._lock:
            self._running.add(view)

    def end(self, view: View) -> tuple[Seen, bool]:
        """Return what a command opened and listed, and whether that is all, once its last process is gone."""
        with self._lock:
            self._settle()
            self._running.discard(view)
            view.drain()
            seen, complete = view.seen()
            if view.tracker and not view.notify:
                self._outliving.append(view)
        return seen, complete

    def settle(self) -> None:
        """Charge the running commands with what was opened through views that have outlived their command."""
        if self._outliving:
            with self._lock:
                self._settle()

    def _settle(self) -> None:
        for view in self._outliving:
            view.drain()
            late, complete = view.seen()
            view.late = Seen([], [])
            for running in self._running:
                running.late = running.late.merged(late)
                running.complete = running.complete and complete
        for view in [view for view in self._outliving if view.tracker and view.tracker.ended]:
            self._forget(view)

    def _forget(self, view: View) -> None:
        if view in self._outliving:
            self._outliving.remove(view)
        if view.tracker:
            view.tracker.close()
            view.tracker = None

    def release(self, view: View) -> None:
        """Unmount a command's view and stop watching it: now if nobody holds it, else when that is so."""
        view.unmount()
        with self._lock:
            if view.tracker is None:
                return
            if view.notify:
                self._forget(view)
                return
            # One of our own: another thread may find the end first, and close the tracker's.
            waiting = os.dup(view.tracker.descriptor)
        poller = select.poll()
        poller.register(waiting, select.POLLIN)
        poller.poll(_USUAL_END_MS)
        os.close(waiting)
        self.settle()
