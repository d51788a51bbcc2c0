"""Showing parts of the host inside without showing where on the host they lie.

A plain bind tells: `/proc/self/mountinfo` holds the bound directory's path on its file system. An overlay mount tells
the paths it was given, and those are the stage's.
"""

import os
import stat
from contextlib import suppress
from typing import NamedTuple

from coda_bench.sandbox.holder import kernel
from coda_bench.sandbox.holder.room import places

_DEVICES = f"{places.ROOT}/dev/"


class Source(NamedTuple):
    """Something of the host to show: held open, since its path may soon be covered by the stage."""

    descriptor: int
    target: str
    folder: int | None = None
    """For a file: its directory, held open too."""


def opened(path: str, target: str) -> Source:
    """Hold what is at `path` of the host, to be shown at `target`."""
    found = os.open(path, os.O_PATH | os.O_CLOEXEC)
    folder = None
    if stat.S_ISREG(os.fstat(found).st_mode):
        folder = os.open(os.path.dirname(path) or "/", os.O_PATH | os.O_CLOEXEC)
    return Source(found, target, folder)


def bind(source: Source) -> None:
    """Bind a source, with what is mounted below it, read-only; its path on the host's disk can be read."""
    _make_target(source)
    flags = kernel.MS_BIND | kernel.MS_REC
    kernel.mount(f"/proc/self/fd/{source.descriptor}", source.target, None, flags=flags)
    kernel.restrict(source.target, devices=source.target.startswith(_DEVICES))
    _close(source)


def show(source: Source, number: int, *, name: str) -> bool:
    """Show a source read-only; returns whether its path on the host stays hidden, which needs overlay mounts.

    Args:
        source: a directory or a file; anything else, such as a socket, is bound.
        number: one that no other source of this sandbox has.
        name: what a file is called in its directory.
    """
    is_directory = stat.S_ISDIR(os.fstat(source.descriptor).st_mode)
    lower, layered = f"{places.SOURCES}/{number}", f"{places.SOURCES}/{number}-shown"
    held = source.descriptor if is_directory else source.folder
    if held is not None:
        with suppress(OSError):
            os.mkdir(lower)
            kernel.mount(f"/proc/self/fd/{held}", lower, None, flags=kernel.MS_BIND | kernel.MS_REC)
            kernel.restrict(lower)
            if is_directory:
                _make_target(source)
                kernel.overlay(lower, source.target, empty=places.EMPTY)
            else:
                os.mkdir(layered)
                kernel.overlay(lower, layered, empty=places.EMPTY)
                bind(Source(os.open(f"{layered}/{name}", os.O_PATH | os.O_CLOEXEC), source.target))
            _close(source)
            return True
    bind(source)
    return False


def _make_target(source: Source) -> None:
    os.makedirs(os.path.dirname(source.target), exist_ok=True)
    if stat.S_ISDIR(os.fstat(source.descriptor).st_mode):
        os.makedirs(source.target, exist_ok=True)
    elif not os.path.exists(source.target):
        os.close(os.open(source.target, os.O_CREAT | os.O_CLOEXEC, 0o644))


def _close(source: Source) -> None:
    os.close(source.descriptor)
    if source.folder is not None:
        os.close(source.folder)
