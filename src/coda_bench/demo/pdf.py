"""A text-only PDF: fixed-width pages, no compression, no clock, so the same text gives the same bytes.

Format: PDF 1.4 (ISO 32000-1, section 7.5); Courier is one of the standard fonts every reader has.
"""

import textwrap
from collections.abc import Iterable, Sequence

PAGE_SIZE = (595, 842)
"""A4 in points."""
FONT_SIZE = 8
LINE_HEIGHT = 10
MARGIN = 50
LINES_A_PAGE = (PAGE_SIZE[1] - 2 * MARGIN) // LINE_HEIGHT
COLUMNS = int((PAGE_SIZE[0] - 2 * MARGIN) / (FONT_SIZE * 0.6))
"""Courier is 0.6 of its size wide."""


def text_pdf(texts: Iterable[str]) -> bytes:
    """Return a PDF of the texts, each starting on a page of its own; what Latin-1 lacks becomes `?`."""
    pages = [page for text in texts for page in _pages(text)]
    first_page = 4
    page_numbers = [first_page + 2 * index for index in range(len(pages))]
    kids = " ".join(f"{number} 0 R" for number in page_numbers)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
    ]
    for number, lines in zip(page_numbers, pages, strict=True):
        objects += [_page(number + 1), _content(lines)]
    return _file(objects)


def _pages(text: str) -> list[list[str]]:
    lines = [part for line in text.splitlines() for part in textwrap.wrap(line, COLUMNS) or [""]]
    return [lines[start : start + LINES_A_PAGE] for start in range(0, len(lines), LINES_A_PAGE)]


def _page(content: int) -> bytes:
    width, height = PAGE_SIZE
    return (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] "
        f"/Resources << /Font << /F1 3 0 R >> >> /Contents {content} 0 R >>"
    ).encode()


def _content(lines: Sequence[str]) -> bytes:
    top = PAGE_SIZE[1] - MARGIN
    shown = "\n".join(f"({_escaped(line)}) '" for line in lines)
    stream = f"BT /F1 {FONT_SIZE} Tf {LINE_HEIGHT} TL {MARGIN} {top} Td\n{shown}\nET".encode("latin-1", "replace")
    return b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream)


def _escaped(line: str) -> str:
    return line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _file(objects: Sequence[bytes]) -> bytes:
    content = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(content))
        content += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(content)
    content += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    content += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    content += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(content)
