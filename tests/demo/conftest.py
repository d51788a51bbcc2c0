"""Plain readers of the demo release's files.

The readers use nothing but the standard library, so that golds are recomputed by other means than the
reference programs use.
"""

import bz2
import csv
import gzip
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from coda_bench.demo.catalog import load_catalog
from coda_bench.demo.tasks import load_demo_tasks

Rows = list[dict[str, str]]


@pytest.fixture(scope="session")
def golds() -> dict[str, str]:
    """Checked-in answers by program name."""
    return {task.program: task.answer for task in load_demo_tasks(load_catalog().themes)}


@pytest.fixture(scope="session")
def data_file(release) -> Callable[[str], Path]:
    """Find a file of the release by its path below the community's folder."""

    def find(name: str) -> Path:
        (path,) = release.root.glob(f"communities/*/full_community/{name}")
        return path

    return find


@pytest.fixture(scope="session")
def text(data_file) -> Callable[[str], str]:
    """Read a text file of the release, decompressed where its ending says so."""

    def read(name: str) -> str:
        path = data_file(name)
        unpack = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".zip": _only_member}.get(path.suffix, bytes)
        return unpack(path.read_bytes()).decode("utf-8-sig")

    return read


def _only_member(content: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        (name,) = archive.namelist()
        return archive.read(name)


@pytest.fixture(scope="session")
def rows(text) -> Callable[..., Rows]:
    """Read a CSV file of the release as dictionaries of text."""

    def read(name: str, **options: object) -> Rows:
        return list(csv.DictReader(io.StringIO(text(name)), **options))

    return read
