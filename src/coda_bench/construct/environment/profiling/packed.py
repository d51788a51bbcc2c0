"""Archives and compressed files: what lies inside, within a bound on what may come out."""

import bz2
import gzip
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from coda_bench.construct.environment.profiling.limits import Limits
from coda_bench.construct.environment.profiling.reading import Reading, Unreadable
from coda_bench.construct.environment.profiling.scan import BLOCK

COMPRESSIONS = ("gz", "bz2", "xz", "zst")
_MOST_MEMBERS = 1_000_000
_CHECKED_BYTES = 256 << 20
_WINDOW = 1 << 27
"""Largest window of zstd, as of its own command line."""
_BROKEN = (
    EOFError,
    OSError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    tarfile.TarError,
    ValueError,
    RuntimeError,
)


def unpack(path: Path, kind: str, target: Path, most_bytes: int) -> None:
    """Write what is inside a compressed file.

    Raises:
        Unreadable: it is broken, would be larger than allowed, or its library is missing.
    """
    written = 0
    try:
        with _opener(kind)(path) as stream, target.open("wb") as out:
            while block := stream.read(BLOCK):
                written += len(block)
                if written > most_bytes:
                    raise Unreadable(f"{kind}: unpacks to more than {most_bytes} bytes")
                out.write(block)
    except _BROKEN as error:
        raise Unreadable(f"{kind}: {error or type(error).__name__} after {written} bytes") from error


def _opener(kind: str) -> Callable[[Path], Any]:
    openers: dict[str, Callable[[Path], Any]] = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open, "zst": _open_zst}
    return openers[kind]


@contextmanager
def _open_zst(path: Path) -> Iterator[IO[bytes]]:
    try:
        import zstandard  # noqa: PLC0415 an optional library
    except ImportError as error:
        raise Unreadable("zst: not unpacked; pip install 'coda-bench[construct]'") from error
    limits = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
    try:
        with path.open("rb") as source, limits.stream_reader(source, read_across_frames=True) as stream:
            yield stream
    except zstandard.ZstdError as error:
        raise Unreadable(f"zst: {error}") from error


def read_zip(path: Path) -> Reading:
    """Return what kind of zip a file is, with the number of its files; broken and encrypted members are noted.

    A workbook is only named here. At most 256 MiB of the members are unpacked to check their sums.

    Raises:
        Unreadable: it has no sound directory of members.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = [one for one in archive.infolist() if not one.is_dir()]
            names = {one.filename for one in members}
            reading = Reading(_kind_of_zip(names, archive), n_members=len(members), read="form")
            return _checked(archive, members, reading)
    except (*_BROKEN, NotImplementedError, RecursionError) as error:
        raise Unreadable(f"zip: {error}") from error


def _kind_of_zip(names: Collection[str], archive: zipfile.ZipFile) -> str:
    if "[Content_Types].xml" in names:
        folders = {name.split("/", 1)[0] for name in names}
        return next(
            (kind for folder, kind in (("xl", "xlsx"), ("word", "docx"), ("ppt", "pptx")) if folder in folders), "zip"
        )
    if "mimetype" in names and archive.getinfo("mimetype").file_size < 200:  # noqa: PLR2004
        said = archive.read("mimetype")
        kinds = {b"spreadsheet": "ods", b"opendocument.text": "odt", b"epub": "epub"}
        return next((kind for word, kind in kinds.items() if word in said), "zip")
    if names and all(name.endswith(".npy") for name in names):
        return "npz"
    if any(name.endswith("/data.pkl") for name in names):
        return "pytorch"
    return "jar" if "META-INF/MANIFEST.MF" in names else "zip"


def _checked(archive: zipfile.ZipFile, members: Sequence[zipfile.ZipInfo], reading: Reading) -> Reading:
    n_encrypted = sum(one.flag_bits & 1 for one in members)
    if n_encrypted:
        reading = reading.noting("encrypted", f"{n_encrypted} of {len(members)} files are encrypted")
    left, broken = _CHECKED_BYTES, []
    for one in members:
        if one.flag_bits & 1 or one.file_size > left:
            continue
        left -= one.file_size
        if not _is_sound(archive, one):
            broken.append(one.filename)
    if broken:
        reading = reading.noting("broken_member", f"{len(broken)} files inside cannot be unpacked: {broken[:3]}")
    return reading


def _is_sound(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bool:
    """Unpack a member to its end; zipfile gives no more bytes than the directory says and compares the sum."""
    try:
        with archive.open(member) as stream:
            while stream.read(BLOCK):
                pass
    except (*_BROKEN, NotImplementedError):
        return False
    return True


def read_tar(path: Path) -> Reading:
    """Count the files of a tar archive; nothing is unpacked.

    Raises:
        Unreadable: it breaks off.
    """
    n_members = 0
    try:
        with tarfile.open(path, "r:", errorlevel=2) as archive:
            while (member := archive.next()) is not None and n_members < _MOST_MEMBERS:
                n_members += member.isfile()
                vars(archive)["members"].clear()  # tarfile would remember them all
    except (*_BROKEN, IndexError, OverflowError) as error:
        raise Unreadable(f"tar: {error}") from error
    return Reading("tar", n_members=n_members, read="form")


def unpacked_limit(limits: Limits, n_bytes: int) -> int:
    """Return how many bytes may come out: never more than a thousand times what went in, and a MiB."""
    return min(limits.unpacked_bytes, (1 << 20) + 1_000 * n_bytes)
