"""Build: the demo release, from installed packages to a directory that `coda-bench run` takes.

The corpus is written (`corpus.py`), its communities are found and laid out by whoever is given as `construct`, the
tasks are set in the communities that hold their data (`homes.py`), and their golds are proven there (`proof.py`).
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import metadata, resources
from pathlib import Path
from typing import NamedTuple, Protocol

from coda_bench.demo.catalog import Catalog, load_catalog
from coda_bench.demo.corpus import write_corpus
from coda_bench.demo.datasets import data_card
from coda_bench.demo.homes import HomedTask, find_homes
from coda_bench.demo.notebook_sources import older_generations
from coda_bench.demo.proof import prove_golds
from coda_bench.demo.tasks import load_demo_tasks
from coda_bench.errors import AnalysisEnvironmentMissing, BadInput, CodaBenchError, MissingExtra
from coda_bench.layout import Release, file_sha256
from coda_bench.records.record import StoredRecord
from coda_bench.records.storage import read_json, write_atomically
from coda_bench.records.targets import Provenance, TargetFile
from coda_bench.sandbox.analysis_env import AnalysisEnvironment, find

BUILD_FILE = "build.json"
LIBRARIES = ("charset-normalizer", "duckdb", "fpdf2", "igraph", "openpyxl", "puremagic", "pyarrow")
"""Packages whose version shows in the bytes of a release: what converts files, finds communities and profiles them."""
_OPTIONAL = ("wordllama",)
_KEPT = ("full_community", "manifest.jsonl", "profile.jsonl", "findings.jsonl", "environment.json")
"""What of a laid out community goes into the release: the rest tells of this machine."""

SetTasks = Callable[[Mapping[str, Sequence[str]]], Sequence[HomedTask]]
"""Sets the tasks in communities, given the data sets of each."""


class Construct(Protocol):
    """Builds the environments of a corpus: the construct stage, which the demo does not know."""

    def __call__(self, corpus: Path, out: Path, set_tasks: SetTasks, *, progress: Callable[[str], None]) -> Path:
        """Find the communities of the corpus and lay them out below `out`; return the folder with `communities/`."""


class MakeTasks(Protocol):
    """Makes the tasks of a release from the notebooks: the tasks stage, which the demo does not know either."""

    def __call__(self, corpus: Path, built: Path, release: Path, *, progress: Callable[[str], None]) -> None:
        """Write task files and provenance into a release whose communities are in place."""


class BuildRecord(StoredRecord):
    """`build.json` of a demo release: what it was built from and what came out."""

    inputs_sha256: str
    """Over this package's files, the versions of all packages used and the analysis environment's Python and lock."""
    release_sha256: str
    """Over names and contents of all other files of the release."""


def build_release(
    out: Path,
    construct: Construct,
    make: MakeTasks | None = None,
    *,
    progress: Callable[[str], None] = lambda _line: None,
) -> Release:
    """Build the demo release at `out`, or return the one that is there when it is whole and up to date.

    Its tasks come from proven results of the project's notebooks where there is a `make`, and are the hand-written ones
    of this package otherwise.

    The release appears in one step; a killed build leaves the old one, or nothing, under the name. Where an older
    generation of the analysis environment is missing, the notebooks that need it are not run: `progress` tells, and no
    byte of the release is another.

    Raises:
        AnalysisEnvironmentMissing: `coda-bench env build` was not run yet.
        BadInput: `out` exists and is no demo release, an installed package lacks a file, or the data of a task
            lie in no one community.
        GoldMismatch: a reference program does not compute the gold checked in for its task.
        MissingExtra: a package of the extra `demo` is not installed.
        SandboxError: this machine cannot run the notebooks or the reference programs.
    """
    catalog = load_catalog()
    environment = find("current")
    inputs = _inputs_sha256(catalog, environment, "by hand" if make is None else "proven")
    if _is_current(out, inputs):
        progress(f"{out} is up to date")
        return Release.open(out)
    with _replacing(out) as root:
        _write_release(catalog, root, Stages(construct, make), environment, progress=progress)
        record = BuildRecord(inputs_sha256=inputs, release_sha256=_tree_sha256(root))
        (root / BUILD_FILE).write_text(record.model_dump_json(indent=2) + "\n", "utf-8")
    return Release.open(out)


class Stages(NamedTuple):
    """The stages of a build that lie outside the demo."""

    construct: Construct
    make: MakeTasks | None


def _write_release(
    catalog: Catalog,
    root: Path,
    stages: Stages,
    environment: AnalysisEnvironment,
    *,
    progress: Callable[[str], None],
) -> None:
    tasks = load_demo_tasks(catalog.themes)
    with _workplace(root) as work:
        corpus = work / "corpus"
        write_corpus(corpus, environments={"current": environment, **_older(progress)}.get, progress=progress)
        set_tasks = partial(find_homes, tasks)
        built = stages.construct(corpus, work / "build", set_tasks, progress=progress)
        _take_communities(built / "communities", root / "communities")
        if stages.make is not None:
            stages.make(corpus, work / "build", root, progress=progress)
    members = _members(root / "communities")
    if stages.make is None:
        homed = find_homes(tasks, members)
        prove_golds(homed, root / "communities", environment, progress=progress)
        _write_tasks(homed, root / "coda_bench.json")
        _write_tasks([one for one in homed if one.task.is_hard], root / "coda_bench_hard.json")
        _write_provenance(homed, root, environment)
    card = data_card(catalog, {slug: community for community, slugs in members.items() for slug in slugs})
    write_atomically(root / "LICENSES.md", card)


def _older(progress: Callable[[str], None]) -> dict[str, AnalysisEnvironment]:
    """Find the generations beside the current one that notebooks are run in, where they are built."""
    found = {}
    for generation in older_generations():
        try:
            found[generation] = find(generation)
        except AnalysisEnvironmentMissing as missing:
            progress(f"some notebooks are not run: {missing}")
    return found


@contextmanager
def _workplace(root: Path) -> Iterator[Path]:
    """Yield a directory that goes with the block; inside the unfinished release, so that files can be links."""
    work = root / ".work"
    work.mkdir()
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _take_communities(built: Path, into: Path) -> None:
    for community in sorted(path for path in built.iterdir() if (path / "full_community").is_dir()):
        folder = into / community.name
        folder.mkdir(parents=True)
        for name in _KEPT:
            (community / name).rename(folder / name)


def _members(communities: Path) -> dict[str, list[str]]:
    """Return the slugs of the data sets of each community."""
    return {
        community.name: sorted(path.name for path in (community / "full_community").iterdir())
        for community in sorted(communities.iterdir())
    }


def _write_tasks(homed: Sequence[HomedTask], path: Path) -> None:
    rows = [one.task.to_task(number, one.community).to_row() for number, one in enumerate(homed)]
    write_atomically(path, json.dumps(rows, ensure_ascii=False, indent=2) + "\n")


def _write_provenance(homed: Sequence[HomedTask], root: Path, environment: AnalysisEnvironment) -> None:
    release = Release(root)
    manifests = {community: release.manifest(community) or [] for community in {one.community for one in homed}}
    files = {(community, file.path): file for community, manifest in manifests.items() for file in manifest}
    lines = []
    for number, task, community in homed:
        targets = (files[community, path] for path in task.targets)
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


def _inputs_sha256(catalog: Catalog, environment: AnalysisEnvironment, tasks: str) -> str:
    distributions = {*(package.distribution for package in catalog.packages.values()), *LIBRARIES}
    with resources.as_file(resources.files("coda_bench")) as folder:
        sources = [file for file in sorted(folder.rglob("*")) if file.suffix in {".py", ".py2", ".toml"}]
        lines = [f"{file.relative_to(folder).as_posix()} {file_sha256(file)}" for file in sources]
    lines += [f"{name} {_version(name)}" for name in sorted(distributions)]
    lines += [f"{name} {_version(name)}" for name in _OPTIONAL if _is_installed(name)]
    lines.append(f"{environment.python_version} {environment.lock_sha256} {tasks}")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _is_installed(distribution: str) -> bool:
    return any(metadata.distributions(name=distribution))


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
