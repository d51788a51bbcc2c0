"""One pass over a file's bytes: its hash, and what is needed to tell text from anything else."""

import codecs
import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from coda_bench.construct.environment.profiling.reading import Unreadable

BLOCK = 1 << 20
HEAD = 256 << 10
TAIL = 4 << 10
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b"))
_MOST_CONTROLS = 0.002
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class Scan:
    """The bytes of a file, summed up."""

    sha256: str
    n_bytes: int
    head: bytes
    """The first 256 KiB."""
    tail: bytes
    """The last 4 KiB."""
    encoding: str | None
    """`ascii`, `utf-8`, what a byte order mark says, or None: no text, or text in another encoding."""
    not_utf8: bytes
    """The bytes around the first ones that are not UTF-8."""
    n_nul: int
    longest_line: int
    """Bytes between two line feeds at most."""
    n_line_feeds: int
    n_returns: int
    n_pairs: int
    """Carriage returns followed by a line feed."""

    @property
    def line_ends(self) -> tuple[str, ...]:
        """The kinds of line ends that occur, quoted or not."""
        alone = {"\r\n": self.n_pairs, "\n": self.n_line_feeds - self.n_pairs, "\r": self.n_returns - self.n_pairs}
        return tuple(end for end, n in alone.items() if n)

    @property
    def is_textual(self) -> bool:
        """Whether the beginning is text in an encoding that keeps ASCII: no NUL, hardly a control character."""
        controls = len(self.head) - len(self.head.translate(None, _CONTROLS))
        return bool(self.head) and b"\0" not in self.head and controls <= _MOST_CONTROLS * len(self.head)


class _Utf8:
    """Decodes block after block; remembers where that first failed."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self.is_ascii = True
        self.around = b""
        self.holds = True

    def feed(self, block: bytes, *, final: bool = False) -> None:
        if not self.holds or (self.is_ascii and block.isascii() and not final):
            return
        self.is_ascii = self.is_ascii and block.isascii()
        try:
            self._decoder.decode(block, final)
        except UnicodeDecodeError as error:
            self.holds = False
            self.around = error.object[max(0, error.start - 2048) : error.start + 2048]


class _Lines:
    """Measures lines without holding them."""

    def __init__(self) -> None:
        self.longest = self.n_feeds = self.n_returns = self.n_pairs = self._open = 0
        self._ends_in_return = False

    def feed(self, block: bytes) -> None:
        if b"\r" in block or self._ends_in_return:
            self.n_returns += block.count(b"\r")
            self.n_pairs += block.count(b"\r\n") + (self._ends_in_return and block.startswith(b"\n"))
        self._ends_in_return = block.endswith(b"\r")
        first, last = block.find(b"\n"), block.rfind(b"\n")
        if first < 0:
            self._open += len(block)
            self.longest = max(self.longest, self._open)
            return
        self.n_feeds += block.count(b"\n")
        self.longest = max(self.longest, self._open + first, *map(len, block[first + 1 : last].split(b"\n")))
        self._open = len(block) - last - 1

    def close(self) -> int:
        self.longest = max(self.longest, self._open)
        return self.longest


def scan_file(path: Path) -> Scan:
    """Read a regular file once, from beginning to end; no link is followed.

    Raises:
        Unreadable: it is no regular file.
        OSError: it cannot be opened or read.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb", buffering=0) as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise Unreadable("no regular file")
        digest, text, lines = hashlib.sha256(), _Utf8(), _Lines()
        n_bytes = n_nul = 0
        head = tail = b""
        while block := stream.read(BLOCK):
            digest.update(block)
            text.feed(block)
            if text.holds or n_bytes < BLOCK:
                lines.feed(block)
            n_nul += block.count(0)
            n_bytes += len(block)
            head = head if len(head) >= HEAD else (head + block)[:HEAD]
            tail = (tail + block)[-TAIL:]
        text.feed(b"", final=True)
    return Scan(
        sha256=digest.hexdigest(),
        n_bytes=n_bytes,
        head=head,
        tail=tail,
        encoding=_encoding(head, text),
        not_utf8=text.around,
        n_nul=n_nul,
        longest_line=lines.close(),
        n_line_feeds=lines.n_feeds,
        n_returns=lines.n_returns,
        n_pairs=lines.n_pairs,
    )


def _encoding(head: bytes, text: _Utf8) -> str | None:
    marked = next((name for mark, name in _BOMS if head.startswith(mark)), None)
    if marked == "utf-8-sig" and not text.holds:
        return None
    if marked:
        return marked
    return ("ascii" if text.is_ascii else "utf-8") if text.holds else None
