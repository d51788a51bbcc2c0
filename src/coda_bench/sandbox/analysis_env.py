"""The analysis environment: the Python with its packages that agents find at `/opt/analysis` in every sandbox.

It is built once on each machine from a hashed lock file of this package, in two generations, and never
shares a file with the environment the harness runs in: that one holds the demo benchmark's golds.
"""

import fcntl
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from importlib.resources import files
from pathlib import Path

from coda_bench.errors import AnalysisEnvironmentMissing, BadInput
from coda_bench.layout import file_sha256
from coda_bench.records.record import Record, StoredRecord
from coda_bench.records.storage import read_json
from coda_bench.sandbox.analysis_build import build_into

GENERATIONS = ("current", "older", "oldest")
MANIFEST = "environment.json"


class AnalysisEnvironment(Record):
    """A built environment on this machine."""

    generation: str
    root: Path
    lock_sha256: str
    python_version: str


class EnvironmentManifest(StoredRecord):
    """`environment.json` of a built environment, written last: without it a directory is no environment."""

    generation: str
    lock_sha256: str
    python_version: str
    built_at: datetime
    packages: Mapping[str, str]
    """Versions by distribution name."""


def home() -> Path:
    """Return where this project keeps what it builds for the whole machine.

    `$CODA_BENCH_HOME`, else `coda-bench` below `$XDG_CACHE_HOME` or `~/.cache`.
    """
    if chosen := os.environ.get("CODA_BENCH_HOME"):
        return Path(chosen).expanduser().absolute()
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser().absolute() / "coda-bench"


def lock_file(generation: str) -> Path:
    """Return the lock file of a generation, with a hash of every file that may be installed.

    Raises:
        BadInput: there is no such generation.
    """
    if generation not in GENERATIONS:
        raise BadInput(f"analysis environment {generation!r}: the generations are {', '.join(GENERATIONS)}")
    return Path(str(files("coda_bench.sandbox"))) / "locks" / f"{generation}.lock"


def directory(generation: str) -> Path:
    """Return where the environment of this lock and this Python lies, built or not."""
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    return _environments() / f"{generation}-{_lock_sha256(generation)[:12]}-{python}"


def find(generation: str = "current") -> AnalysisEnvironment:
    """Return the built environment of a generation.

    Raises:
        AnalysisEnvironmentMissing: it was not built, or is damaged; the message says how to build it.
    """
    root = directory(generation)
    try:
        manifest = read_manifest(root)
    except BadInput as error:
        raise AnalysisEnvironmentMissing(
            f"no {generation} analysis environment at {root}; "
            f"run `coda-bench env build --generation {generation}` (a few minutes, once)"
        ) from error
    if manifest.lock_sha256 != _lock_sha256(generation) or not (root / "bin" / "python3").is_file():
        raise AnalysisEnvironmentMissing(
            f"{root}: damaged; run `coda-bench env build --generation {generation} --force`"
        )
    return AnalysisEnvironment(
        generation=generation,
        root=root,
        lock_sha256=manifest.lock_sha256,
        python_version=manifest.python_version,
    )


def read_manifest(root: Path) -> EnvironmentManifest:
    """Read what was installed in a built environment.

    Raises:
        BadInput: no environment there, or one of another format.
    """
    path = root / MANIFEST
    return EnvironmentManifest.from_stored(read_json(path), where=str(path))


def build(
    generation: str = "current", *, force: bool = False, progress: Callable[[str], None] = lambda _line: None
) -> AnalysisEnvironment:
    """Build a generation unless it is there already; a killed build leaves nothing that looks finished.

    Two builds of one generation at once are one build: the second waits and finds it done. With `force`
    it is built anew; sandboxes that run on the old one lose it.

    Raises:
        AnalysisEnvironmentNotBuilt: no network, pip, disk space or usable Python; the message says which.
    """
    root = directory(generation)
    with _only_builder(generation, progress=progress):
        if not force:
            try:
                return find(generation)
            except AnalysisEnvironmentMissing:
                pass
        _discard_unfinished(generation)
        unfinished = root.with_name(f".building-{generation}-{os.getpid()}")
        try:
            manifest = _built(generation, unfinished, progress=progress)
            _replace(root, unfinished)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
        progress(f"{generation}: done, Python {manifest.python_version}, {len(manifest.packages)} packages")
    return find(generation)


def built() -> list[Path]:
    """Return every built environment on this machine, also those of other locks and Pythons."""
    return sorted(path.parent for path in _environments().glob(f"[!.]*/{MANIFEST}"))


def remove(generation: str) -> list[Path]:
    """Remove every built environment of a generation and what killed builds left; return what went."""
    lock_file(generation)
    with _only_builder(generation, progress=lambda _line: None):
        _discard_unfinished(generation)
        gone = [path for path in built() if path.name.startswith(f"{generation}-")]
        for path in gone:
            # Without its manifest a half-removed environment is none.
            (path / MANIFEST).unlink()
            shutil.rmtree(path)
    return gone


def _built(generation: str, into: Path, *, progress: Callable[[str], None]) -> EnvironmentManifest:
    into.mkdir(parents=True)
    python_version, packages = build_into(
        into, lock_file(generation), progress=lambda line: progress(f"{generation}: {line}")
    )
    manifest = EnvironmentManifest(
        generation=generation,
        lock_sha256=_lock_sha256(generation),
        python_version=python_version,
        built_at=datetime.now().astimezone(),
        packages=packages,
    )
    (into / MANIFEST).write_text(manifest.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return manifest


def _replace(root: Path, new: Path) -> None:
    outdated = new.with_name(f"{new.name}-outdated")
    if root.exists():
        root.rename(outdated)
    new.rename(root)
    shutil.rmtree(outdated, ignore_errors=True)


def _discard_unfinished(generation: str) -> None:
    """Remove what killed builds left; the caller holds the builders' lock, so none of it is in use."""
    for left in _environments().glob(f".building-{generation}-*"):
        shutil.rmtree(left, ignore_errors=True)


@contextmanager
def _only_builder(generation: str, *, progress: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock that lets one process at a time build or remove a generation; the kernel drops it on a kill."""
    try:
        _environments().mkdir(parents=True, exist_ok=True)
        stream = (_environments() / f".{generation}.lock").open("a")
    except OSError as error:
        raise BadInput(f"{_environments()}: {error.strerror}; set CODA_BENCH_HOME to a writable directory") from error
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress(f"{generation}: another process is building it; waiting")
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def _environments() -> Path:
    return home() / "environments"


def _lock_sha256(generation: str) -> str:
    return file_sha256(lock_file(generation))
