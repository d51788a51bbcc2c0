"""The data sets of a folder: which of its folders are some, and what is known of each without reading a file."""

import json
import os
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from coda_bench.notebook import storable
from coda_bench.records.corpus import CorpusFinding, Severity

METADATA = "dataset-metadata.json"
_MOST_METADATA_BYTES = 1 << 20
_LONGEST_PART_BYTES = 200
_NAME_PARTS = 2
"""Of an id: owner and slug."""
_SHOWN = 120
_TABULAR = frozenset(
    (
        ".csv .tsv .tab .xlsx .xls .ods .parquet .feather .arrow .json .jsonl .ndjson .dta .sav .sas7bdat .db .sqlite"
    ).split()
)
_PACKED = (".gz", ".bz2", ".xz", ".zst")


class Told(NamedTuple):
    """What there is to say about a folder while it is read."""

    findings: list[CorpusFinding]
    counts: Counter[str]

    def unreadable(self, root: Path, error: OSError) -> None:
        """Note a folder whose entries cannot be listed, so that what lies there is not missed in silence."""
        self.counts["folders_that_cannot_be_read"] += 1
        where = storable(os.path.relpath(error.filename, root))
        self.find(where[-_SHOWN:], "unreadable", Severity.ERROR, error.strerror or "cannot be listed")

    def link(self, root: Path, path: Path) -> None:
        """Note a link, which is never followed."""
        self.counts["links_not_followed"] += 1
        where = storable(path.relative_to(root).as_posix())
        self.find(where, "link", Severity.NOTE, "a link; not followed")

    def find(self, where: str, kind: str, severity: Severity, message: str) -> None:
        """Note one thing that a person should know."""
        self.findings.append(CorpusFinding(where=where, kind=kind, severity=severity, message=message))


class FolderDataset(NamedTuple):
    """One data set."""

    name: str
    path: str
    """Relative to the corpus's root."""
    title: str
    version: str | None
    licence: str | None
    files: int
    bytes: int
    tabular: int
    """Files that end as tables do."""


def datasets_of(root: Path, licences: Sequence[str] | None, told: Told) -> list[FolderDataset]:
    """Return the data sets of a folder, by name; of one name only the first, of other licences none."""
    found: dict[str, FolderDataset] = {}
    for folder in _dataset_folders(root, told):
        one = _dataset(root, folder, told)
        told.counts["datasets_seen"] += 1
        if one.path != os.fspath(folder.relative_to(root)):
            told.counts["datasets_that_cannot_be_named"] += 1
            told.find(one.path, "bad_name", Severity.ERROR, "its path is not UTF-8; rename the folder; left out")
        elif licences is not None and (one.licence or "unknown") not in licences:
            told.counts["datasets_of_other_licences"] += 1
        elif one.name in found:
            told.counts["datasets_of_the_same_name"] += 1
            message = f"called {one.name} as {found[one.name].path} is; left out"
            told.find(one.path, "same_name", Severity.ERROR, message)
        else:
            found[one.name] = one
    return [found[name] for name in sorted(found)]


def _dataset_folders(root: Path, told: Told) -> Iterator[Path]:
    """Yield the folders of data sets, by path; one inside another belongs to it."""
    for path, folders, files in os.walk(root, onerror=lambda error: told.unreadable(root, error)):
        folders.sort()
        here = Path(path)
        for name in folders:
            if os.path.islink(here / name):  # noqa: PTH114 - no error for a path that is too long
                told.link(root, here / name)
        if here != root and (METADATA in files or _is_listed(root, here)):
            folders.clear()
            yield here


def _is_listed(root: Path, folder: Path) -> bool:
    """Whether a folder stands in `datasets/`, or in an owner's folder there."""
    parts = folder.relative_to(root).parts
    if len(parts) != 2 or parts[0] != "datasets":  # noqa: PLR2004 - datasets/<slug>
        return False
    inside = [one for one in folder.iterdir() if not one.is_symlink()]
    holds_datasets = bool(inside) and all(one.is_dir() and (one / METADATA).is_file() for one in inside)
    return not holds_datasets


def _dataset(root: Path, folder: Path, told: Told) -> FolderDataset:
    path = storable(folder.relative_to(root).as_posix())
    known = metadata(folder / METADATA, path, told)
    sizes = list(_files(folder))
    return FolderDataset(
        name=_name(known, path, told),
        path=path,
        title=storable(str(known.get("title") or folder.name.replace("-", " "))),
        version=storable(str(known["version"])) if isinstance(known.get("version"), int | str) else None,
        licence=_licence(known),
        files=len(sizes),
        bytes=sum(size for _, size in sizes),
        tabular=sum(_is_tabular(name) for name, _ in sizes),
    )


def _name(known: dict[str, Any], path: str, told: Told) -> str:
    """Return the id that metadata states, if it can be the name of a folder and its owner's, else the path."""
    stated = known.get("id")
    if isinstance(stated, str) and _is_name(stated):
        return stated
    if stated is not None and stated != "":
        message = f"id {storable(str(stated))[:_SHOWN]!r} is no owner/slug; the folder's name is taken"
        told.find(f"{path}/{METADATA}", "bad_metadata", Severity.WARNING, message)
    return path.removeprefix("datasets/")


def _is_name(stated: str) -> bool:
    parts = stated.split("/")
    plain = stated.isprintable() and "\\" not in stated
    sized = all(0 < len(storable(part).encode()) <= _LONGEST_PART_BYTES for part in parts)
    return plain and sized and len(parts) <= _NAME_PARTS and not {".", ".."}.intersection(parts)


def _files(folder: Path) -> Iterator[tuple[str, int]]:
    for path, folders, files in os.walk(folder):
        folders.sort()
        for name in files:
            try:
                found = Path(path, name).lstat()
            except OSError:  # told when the environment is laid out, file by file
                continue
            if stat.S_ISREG(found.st_mode) and name != METADATA:
                yield name, found.st_size


def _is_tabular(name: str) -> bool:
    for packed in _PACKED:
        name = name.lower().removesuffix(packed)
    return Path(name).suffix in _TABULAR


def _licence(known: dict[str, Any]) -> str | None:
    listed = known.get("licenses")
    first = listed[0] if isinstance(listed, list) and listed else None
    name = first.get("name") if isinstance(first, dict) else None
    return storable(name) if isinstance(name, str) else None


def metadata(path: Path, where: str, told: Told) -> dict[str, Any]:
    """Return a metadata file of Kaggle's; empty when there is none, or none that can be read, which is then told.

    Args:
        path: the file.
        where: its folder as messages name it.
        told: what a person should know.
    """
    if not (path.is_symlink() or path.is_file()):
        return {}
    try:
        problem = _refusal(path)
        found = None if problem else json.loads(path.read_bytes().decode("utf-8-sig"))
        if isinstance(found, dict):
            return found
        problem = problem or "not a JSON object"
    except (ValueError, RecursionError, OSError) as error:
        problem = storable(str(error))
    told.find(f"{where}/{path.name}", "bad_metadata", Severity.WARNING, problem)
    return {}


def _refusal(path: Path) -> str:
    """Return why a file of metadata is not opened; nothing when it may be."""
    if path.is_symlink():
        return "a link; not followed"
    return f"larger than {_MOST_METADATA_BYTES >> 20} MB" if path.stat().st_size > _MOST_METADATA_BYTES else ""
