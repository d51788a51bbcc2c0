"""Folders that hold only some files of a community, each where it lies there: what a sandbox is to see, and no more."""

import os
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from coda_bench.errors import BadInput


@contextmanager
def staged(data: Path, files: Collection[str], *, instead: Mapping[str, str] | None = None) -> Iterator[Path]:
    """Yield a folder with some files of `data`, by hard links where the disk allows them.

    Args:
        data: the folder of all files.
        files: paths relative to it.
        instead: by path, the file whose content stands there.

    Raises:
        BadInput: a file is missing, or is a link or no file.
    """
    with tempfile.TemporaryDirectory(prefix="coda-bench-staged-") as name:
        folder = Path(name, "data")
        folder.mkdir()
        for file in sorted(files):
            _place(inside(data, (instead or {}).get(file, file)), folder / file)
        yield folder


def inside(data: Path, file: str) -> Path:
    """Return a file below a folder.

    Raises:
        BadInput: it is missing, no file, or reached through a link.
    """
    path = data / file
    if ".." in Path(file).parts or path.is_symlink() or not path.is_file():
        raise BadInput(f"{path}: no such file of the community")
    return path


def _place(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:  # another disk, or one without hard links
        shutil.copyfile(source, target)
