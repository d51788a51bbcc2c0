"""From an archive to a community on disk: checked member by member, renamed into place when all of it held.

Input: `archives/<community>.tar.zst` with its entry of the manifest. Output:
`communities/<community>/full_community/…`, `manifest.jsonl` with a hash for every file, `extracted.json`.
"""

import errno
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from coda_bench.archives.lock import locked
from coda_bench.archives.unpack import unpack
from coda_bench.errors import BadInput
from coda_bench.records.archive import ArchiveEntry, Extraction
from coda_bench.records.storage import read_json, sync_directory, write_atomically

RESERVE_BYTES = 256 << 20
_PARTIAL, _OLD = ".partial-", "-old"

Progress = Callable[[int], None]


def extract(
    archive: Path, entry: ArchiveEntry, communities: Path, *, force: bool = False, progress: Progress = lambda _: None
) -> Extraction:
    """Extract one community, or find it extracted; two processes that want the same one wait for each other.

    Args:
        archive: the `.tar.zst` file.
        entry: its line of the manifest: size, hash and root are checked.
        communities: folder of the communities.
        force: extract again even if the same archive was extracted before.
        progress: called with the number of archive bytes read so far.

    Raises:
        BadArchive: hash, frame or a member is not as it should be; nothing is kept.
        BadInput: the archive is missing, the disk too small, or the community comes from another archive.
        MissingExtra: this machine cannot decompress.
    """
    if not archive.is_file():
        raise BadInput(f"{archive}: no such archive; fetch it first")
    target = communities / entry.community_id
    try:
        communities.mkdir(parents=True, exist_ok=True)
        with locked(communities / f".{entry.community_id}.lock"):
            _clear_up(target)
            if (known := _known(target)) and known.archive_sha256 == entry.sha256 and not force:
                return known
            if target.exists() and not (known and force):
                raise BadInput(f"{target}: already there, from elsewhere; remove it, or extract into another folder")
            _check_space(archive, entry, communities)
            return _replace(archive, entry, target, progress)
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise BadInput(f"{communities}: the disk is full; nothing of {entry.community_id} was kept") from error
        raise BadInput(f"{error.filename or target}: cannot be written ({error.strerror})") from error


def extraction_of(target: Path) -> Extraction | None:
    """Return the record of a community that was extracted from an archive."""
    file = target / "extracted.json"
    return Extraction.from_stored(read_json(file), where=str(file)) if file.is_file() else None


def _known(target: Path) -> Extraction | None:
    if target.is_symlink():
        raise BadInput(f"{target}: a link, which is not followed; remove it, or extract into another folder")
    return extraction_of(target)


def _clear_up(target: Path) -> None:
    """Remove what a killed extraction left, or put back what it had set aside; the lock says that nobody works."""
    ours = re.compile(rf"\.{re.escape(target.name)}{_PARTIAL}[a-z0-9_]+(?P<old>{_OLD})?")
    for folder in list(target.parent.iterdir()):
        if found := ours.fullmatch(folder.name):
            if found["old"] and not target.exists():
                folder.rename(target)
            else:
                shutil.rmtree(folder, ignore_errors=True)


def _check_space(archive: Path, entry: ArchiveEntry, communities: Path) -> None:
    needed = (entry.extracted_bytes or archive.stat().st_size) + RESERVE_BYTES
    free = shutil.disk_usage(communities).free
    if free < needed:
        least = "" if entry.extracted_bytes else "at least "
        raise BadInput(
            f"{communities}: {free >> 20} MiB free, {entry.community_id} needs {least}{needed >> 20} MiB: make room"
        )


def _replace(archive: Path, entry: ArchiveEntry, target: Path, progress: Progress) -> Extraction:
    """Extract beside the target and rename; the old community goes when the new one is complete."""
    partial = Path(tempfile.mkdtemp(prefix=f".{entry.community_id}{_PARTIAL}", dir=target.parent))
    try:
        found = unpack(archive, entry, partial, progress)
        write_atomically(partial / "extracted.json", found.model_dump_json(indent=2) + "\n")
        partial.chmod(0o755)
        _swap(partial, target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return found


def _swap(partial: Path, target: Path) -> None:
    old = partial.with_name(f"{partial.name}{_OLD}")
    if target.exists():
        target.rename(old)
    try:
        partial.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise
    sync_directory(target.parent)
    shutil.rmtree(old, ignore_errors=True)
