"""The members of one archive, written into an empty folder as they come; whoever calls removes what was refused."""

import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from coda_bench.archives.headers import BadArchive, EndsEarly, next_member, padding
from coda_bench.archives.members import MemberRules
from coda_bench.archives.stream import BLOCK, Feed, Forward, decompressed
from coda_bench.records.archive import ArchiveEntry, Extraction
from coda_bench.records.storage import write_atomically

MOST_TIMES_LARGER = 200
"""An archive without a known size may grow by this factor at most."""
LEAST_ALLOWANCE = 1 << 30
MOST_HEADER_BYTES = 4 << 30
"""Of all headers and fillings together: four times those of a million members."""
MOST_TRAILER_BYTES = 1 << 20
"""Zeros after the last member; usual are ten thousand."""
_HASHED_BEHIND = 8
"""Blocks that wait for the hasher at most; bounds the memory."""
_FILES_BEHIND = 64
"""Likewise files, which may be a million small ones."""


class _File(NamedTuple):
    path: str
    n_bytes: int
    sha256: "Future[str]"

    def line(self) -> str:
        row = {"path": self.path, "bytes": self.n_bytes, "sha256": self.sha256.result()}
        return json.dumps(row, ensure_ascii=False) + "\n"


def unpack(archive: Path, entry: ArchiveEntry, into: Path, progress: Callable[[int], None]) -> Extraction:
    """Write `full_community/` and `manifest.jsonl` into a folder.

    Raises:
        BadArchive: hash, frame or a member is not as it should be; what was written is to be thrown away.
        OSError: the folder cannot be written.
    """
    rules = MemberRules(entry.root, _allowance(archive, entry))
    try:
        with decompressed(archive, rules.most_bytes + MOST_HEADER_BYTES, progress) as (stream, feed):
            lines = _write_all(stream, rules, into)
            _drain(stream)
        _check_whole(feed, entry, rules)
    except BadArchive as error:
        raise BadArchive(f"{archive}: refused: {error}; nothing of it was kept") from error
    if not (into / "full_community").is_dir():
        raise BadArchive(f"{archive}: refused: no {entry.root}/full_community/ in it; nothing of it was kept")
    write_atomically(into / "manifest.jsonl", "".join(sorted(lines)))
    return Extraction(
        community_id=entry.community_id, archive_sha256=entry.sha256, n_files=rules.n_files, n_bytes=rules.n_bytes
    )


def _allowance(archive: Path, entry: ArchiveEntry) -> int:
    if entry.extracted_bytes is not None:
        return entry.extracted_bytes
    return max(LEAST_ALLOWANCE, MOST_TIMES_LARGER * archive.stat().st_size)


def _write_all(stream: Forward, rules: MemberRules, into: Path) -> list[str]:
    lines, waiting = [], deque[_File]()
    with ThreadPoolExecutor(1) as hasher:
        for file in _files(stream, rules, into, hasher):
            waiting.append(file)
            if len(waiting) > _FILES_BEHIND:
                lines.append(waiting.popleft().line())
        return lines + [file.line() for file in waiting]


def _files(stream: Forward, rules: MemberRules, into: Path, hasher: ThreadPoolExecutor) -> Iterator[_File]:
    """Write the members one after the other; yield the files."""
    folders = {PurePosixPath()}
    while (member := next_member(stream)) is not None:
        place = rules.place(member)
        if place is None:
            continue
        _make_folders(into, place if member.kind == "folder" else place.parent, folders)
        if member.kind == "file":
            digest = _write(stream, member.size, into / place, hasher)
            yield _File(str(place.relative_to("full_community")), member.size, digest)


def _make_folders(into: Path, folder: PurePosixPath, known: set[PurePosixPath]) -> None:
    """Make a folder and those above it, readable for all whatever the user's mask: sandboxes run as somebody else."""
    if folder not in known:
        _make_folders(into, folder.parent, known)
        (into / folder).mkdir()
        (into / folder).chmod(0o755)
        known.add(folder)


def _write(stream: Forward, size: int, file: Path, hasher: ThreadPoolExecutor) -> "Future[str]":
    """Copy one file out of the stream; the hasher follows on a core of its own."""
    digest, missing = hashlib.sha256(), size
    waiting: deque[Future[None]] = deque()
    with file.open("xb", buffering=0) as out:
        while missing:
            block = stream.some(min(BLOCK, missing))
            if not block:
                raise EndsEarly(f"{file.name!r}: the archive ends in the middle of it")
            waiting.append(hasher.submit(digest.update, block))
            _write_block(out.write, block)
            missing -= len(block)
            if len(waiting) > _HASHED_BEHIND:
                waiting.popleft().result()
    stream.exactly(padding(size))
    file.chmod(0o444)
    return hasher.submit(digest.hexdigest)


def _write_block(write: Callable[[memoryview], int | None], block: memoryview) -> None:
    while block:  # a nearly full disk takes a part
        block = block[write(block) or 0 :]


def _drain(stream: Forward) -> None:
    """Read to the end; after the last member only zeros may follow."""
    n_bytes = 0
    while block := stream.some(BLOCK):
        n_bytes += len(block)
        if block != bytes(len(block)) or n_bytes > MOST_TRAILER_BYTES:
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
