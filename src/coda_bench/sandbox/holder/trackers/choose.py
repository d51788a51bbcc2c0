"""Choosing a tracker by trying."""

import os
import threading
from typing import NamedTuple

from coda_bench.sandbox.holder import kernel
from coda_bench.sandbox.holder.room import places
from coda_bench.sandbox.holder.trackers import probe
from coda_bench.sandbox.holder.trackers.inotify import InotifyTracker
from coda_bench.sandbox.holder.trackers.views import mount_overlay


class Choice(NamedTuple):
    """The tracker of a sandbox and what there is to say about it."""

    kind: str
    notes: list[str]


def choose(wanted: str, directories: list[bytes]) -> Choice:
    """Return the tracker that works here.

    Args:
        wanted: the only one to try; empty for the first that works.
        directories: of the community, relative to it.
    """
    if wanted == "none":
        return Choice("none", ["file access is not tracked: switched off"])
    reasons: list[str] = []
    tries = {"overlay_inotify": lambda: _why_no_overlay(directories), "seccomp_notify": probe.why_not}
    for kind, why_not in tries.items():
        if wanted not in {"", kind}:
            continue
        reason = why_not()
        if not reason:
            return Choice(kind, _remarks(kind, reasons))
        reasons.append(reason)
    return Choice("none", [f"file access is not tracked: {'; '.join(reasons)}"])


def _remarks(kind: str, reasons: list[str]) -> list[str]:
    remarks = [f"file access is tracked by {kind}: {reason}" for reason in reasons]
    if kind == "seccomp_notify":
        # Both follow from a mount that is not the command's own.
        remarks.append("commands can read where the community lies on the host, and attempts share its files' locks")
    return remarks


def _why_no_overlay(directories: list[bytes]) -> str:
    """Return why there can be no watched overlay, or an empty text."""
    path = f"{places.VIEWS}/probe"
    os.mkdir(path)
    try:
        mount_overlay(path)
    except OSError as error:
        os.rmdir(path)
        return f"no overlay mount ({error})"
    try:
        tracker = InotifyTracker(path, directories)
    except OSError as error:
        _unmount(path)
        return f"no inotify watches ({error})"
    # The kernel takes many milliseconds to forget watches: nobody has to wait for it.
    threading.Thread(target=_forget, args=(tracker, path), daemon=True).start()
    return ""


def _forget(tracker: InotifyTracker, path: str) -> None:
    tracker.close()
    _unmount(path)


def _unmount(path: str) -> None:
    kernel.detach(path)
    os.rmdir(path)
