"""The demo release, built once for all tests of this folder, and plain readers of its files.

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

from coda_bench.demo.build import build_release
from coda_bench.demo.catalog import load_catalog
from coda_bench.demo.tasks import load_demo_tasks
from coda_bench.errors import AnalysisEnvironmentMissing, SandboxUnavailable
from coda_bench.layout import Release

Rows = list[dict[str, str]]


@pytest.fixture(scope="session")
def release(tmp_path_factory) -> Release:
    try:
        return build_release(tmp_path_factory.mktemp("demo") / "release")
    except AnalysisEnvironmentMissing:
        pytest.skip("the analysis environment is not built: run `coda-bench env build`")
    except SandboxUnavailable as error:
        pytest.skip(f"no sandbox on this machine: {error}")


@pytest.fixture(scope="session")
def golds() -> dict[str, str]:
    """Checked-in answers by program name."""
    return {task.program: task.answer for task in load_demo_tasks(load_catalog().communities)}


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
