"""The folders that a job finds: real and writable ones, in which every file is a link to the data.

What is there can be read and not changed; new files can be made beside it. A file that was never read may be written
anew, as programs do with the outputs of their last run: its link is taken away. One that was read is an input, and to
write over it fails.
"""

import os
import shutil
from collections.abc import Iterable

DATA = "/data/"
MOST_ENTRIES = 4000
"""Of all folders together; deeper ones are links as a whole, and read-only."""


def furnish(links: Iterable[tuple[str, str]]) -> None:
    """Make places that lead to targets; an empty target means a folder of its own."""
    left = MOST_ENTRIES
    for place, target in links:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if not target:
            os.makedirs(place, exist_ok=True)
        elif target.startswith(DATA) and os.path.isdir(target) and not os.path.islink(target):
            left = _mirror(place, target, left)
        else:
            os.symlink(target, place)


def _mirror(place: str, target: str, left: int) -> int:
    """Make a folder like another one, with links to its files; return how many entries there is still room for."""
    entries = sorted(os.scandir(target), key=lambda entry: entry.name)
    if len(entries) > left:
        os.symlink(target, place)
        return left
    left -= len(entries)
    os.makedirs(place, exist_ok=True)
    for entry in entries:
        inner = os.path.join(place, entry.name)
        if entry.is_dir(follow_symlinks=False):
            left = _mirror(inner, entry.path, left)
        else:
            os.symlink(entry.path, inner)
    return left


def before_writing(path: str, mode: str, read: set[str]) -> None:
    """Make room for a file that is about to be written where a link to the data stands, unless it was read."""
    real = os.path.realpath(path)
    if not (os.path.islink(path) and real.startswith(DATA)) or real in read:
        return
    os.unlink(path)
    if "w" not in mode and "x" not in mode and os.path.isfile(real):
        shutil.copyfile(real, path)
