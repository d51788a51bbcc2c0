"""Headers of a tar stream, read strictly: what a member is called, what it is, how many bytes follow.

`tarfile` reads headers too kindly for archives from elsewhere: a hundred bytes keep it busy for minutes or end it by
recursion, and it follows sparse maps without end before anybody can refuse them. Here nothing is read but one block,
and extended headers of at most 64 KiB, each kind once before its member.

Source: POSIX.1-2017, pax, "pax Interchange Format"; the GNU tar manual, "Basic Tar Format" (long names, sizes beyond
8 GiB in base 256).
"""

from typing import NamedTuple, Protocol

from coda_bench.errors import BadInput

BLOCK_BYTES = 512
LONGEST_EXTENSION_BYTES = 64 << 10
_MOST_SIZE_DIGITS = 19
_KINDS = {
    b"0": "file",
    b"\0": "file",
    b"5": "folder",
    b"1": "hard link",
    b"2": "symbolic link",
    b"3": "character device",
    b"4": "block device",
    b"6": "pipe",
    b"S": "sparse file",
}
_GNU_NAMES = {b"L": "path", b"K": "linkpath"}
_EXTENSIONS = frozenset((b"x", b"g", *_GNU_NAMES))


class BadArchive(BadInput):
    """An archive that is not what it should be; nothing of it was kept."""


class EndsEarly(BadArchive):
    """The stream ends before the archive does; what decompresses it may know why."""


class Member(NamedTuple):
    """One member as its headers describe it; nothing of it is believed yet."""

    name: str
    """Bytes that are not UTF-8 stand as surrogates; slashes at the end are gone."""
    kind: str
    """`file`, `folder`, or what else it is."""
    size: int = 0
    """Bytes."""
    mode: int = 0o644
    target: str = ""
    """Where a link leads."""


class Stream(Protocol):
    """What headers are read from."""

    def exactly(self, size: int) -> bytes:
        """Return `size` bytes.

        Raises:
            EndsEarly: the stream ends before.
        """


def next_member(stream: Stream) -> Member | None:
    """Read the headers of the next member, or None at the mark that ends an archive.

    The stream then stands at the member's bytes, which are filled up to a multiple of `BLOCK_BYTES`.

    Raises:
        BadArchive: a header is broken, too long, or out of place.
    """
    extensions: dict[bytes, dict[str, str]] = {}
    while True:
        block = stream.exactly(BLOCK_BYTES)
        if not block.strip(b"\0") and not extensions:
            return None
        _check_sum(block)
        kind = block[156:157]
        if kind not in _EXTENSIONS:
            return _member(block, {key: value for found in extensions.values() for key, value in found.items()})
        if kind in extensions:
            raise BadArchive("two extended headers of one kind before a member")
        extensions[kind] = _extension(stream, kind, _number(block[124:136], "size"))


def padding(size: int) -> int:
    """Return how many bytes fill `size` up to whole blocks."""
    return -size % BLOCK_BYTES


def _extension(stream: Stream, kind: bytes, size: int) -> dict[str, str]:
    """Return what an extended header says, long names of GNU under the words of pax."""
    if size > LONGEST_EXTENSION_BYTES:
        raise BadArchive(f"an extended header of {size} bytes")
    content = stream.exactly(size + padding(size))[:size]
    if kind in _GNU_NAMES:
        return {_GNU_NAMES[kind]: _text(content)}
    records = _records(content)
    if kind == b"g" and not records.keys().isdisjoint({"path", "linkpath", "size"}):
        raise BadArchive("a global header that names all members alike")
    return records


def _check_sum(block: bytes) -> None:
    if sum(block[:148]) + 8 * 32 + sum(block[156:]) != _number(block[148:156], "checksum"):
        raise BadArchive("not a tar archive, or a broken header in it (wrong checksum)")


def _member(block: bytes, records: dict[str, str]) -> Member:
    name = records.get("path") or _own_name(block)
    target = records.get("linkpath") or _text(block[157:257])
    flag = block[156:157]
    kind = "folder" if flag == b"\0" and name.endswith("/") else _KINDS.get(flag, "member of unknown kind")
    if any(key.startswith("GNU.sparse.") for key in records):
        kind = "sparse file"
    size = _decimal(records["size"]) if "size" in records else _number(block[124:136], "size")
    return Member(name.rstrip("/") or name[:1], kind, size, _number(block[100:108], "mode"), target)


def _own_name(block: bytes) -> str:
    name, prefix = _text(block[:100]), _text(block[345:500])
    is_posix = block[257:263] == b"ustar\0"  # GNU keeps times where the prefix would be
    return f"{prefix}/{name}" if is_posix and prefix else name


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode("utf-8", "surrogateescape")


def _number(field: bytes, what: str) -> int:
    """Read an octal field, or one in base 256 as for files beyond 8 GiB."""
    if field[0] == 0x80:  # noqa: PLR2004 the mark of base 256
        return int.from_bytes(field[1:])
    digits = field.rstrip(b" \0").lstrip(b" ")
    if digits.strip(b"01234567"):
        raise BadArchive(f"not a tar archive, or a broken header in it ({what} {field!r})")
    return int(digits or b"0", 8)


def _decimal(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_SIZE_DIGITS):
        raise BadArchive(f"a size of {text[:40]!r}")
    return int(text)


def _records(content: bytes) -> dict[str, str]:
    """Cut an extended header into its records, `LENGTH KEY=VALUE` and a line break each."""
    found, at = {}, 0
    while at < len(content):
        length, blank, _ = content[at : at + 8].partition(b" ")
        end = at + int(length) if blank and length.isdigit() else 0
        key, sign, value = content[at + len(length) + 1 : end - 1].partition(b"=")
        if not (at < end <= len(content) and content[end - 1 : end] == b"\n" and key and sign):
            raise BadArchive("a broken extended header")
        if b"\0" in value and key in {b"path", b"linkpath"}:
            raise BadArchive("a zero byte in a name")
        found[key.decode("utf-8", "replace")] = value.decode("utf-8", "surrogateescape")
        at = end
    return found
