"""Build: the demo release, from installed packages to a directory that `coda-bench run` takes."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata, resources
from pathlib import Path

from coda_bench.demo.catalog import Catalog, load_catalog
from coda_bench.demo.communities import data_card, write_communities
from coda_bench.demo.proof import prove_golds
from coda_bench.demo.tasks import DemoTask, load_demo_tasks
from coda_bench.errors import BadInput, CodaBenchError, MissingExtra
from coda_bench.layout import Release, file_sha256
from coda_bench.records.record import StoredRecord
from coda_bench.records.storage import read_json, write_atomically
from coda_bench.records.targets import Provenance, TargetFile
from coda_bench.sandbox.analysis_env import AnalysisEnvironment, find

BUILD_FILE = "build.json"
WRITERS = ("fpdf2", "openpyxl", "pyarrow")
"""Packages whose version shows in the bytes of converted files."""


class BuildRecord(StoredRecord):
    """`build.json` of a demo release: what it was built from and what came out."""

    inputs_sha256: str
    """Over this package's files, the versions of all packages used and the analysis environment's lock."""
    release_sha256: str
    """Over names and contents of all other files of the release."""


def build_release(out: Path, *, progress: Callable[[str], None] = lambda _line: None) -> Release:
    """Build the demo release at `out`, or return the one that is there when it is whole and up to date.

    The release appears in one step; a killed build leaves the old one, or nothing, under the name.

    Raises:
        AnalysisEnvironmentMissing: `coda-bench env build` was not run yet.
        BadInput: `out` exists and is no demo release, or an installed package lacks a file.
        GoldMismatch: a reference program does not compute the gold checked in for its task.
        MissingExtra: a package of the extra `demo` is not installed.
        SandboxError: this machine cannot run the reference programs.
    """
    catalog = load_catalog()
    environment = find("current")
    inputs = _inputs_sha256(catalog, environment)
    if _is_current(out, inputs):
        progress(f"{out} is up to date")
        return Release.open(out)
    with _replacing(out) as root:
        _write_release(catalog, root, environment, progress=progress)
        record = BuildRecord(inputs_sha256=inputs, release_sha256=_tree_sha256(root))
        (root / BUILD_FILE).write_text(record.model_dump_json(indent=2) + "\n", "utf-8")
    return Release.open(out)


def _write_release(
    catalog: Catalog, root: Path, environment: AnalysisEnvironment, *, progress: Callable[[str], None]
) -> None:
    write_communities(catalog, root, progress=progress)
    tasks = load_demo_tasks(catalog.communities)
    prove_golds(tasks, root / "communities", environment, progress=progress)
    _write_tasks(tasks, root / "coda_bench.json")
    _write_tasks([task for task in tasks if task.is_hard], root / "coda_bench_hard.json")
    _write_provenance(tasks, root, environment)
    write_atomically(root / "LICENSES.md", data_card(catalog))


def _write_tasks(tasks: Sequence[DemoTask], path: Path) -> None:
    rows = [task.to_task(number).to_row() for number, task in enumerate(tasks)]
    write_atomically(path, json.dumps(rows, ensure_ascii=False, indent=2) + "\n")


def _write_provenance(tasks: Sequence[DemoTask], root: Path, environment: AnalysisEnvironment) -> None:
    release = Release(root)
    manifests = {community: release.manifest(community) or [] for community in {task.community for task in tasks}}
    files = {(community, file.path): file for community, manifest in manifests.items() for file in manifest}
    lines = []
    for number, task in enumerate(tasks):
        targets = (files[task.community, path] for path in task.targets)
        row = Provenance(
            instance_id=number,
            target_files=tuple(TargetFile(**target.model_dump()) for target in targets),
            effective_lines=task.effective_lines,
            derivation=task.derivation,
            environment_lock=environment.lock_sha256,
        )
        lines.append(row.model_dump_json() + "\n")
    write_atomically(release.provenance_file, "".join(lines))


def _is_current(out: Path, inputs_sha256: str) -> bool:
    record = _record_of(out)
    return record is not None and record.inputs_sha256 == inputs_sha256 and record.release_sha256 == _tree_sha256(out)


def _record_of(out: Path) -> BuildRecord | None:
    path = out / BUILD_FILE
    try:
        return BuildRecord.from_stored(read_json(path), where=str(path))
    except CodaBenchError:
        return None


def _tree_sha256(root: Path) -> str:
    """Hash names and contents of all files below `root` except the build record."""
    digest = hashlib.sha256()
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        name = path.relative_to(root).as_posix()
        if name != BUILD_FILE:
            digest.update(f"{name}\0{file_sha256(path)}\n".encode())
    return digest.hexdigest()


def _inputs_sha256(catalog: Catalog, environment: AnalysisEnvironment) -> str:
    distributions = sorted({*(package.distribution for package in catalog.packages.values()), *WRITERS})
    with resources.as_file(resources.files(__package__)) as folder:
        sources = [file for file in sorted(folder.rglob("*")) if file.suffix in {".py", ".toml"}]
        lines = [f"{file.relative_to(folder).as_posix()} {file_sha256(file)}" for file in sources]
    lines += [f"{name} {_version(name)}" for name in distributions]
    lines.append(environment.lock_sha256)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError as error:
        raise MissingExtra(f"the demo needs {distribution}: pip install 'coda-bench[demo]'") from error


@contextmanager
def _replacing(out: Path) -> Iterator[Path]:
    """Yield an empty sibling directory that takes the place of `out` when the block ends well."""
    if out.exists() and not (out / BUILD_FILE).is_file() and (not out.is_dir() or any(out.iterdir())):
        raise BadInput(f"{out}: exists and is not a demo release; name another directory or remove it")
    _remove_left_behind(out)
    new = out.with_name(f".{out.name}.building-{os.getpid()}")
    old = out.with_name(f".{out.name}.replaced-{os.getpid()}")
    new.mkdir(parents=True)
    try:
        yield new
        if out.exists():
            out.rename(old)
        new.rename(out)
    finally:
        shutil.rmtree(new, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _remove_left_behind(out: Path) -> None:
    """Remove what builds of `out` left that were killed; those of living processes stay."""
    for folder in out.parent.glob(f".{out.name}.*-*"):
        kind, _, process = folder.name.removeprefix(f".{out.name}.").partition("-")
        if kind in {"building", "replaced"} and process.isdigit() and not Path(f"/proc/{process}").exists():
            shutil.rmtree(folder, ignore_errors=True)
