"""A text-only PDF with fixed dates, so that the same text gives the same bytes."""

from collections.abc import Iterable
from datetime import UTC, datetime

LINE_HEIGHT_MM = 3.5
FONT_SIZE = 8
WRITTEN_AT = datetime(2000, 1, 1, tzinfo=UTC)


def text_pdf(texts: Iterable[str]) -> bytes:
    """Return a PDF of the texts, each starting on a page of its own; what Latin-1 lacks becomes `?`."""
    from fpdf import FPDF  # noqa: PLC0415 -- optional: extra `demo`

    document = FPDF(format="A4")
    document.set_creation_date(WRITTEN_AT)
    document.set_font("Courier", size=FONT_SIZE)
    for text in texts:
        document.add_page()
        for line in text.encode("latin-1", "replace").decode("latin-1").splitlines():
            document.multi_cell(0, LINE_HEIGHT_MM, line, new_x="LMARGIN", new_y="NEXT")
    return bytes(document.output())
