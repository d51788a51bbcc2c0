"""The program of the container that watches: what is opened in the attempt's overlay, by the marks of its commands.

It shares nothing with the commands but the overlay, so they can neither see nor starve it. Events carry no process:
what is opened while several commands run counts for each of them.
"""

import os
import select
import socket

from coda_bench.sandbox.container.inside.words import Mark, Marked
from coda_bench.sandbox.holder.trackers.inotify import InotifyTracker, directories_of
from coda_bench.sandbox.holder.trackers.seen import Seen
from coda_bench.sandbox.holder.wire import Ready, receive, send

_DATA = "/data"


def main(control: socket.socket) -> None:
    """Watch until the harness has closed the control socket or died."""
    if receive(control) is None:
        return
    try:
        tracker = InotifyTracker(_DATA, directories_of(os.fsencode(_DATA)))
    except PermissionError as error:
        send(control, _ready("reading of the community", f"{error} by user {os.getuid()} (chmod -R a+rX helps)"))
        return
    except OSError as error:
        send(control, _ready("", f"no inotify watches ({error})"))
        return
    send(control, _ready("", ""))
    _Watch(tracker).serve(control)


def _ready(step: str, problem: str) -> Ready:
    return Ready(
        step=step,
        problem=problem,
        pid=os.getpid(),
        tracker="none" if problem else "overlay_inotify",
        uid=os.getuid(),
        notes=[],
        memory_by="",
        cpus=[],
    )


class _Watch:
    """What each running command has had opened so far."""

    def __init__(self, tracker: InotifyTracker) -> None:
        self._tracker = tracker
        self._running: dict[int, Seen] = {}
        self._complete: dict[int, bool] = {}

    def serve(self, control: socket.socket) -> None:
        """Take events as they come, and marks."""
        poller = select.poll()
        for descriptor in (control.fileno(), self._tracker.descriptor):
            poller.register(descriptor, select.POLLIN)
        while True:
            ready = {descriptor for descriptor, _ in poller.poll()}
            self._tracker.drain()
            if control.fileno() in ready:
                fields = receive(control)
                if fields is None:
                    return
                send(control, self._marked(Mark(**fields)))

    def _marked(self, mark: Mark) -> Marked:
        self._settle()
        if mark.begins:
            self._running[mark.number], self._complete[mark.number] = Seen([], []), True
            return Marked(complete=True, listed=[], opened=[])
        seen = self._running.pop(mark.number)
        return Marked(complete=self._complete.pop(mark.number), listed=seen.listed, opened=seen.opened)

    def _settle(self) -> None:
        """Give what has been seen since the last mark to the commands that were running."""
        seen = self._tracker.take()
        for number, before in self._running.items():
            self._running[number] = before.merged(seen)
            self._complete[number] = self._complete[number] and self._tracker.complete
        self._tracker.complete = True  # what was lost concerns those that were running, not later ones
