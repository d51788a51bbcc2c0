"""Whether archives and extracted communities are still what their manifests say."""

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from coda_bench.layout import Release, file_sha256
from coda_bench.records.archive import ArchiveEntry
from coda_bench.records.targets import DataFile


class Difference(NamedTuple):
    """One thing that is not as the manifest says."""

    path: str
    what: str
    """`missing`, `size`, `sha256`, `unexpected`, `not_a_file` or `no_manifest`."""


def verify_archive(root: Path, entry: ArchiveEntry) -> list[Difference]:
    """Compare one archive of a release with its entry."""
    path = root / entry.archive_path
    if not path.is_file():
        return [Difference(entry.archive_path, "missing")]
    if path.stat().st_size != entry.size_bytes:
        return [Difference(entry.archive_path, "size")]
    return [] if file_sha256(path) == entry.sha256 else [Difference(entry.archive_path, "sha256")]


def verify_community(
    release: Release, community: str, *, progress: Callable[[int], None] = lambda _: None
) -> list[Difference]:
    """Compare the files of a community with its manifest; nothing outside it is followed.

    Args:
        release: the release.
        community: its name.
        progress: called with the number of bytes read so far.

    Raises:
        BadInput: the community is not here, or its manifest is malformed.
    """
    directory = release.community_directory(community)
    files = release.manifest(community)
    if files is None:
        return [Difference(f"{community}/manifest.jsonl", "no_manifest")]
    known = {file.path: file for file in files}
    found = dict(_files(directory))
    differences = [Difference(path, "unexpected") for path in found.keys() - known.keys()]
    n_bytes = 0
    for path, file in known.items():
        if what := _difference(directory / path, file, is_plain=found.get(path)):
            differences.append(Difference(path, what))
        n_bytes += file.bytes
        progress(n_bytes)
    return sorted(differences)


def _files(directory: Path) -> Iterator[tuple[str, bool]]:
    """Yield each name below a folder that is no folder, and whether it is a plain file."""
    for folder, names, files in os.walk(directory, followlinks=False):
        for name in [*files, *(name for name in names if (Path(folder) / name).is_symlink())]:
            path = Path(folder) / name
            yield str(path.relative_to(directory)), path.is_file() and not path.is_symlink()


def _difference(path: Path, file: DataFile, *, is_plain: bool | None) -> str | None:
    if is_plain is None:
        return "missing"
    if not is_plain:
        return "not_a_file"
    if path.stat().st_size != file.bytes:
        return "size"
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return None if digest == file.sha256 else "sha256"
