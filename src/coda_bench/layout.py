"""Where things lie: a release on disk, a run directory, and the one spelling of a path inside a community.

A release holds `coda_bench.json` (optionally `coda_bench_hard.json`), `provenance.jsonl` and its
communities in one of the two published layouts, `data/<community>/full_community/` or
`communities/<community>/full_community/`.
"""

import hashlib
import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import ValidationError

from coda_bench.errors import BadInput, CommunityMissing
from coda_bench.records.record import first_problem
from coda_bench.records.storage import read_json_lines
from coda_bench.records.targets import DataFile, load_targets
from coda_bench.records.task import Task, load_tasks

IGNORED_NAMES = frozenset({"dataset-metadata.json"})
"""Files that never count for discovery: Kaggle's own metadata, present in every data set."""


@dataclass(frozen=True)
class Release:
    """A release directory; nothing is read until asked for."""

    root: Path

    @classmethod
    def open(cls, root: str | Path) -> "Release":
        """Check that `root` looks like a release.

        Raises:
            BadInput: no such directory, or no task file in it.
        """
        release = cls(Path(root).resolve())
        if not release.task_file.is_file():
            raise BadInput(f"{root}: not a release directory (no coda_bench.json in it)")
        return release

    @property
    def task_file(self) -> Path:
        """The full task file."""
        return self.root / "coda_bench.json"

    @property
    def hard_file(self) -> Path:
        """The Hard subset, with ids of its own numbering."""
        return self.root / "coda_bench_hard.json"

    @property
    def provenance_file(self) -> Path:
        """Targets and derivations; absent in the public release."""
        return self.root / "provenance.jsonl"

    def tasks(self) -> list[Task]:
        """Read the full task file."""
        return load_tasks(self.task_file)

    def targets(self) -> dict[int, tuple[str, ...]]:
        """Return target paths by instance id; empty when the release has no provenance."""
        return load_targets(self.provenance_file) if self.provenance_file.is_file() else {}

    def community_directory(self, community: str) -> Path:
        """Return the `full_community` directory of a community.

        Raises:
            CommunityMissing: the community is not on this disk.
            BadInput: its name is not a plain name.
        """
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", community):
            raise BadInput(f"community {community!r}: not a plain directory name")
        for folder in _COMMUNITY_FOLDERS:
            directory = self.root / folder / community / "full_community"
            if directory.is_dir():
                return directory
        raise CommunityMissing(
            f"{self.root}: community {community} is not here "
            f"(looked in communities/ and data/); extract its archive first"
        )

    def manifest_file(self, community: str) -> Path:
        """Return the manifest beside `full_community`, where no sandbox can see it."""
        return self.community_directory(community).parent / "manifest.jsonl"

    def manifest(self, community: str) -> list[DataFile] | None:
        """Return the files of a community with sizes and hashes, or None when no manifest was stored."""
        path = self.manifest_file(community)
        if not path.is_file():
            return None
        return [_data_file(row, f"{path}:{number}") for number, row in read_json_lines(path)]


def _data_file(row: Any, where: str) -> DataFile:
    try:
        return DataFile.model_validate(row)
    except ValidationError as error:
        raise BadInput(f"{where}: {first_problem(error)}") from error


_COMMUNITY_ROOT = re.compile(
    r"^(?:(?:.*/)?(?P<folder>[^/]+)/)?(?P<community>[^/]+)/full_community/(?P<rest>.+)$", re.DOTALL
)
_PREFIXES = ("/data/", "/workspace/data/", "full_community/")
_COMMUNITY_FOLDERS = ("communities", "data")
_SEPARATORS = re.compile(r"[-_\s]+")
_UP_TO_DATA = re.compile(r"^(?:\.\./)+data/")


def community_path(raw: str, *, community: str) -> str | None:
    """Map a reported path to its community path, or None when it cannot lie in this community.

    Accepted: community paths themselves, `<community>/full_community/…` below any prefix (such as
    `data/`, `communities/`, an absolute one), `/data/…` and `/workspace/data/…` (the paths inside our
    sandbox and inside the released container), `../data/…` as written from `/workspace`, and `file://`
    of these; `.` parts are resolved, `..` that leaves the community is refused.
    """
    text = raw.strip().removeprefix("file://").replace("\\", "/")
    found = _COMMUNITY_ROOT.match(text)
    if found and found["community"] == community:
        return _normal(found["rest"])
    if found and found["folder"] in {*_COMMUNITY_FOLDERS, ".."}:
        return None
    text = _UP_TO_DATA.sub("/data/", text)
    text = "/" + posixpath.normpath(text).lstrip("/") if text.startswith("/") else text.removeprefix("./")
    prefix = next((p for p in _PREFIXES if text.startswith(p)), "")
    text = text.removeprefix(prefix)
    return None if text.startswith("/") else _normal(text)


def _normal(text: str) -> str | None:
    parts: list[str] = []
    for part in PurePosixPath(text).parts:
        if part == "..":
            if not parts:
                return None
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts) or None


def comparison_key(path: str) -> str:
    """Return what two spellings of one community path share; no path is spelt like a key.

    The released reference code writes slugs with underscores where directories have hyphens, and puts
    `source/` between data set and file or not. So of the data set's name, letters, digits and dots count;
    below it case is kept out and runs of `-`, `_` and blanks are alike, but `data (1).csv` stays apart
    from `data1.csv`.
    """
    data_set, *parts = path.split("/")
    if parts[:1] == ["source"] and parts[1:]:
        del parts[0]
    slug = "".join(letter for letter in data_set.casefold() if letter.isalnum() or letter == ".")
    names = [part if _SEPARATORS.fullmatch(part) else _SEPARATORS.sub("-", part.casefold()) for part in parts]
    return ":" + "/".join([slug if names and slug else data_set.casefold(), *names])


def counts_for_discovery(path: str) -> bool:
    """Whether a file counts when discovery is scored."""
    return PurePosixPath(path).name not in IGNORED_NAMES


def content_classes(files: Iterable[DataFile]) -> Mapping[str, str]:
    """Map each file to its content hash, so that copies of one file are the same target.

    Keys are the community paths, and their comparison keys where all files that share one are copies.
    """
    known = list(files)
    by_key: dict[str, set[str]] = {}
    for file in known:
        by_key.setdefault(comparison_key(file.path), set()).add(file.sha256)
    classes = {key: next(iter(hashes)) for key, hashes in by_key.items() if len(hashes) == 1}
    return classes | {file.path: file.sha256 for file in known}


def file_sha256(path: Path) -> str:
    """Return the sha256 of a file's bytes as hex digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@dataclass(frozen=True)
class RunDirectory:
    """The files of one run."""

    root: Path

    @property
    def config_file(self) -> Path:
        """Everything needed to repeat the run."""
        return self.root / "run.json"

    @property
    def journal_file(self) -> Path:
        """One line an attempt, append-only."""
        return self.root / "attempts.jsonl"

    @property
    def predictions_file(self) -> Path:
        """The answers in the data format document's form."""
        return self.root / "predictions.jsonl"

    @property
    def scores_file(self) -> Path:
        """What evaluate returned for the run."""
        return self.root / "scores.json"

    @property
    def logs(self) -> Path:
        """Logs of the engine, with full transcripts."""
        return self.root / "logs"
