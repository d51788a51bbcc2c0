"""Folders that were being made when their maker was killed."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from coda_bench.sandbox.analysis_env import home
from coda_bench.sandbox.cleanup.leftover import Leftover
from coda_bench.sandbox.cleanup.owner import started

TEMPORARY = "coda-bench-{process}-"
"""How temporary folders of this project begin."""
_UNFINISHED = re.compile(r"\.(?:building-[a-z]+|[^/]+\.(?:building|replaced))-(?P<process>\d+)")
_TEMPORARY = re.compile(r"coda-bench-(?P<process>\d+)-.*")


def find(places: Sequence[Path]) -> list[Leftover]:
    """Return folders named for a process that has ended and owned by this user."""
    here = {path.resolve() for path in (home(), home() / "environments", Path.cwd(), *places) if path.is_dir()}
    found = [
        *(path for folder in sorted(here) for path in _named(folder, _UNFINISHED)),
        *_named(Path(tempfile.gettempdir()), _TEMPORARY),
    ]
    return [Leftover(kind="folder", where=str(path), detail="half-made; its maker has ended") for path in found]


def _named(folder: Path, pattern: re.Pattern[str]) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        match = pattern.fullmatch(path.name)
        if match and _is_mine(path) and started(int(match["process"])) is None:
            yield path


def _is_mine(path: Path) -> bool:
    """Whether a folder (no link to one) belongs to this user."""
    return path.is_dir() and not path.is_symlink() and path.stat().st_uid == os.geteuid()


def remove(leftover: Leftover) -> None:
    """Remove a folder with all that is in it; links in it are not followed.

    Raises:
        OSError: this user may not.
    """
    shutil.rmtree(leftover.where)
