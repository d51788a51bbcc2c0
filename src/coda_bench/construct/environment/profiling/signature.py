"""The format of a file by its first bytes (and a few by its last); names play no part.

Source of the signatures: the formats' specifications. What is not in the table is named by puremagic where it is
sure (its score at least 0.8), such as sound, video and fonts.
"""

from typing import NamedTuple


class Signature(NamedTuple):
    """Bytes at a place of the file."""

    format: str
    magic: bytes
    offset: int = 0


_TABLE = (
    Signature("parquet", b"PAR1"),
    Signature("arrow", b"ARROW1\0\0"),
    Signature("feather_v1", b"FEA1"),
    Signature("orc", b"ORC"),
    Signature("avro", b"Obj\x01"),
    Signature("sqlite", b"SQLite format 3\0"),
    Signature("duckdb", b"DUCK", 8),
    Signature("hdf5", b"\x89HDF\r\n\x1a\n"),
    Signature("netcdf", b"CDF\x01"),
    Signature("netcdf", b"CDF\x02"),
    Signature("npy", b"\x93NUMPY"),
    Signature("zip", b"PK\x03\x04"),
    Signature("zip", b"PK\x05\x06"),
    Signature("gz", b"\x1f\x8b\x08"),
    Signature("bz2", b"BZh"),
    Signature("xz", b"\xfd7zXZ\0"),
    Signature("zst", b"\x28\xb5\x2f\xfd"),
    Signature("7z", b"7z\xbc\xaf\x27\x1c"),
    Signature("rar", b"Rar!\x1a\x07"),
    Signature("tar", b"ustar", 257),
    Signature("pdf", b"%PDF-"),
    Signature("png", b"\x89PNG\r\n\x1a\n"),
    Signature("jpeg", b"\xff\xd8\xff"),
    Signature("gif", b"GIF87a"),
    Signature("gif", b"GIF89a"),
    Signature("tiff", b"II*\0"),
    Signature("tiff", b"MM\0*"),
    Signature("webp", b"WEBP", 8),
    Signature("ole", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    Signature("stata", b"<stata_dta>"),
    Signature("sas7bdat", b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00\x09\xc7\x31\x8c\x18\x1f\x10\x11", 12),
    Signature("sas_xport", b"HEADER RECORD*******LIBRARY HEADER RECORD"),
    Signature("sas_xport", b"HEADER RECORD*******LIBV8   HEADER RECORD"),
    Signature("spss", b"$FL2"),
    Signature("spss", b"$FL3"),
    Signature("rdata", b"RDX2\n"),
    Signature("rdata", b"RDX3\n"),
    Signature("rdata", b"RDA2\n"),
    Signature("rdata", b"RDA3\n"),
    Signature("rds", b"X\n\0\0\0\x02\0"),
    Signature("rds", b"X\n\0\0\0\x03\0"),
    Signature("shapefile", b"\0\0\x27\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
)
_PICKLE = tuple(bytes((0x80, protocol)) for protocol in (2, 3, 4, 5))
_OLD_STATA = {0x69: 105, 0x6C: 108, 0x6E: 110, 0x6F: 111, 0x71: 113, 0x72: 114, 0x73: 115}
_SURE = 0.8


def recognise(head: bytes, tail: bytes, n_bytes: int) -> str | None:
    """Return the format that the bytes say, or None for text and what has no signature."""
    for one in _TABLE:
        if head[one.offset : one.offset + len(one.magic)] == one.magic and _is_confirmed(one.format, head):
            return one.format
    if head.startswith(_PICKLE) and tail.endswith(b"."):
        return "pickle"
    if _is_old_stata(head):
        return "stata"
    if _is_dbf(head, n_bytes):
        return "dbf"
    return "bmp" if head[:2] == b"BM" and int.from_bytes(head[2:6], "little") == n_bytes else None


def _is_confirmed(kind: str, head: bytes) -> bool:
    """Look closer where a signature is short enough to be met by chance, or to be text."""
    if kind == "bz2":
        return head[3:4].isdigit() and head[4:10] in {b"1AY&SY", b"\x17\x72\x45\x38\x50\x90"}
    if kind == "orc":
        return not head[:64].isascii() or b"\0" in head[:64]
    if kind == "webp":
        return head.startswith(b"RIFF")
    return True


def _is_old_stata(head: bytes) -> bool:
    """Release, byte order 1 or 2, file type 1, a zero: the first four bytes of Stata 5 to 12."""
    return len(head) > 109 and head[0] in _OLD_STATA and head[1] in {1, 2} and head[2:4] == b"\x01\0"  # noqa: PLR2004


def _is_dbf(head: bytes, n_bytes: int) -> bool:
    """A dBase header whose sizes agree with the file's: the first byte alone would say little."""
    if len(head) < 65 or head[0] not in {0x03, 0x30, 0x83, 0x8B, 0xF5}:  # noqa: PLR2004
        return False
    rows, header, width = (int.from_bytes(head[a:b], "little") for a, b in ((4, 8), (8, 10), (10, 12)))
    is_whole = header >= 65 and width > 0 and 0 <= n_bytes - (header + rows * width) <= 1  # noqa: PLR2004
    return is_whole and 1 <= head[2] <= 12 and 1 <= head[3] <= 31  # noqa: PLR2004


def rare_format(head: bytes) -> str | None:
    """Ask puremagic about a binary file that the table does not know; None unless it is sure."""
    try:
        import puremagic  # noqa: PLC0415 an optional library
    except ImportError:
        return None
    try:
        found = puremagic.magic_string(head[:8192])
    except (puremagic.PureError, ValueError):
        return None
    best = max(found, key=lambda one: one.confidence, default=None)
    return best.extension.lstrip(".").lower() or None if best and best.confidence >= _SURE else None
