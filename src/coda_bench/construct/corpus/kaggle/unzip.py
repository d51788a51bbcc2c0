"""Archives of data sets as Kaggle sends them: zip files, written out within limits or refused whole."""

import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import IO, BinaryIO

from coda_bench.archives.headers import BadArchive, Member
from coda_bench.archives.members import MemberRules
from coda_bench.errors import BadInput

_END, _END_BYTES = b"PK\x05\x06", 22
_END_64, _END_64_BYTES = b"PK\x06\x06", 56
_LONGEST_COMMENT = 0xFFFF
_IN_END_64 = 0xFFFFFFFF
LARGEST_DIRECTORY_BYTES = 64 << 20
"""Of the list of members, which is read into memory: about a million of them."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, ValueError, OverflowError)
"""What the standard library's reader raises for archives that are none."""
_ROOT = "data/full_community/"
"""The rules know archives of communities; a data set's members are shown to them below that folder."""
_RESERVE_BYTES = 256 << 20
_BLOCK = 1 << 20


def unzip(archive: Path, into: Path, *, most_bytes: int) -> tuple[int, int]:
    """Write the members of an archive below an empty folder.

    Args:
        archive: the zip file.
        into: the folder; what was written is to be thrown away when the archive is refused.
        most_bytes: bytes of all files together.

    Returns:
        Number of files, and their bytes.

    Raises:
        BadArchive: it is no zip file, or a member is a link, encrypted, leads out, comes twice or is damaged.
        BadInput: the disk is too small.
        OSError: the folder cannot be written.
    """
    try:
        _check_directory(archive)
        with zipfile.ZipFile(archive) as opened:
            rules = MemberRules("data", most_bytes)
            places = [(member, _place(member, rules, into)) for member in opened.infolist()]
            _check_space(into, rules.n_bytes)
            _write_all(opened, places)
    except _DAMAGE as error:
        raise BadArchive(f"the archive is damaged ({error})") from error
    return rules.n_files, rules.n_bytes


def _check_directory(archive: Path) -> None:
    """Refuse a list of members that would fill the memory, before anything reads it."""
    with archive.open("rb") as stream:
        size = stream.seek(0, 2)
        tail_bytes = min(size, _END_BYTES + _LONGEST_COMMENT + _END_64_BYTES + 20)
        stream.seek(size - tail_bytes)
        tail = stream.read(tail_bytes)
    end = tail.rfind(_END)
    if end < 0 or len(tail) - end < _END_BYTES:
        raise BadArchive("not a zip archive, or only a part of one")
    n_bytes = int.from_bytes(tail[end + 12 : end + 16], "little")
    if n_bytes == _IN_END_64:
        large = tail.rfind(_END_64, 0, end)
        n_bytes = int.from_bytes(tail[large + 40 : large + 48], "little") if large >= 0 else size
    if n_bytes > LARGEST_DIRECTORY_BYTES:
        raise BadArchive(f"its list of members has {n_bytes >> 20} MiB, more than {LARGEST_DIRECTORY_BYTES >> 20} MiB")


def _place(member: zipfile.ZipInfo, rules: MemberRules, into: Path) -> Path | None:
    """Return where a file goes; None for a folder."""
    if member.flag_bits & _ENCRYPTED:
        raise BadArchive(f"{member.filename!r}: encrypted")
    if member.compress_type not in _METHODS:
        raise BadArchive(f"{member.filename!r}: compressed by method {member.compress_type}, not stored or deflated")
    if not member.filename or member.filename.startswith("/"):
        raise BadArchive(f"{member.filename!r}: not a relative path")
    if member.header_offset < 0:
        raise BadArchive(f"{member.filename!r}: begins before the archive")
    mode = member.external_attr >> 16
    kind = "symbolic link" if stat.S_ISLNK(mode) else "folder" if member.is_dir() else "file"
    shown = Member(_ROOT + member.filename.rstrip("/"), kind, member.file_size)
    try:
        below = rules.place(shown)
    except BadArchive as error:
        raise BadArchive(str(error).replace(_ROOT, "")) from error
    return None if below is None or kind == "folder" else into / below.relative_to("full_community")


def _check_space(into: Path, n_bytes: int) -> None:
    free = shutil.disk_usage(into).free
    if free < n_bytes + _RESERVE_BYTES:
        raise BadInput(f"{into}: {free >> 20} MiB free, {n_bytes >> 20} MiB of files are to be written: make room")


def _write_all(opened: zipfile.ZipFile, places: Iterable[tuple[zipfile.ZipInfo, Path | None]]) -> None:
    for member, path in places:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            with opened.open(member) as source, path.open("xb") as target:
                _copy(source, target, member)


def _copy(source: IO[bytes], target: BinaryIO, member: zipfile.ZipInfo) -> None:
    """Copy what the list of members promises; more than that is a member that lies about its size."""
    left = member.file_size
    while block := source.read(_BLOCK):
        left -= len(block)
        if left < 0:
            raise BadArchive(f"{member.filename!r}: more than the {member.file_size} bytes it should have")
        target.write(block)
    if left:
        raise BadArchive(f"{member.filename!r}: {left} of {member.file_size} bytes are missing")
