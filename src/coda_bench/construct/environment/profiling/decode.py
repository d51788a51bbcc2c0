"""The encoding of a text that is not plain UTF-8: proposed from a sample, confirmed by decoding every byte."""

import codecs
from pathlib import Path

from coda_bench.construct.environment.profiling.reading import Unreadable
from coda_bench.construct.environment.profiling.scan import BLOCK, Scan

_CANDIDATES = (
    "cp1252 iso8859_2 cp1250 cp1251 koi8_r cp1253 cp1254 cp1255 cp1256 "
    "shift_jis euc_jp gb18030 big5 euc_kr cp437 cp850 mac_roman"
).split()
_SAMPLE = 64 << 10
_WESTERN = "cp1252"
_MOSTLY = 0.9


def propose(scan: Scan) -> list[str]:
    """Return encodings to try, the likeliest first; Latin-1, which decodes anything, is not among them.

    Source of the proposal: charset-normalizer on 64 KiB around the first byte that is not UTF-8.
    """
    if scan.encoding not in {None, "ascii", "utf-8"}:
        return [str(scan.encoding)]
    if not scan.is_textual:
        return [name for name in ("utf-16-le", "utf-16-be") if _reads_as_wide(scan.head, name)]
    from charset_normalizer import from_bytes  # noqa: PLC0415 an optional library

    sample = (scan.not_utf8 + scan.head)[:_SAMPLE]
    matches = list(from_bytes(sample, cp_isolation=_CANDIDATES))
    found = [name for match in matches for name in (match.encoding, *match.could_be_from_charset)]
    first = [_WESTERN] if _WESTERN in found and _is_western(sample) else []
    return list(dict.fromkeys([*first, *(match.encoding for match in matches), _WESTERN]))


def _is_western(sample: bytes) -> bool:
    """Whether nearly all that is not ASCII are letters of Western Europe.

    A few such letters look as likely in any encoding of one byte a letter, and this one is by far the commonest.
    """
    marked = [letter for letter in sample.decode(_WESTERN, "ignore") if not letter.isascii()]
    return sum(letter.isalpha() for letter in marked) >= _MOSTLY * len(marked)


def _reads_as_wide(head: bytes, name: str) -> bool:
    """Whether every second byte is NUL for most of the beginning, as in UTF-16 of a Western text."""
    zeros = head[1::2] if name == "utf-16-le" else head[0::2]
    letters = head[0::2] if name == "utf-16-le" else head[1::2]
    return len(head) >= 8 and zeros.count(0) > 0.9 * len(zeros) and letters.count(0) < 0.02 * len(letters)  # noqa: PLR2004


def to_utf8(source: Path, encoding: str, target: Path, most_bytes: int) -> None:
    """Write a text anew as UTF-8, block by block, without a byte order mark.

    Raises:
        UnicodeError: a byte does not decode.
        Unreadable: the result would be larger than allowed.
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    written = 0
    with source.open("rb") as stream, target.open("wb") as out:
        while True:
            block = stream.read(BLOCK)
            text = decoder.decode(block, final=not block).encode("utf-8")
            written += len(text)
            if written > most_bytes:
                raise Unreadable(f"more than {most_bytes} bytes as UTF-8")
            out.write(text)
            if not block:
                return
