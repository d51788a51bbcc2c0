"""From an archive to a community on disk: checked member by member, renamed into place when all of it held.

Input: `archives/<community>.tar.zst` with its entry of the manifest. Output:
`communities/<community>/full_community/…`, `manifest.jsonl` with a hash for every file, `extracted.json`.
"""

import errno
import fcntl
import hashlib
import json
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from coda_bench.archives.members import BadArchive, MemberRules
from coda_bench.archives.stream import BLOCK, Feed, Forward, decompressed
from coda_bench.errors import BadInput
from coda_bench.records.archive import ArchiveEntry, Extraction
from coda_bench.records.storage import read_json, sync_directory, write_atomically

MOST_TIMES_LARGER = 200
"""An archive without a known size may grow by this factor at most."""
LEAST_ALLOWANCE = 1 << 30
RESERVE_BYTES = 256 << 20
_PARTIAL = ".partial-"
_TAR_BLOCK = 512

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
    """
    if not archive.is_file():
        raise BadInput(f"{archive}: no such archive; fetch it first")
    communities.mkdir(parents=True, exist_ok=True)
    with _locked(communities, entry.community_id):
        _remove_partials(communities, entry.community_id)
        target = communities / entry.community_id
        if (known := extraction_of(target)) and known.archive_sha256 == entry.sha256 and not force:
            return known
        if target.exists() and not (known and force):
            raise BadInput(f"{target}: already there, from elsewhere; remove it, or extract into another folder")
        _check_space(archive, entry, communities)
        return _replace(archive, entry, target, progress)


def extraction_of(target: Path) -> Extraction | None:
    """Return the record of a community that was extracted from an archive."""
    file = target / "extracted.json"
    return Extraction.from_stored(read_json(file), where=str(file)) if file.is_file() else None


@contextmanager
def _locked(communities: Path, community: str) -> Iterator[None]:
    with (communities / f".{community}.lock").open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def _remove_partials(communities: Path, community: str) -> None:
    """Remove what a killed extraction left; the lock says that nobody works on it."""
    for folder in communities.glob(f".{community}{_PARTIAL}*"):
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
        found = _unpack(archive, entry, partial, progress)
        write_atomically(partial / "extracted.json", found.model_dump_json(indent=2) + "\n")
        partial.chmod(0o755)
        if target.exists():
            target.rename(partial.with_name(f"{partial.name}-old"))
        partial.rename(target)
        sync_directory(target.parent)
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise BadInput(f"{target.parent}: the disk is full; nothing of {entry.community_id} was kept") from error
        raise BadInput(f"{target}: cannot be written ({error.strerror})") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        shutil.rmtree(partial.with_name(f"{partial.name}-old"), ignore_errors=True)
    return found


def _unpack(archive: Path, entry: ArchiveEntry, into: Path, progress: Progress) -> Extraction:
    allowance = max(LEAST_ALLOWANCE, MOST_TIMES_LARGER * archive.stat().st_size)
    rules = MemberRules(entry.root, allowance if entry.extracted_bytes is None else entry.extracted_bytes)
    try:
        with decompressed(archive, progress) as (stream, feed):
            lines = [_line(*file) for file in _files(stream, rules, into)]
            _drain(stream)
        _check_whole(feed, entry, rules)
    except BadArchive as error:
        raise BadArchive(f"{archive}: refused: {error}; nothing of it was kept") from error
    except (tarfile.TarError, ValueError, IndexError, OverflowError) as error:  # tarfile trusts some headers
        raise BadArchive(f"{archive}: refused: not a sound tar archive ({error}); nothing of it was kept") from error
    if not (into / "full_community").is_dir():
        raise BadArchive(f"{archive}: refused: no {entry.root}/full_community/ in it")
    write_atomically(into / "manifest.jsonl", "".join(sorted(lines)))
    return Extraction(
        community_id=entry.community_id, archive_sha256=entry.sha256, n_files=rules.n_files, n_bytes=rules.n_bytes
    )


def _line(path: str, n_bytes: int, sha256: str) -> str:
    return json.dumps({"path": path, "bytes": n_bytes, "sha256": sha256}, ensure_ascii=False) + "\n"


def _files(stream: Forward, rules: MemberRules, into: Path) -> Iterator[tuple[str, int, str]]:
    """Write the members one after the other; yield path, size and hash of each file."""
    with tarfile.TarFile(fileobj=stream, errorlevel=2) as tar, ThreadPoolExecutor(1) as hasher:  # type: ignore[arg-type]
        while (member := tar.next()) is not None:
            vars(tar)["members"].clear()  # tarfile would remember them all
            place = rules.place(member)
            if place is None:
                continue
            file = into / place
            if member.isdir():
                file.mkdir(parents=True, exist_ok=True)
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            sha256 = _write(stream, member, file, hasher)
            yield str(place.relative_to("full_community")), member.size, sha256
    if stream.last_block.strip(b"\0") or len(stream.last_block) < _TAR_BLOCK:
        raise BadArchive("the archive ends in a broken header")


def _write(stream: Forward, member: tarfile.TarInfo, file: Path, hasher: ThreadPoolExecutor) -> str:
    """Copy one file out of the stream, hashing it beside."""
    stream.seek(member.offset_data)
    digest, missing = hashlib.sha256(), member.size
    with file.open("xb") as out:
        while missing:
            block = stream.read(min(BLOCK, missing))
            if not block:
                raise BadArchive(f"{member.name!r}: the archive ends in the middle of it")
            hashed = hasher.submit(digest.update, block)
            out.write(block)
            missing -= len(block)
            hashed.result()
    file.chmod(0o444)
    return digest.hexdigest()


def _drain(stream: Forward) -> None:
    """Read to the end; after the last member only zeros may follow."""
    while block := stream.read(BLOCK):
        if block.strip(b"\0"):
            raise BadArchive("something follows the end of the archive")


def _check_whole(feed: Feed, entry: ArchiveEntry, rules: MemberRules) -> None:
    if feed.n_bytes != entry.size_bytes:
        raise BadArchive(f"{feed.n_bytes} bytes, the manifest says {entry.size_bytes}")
    if feed.sha256.hexdigest() != entry.sha256:
        raise BadArchive(f"sha256 {feed.sha256.hexdigest()}, the manifest says {entry.sha256}")
    if entry.n_files is not None and rules.n_files != entry.n_files:
        raise BadArchive(f"{rules.n_files} files, the manifest says {entry.n_files}")
    if entry.extracted_bytes is not None and rules.n_bytes != entry.extracted_bytes:
        raise BadArchive(f"{rules.n_bytes} bytes in files, the manifest says {entry.extracted_bytes}")
