"""Tables that a notebook stored as HTML, as a grid of texts with the labels of rows and columns."""

import re
from html.parser import HTMLParser
from typing import NamedTuple

_MOST_CELLS = 20_000


class _Cell(NamedTuple):
    text: str
    is_header: bool


class _Reader(HTMLParser):
    """Collects the rows of the first table; cells that span several places stand in each of them."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[dict[int, _Cell]] = []
        self._text: list[str] | None = None
        self._span = (1, 1)
        self._pending: dict[tuple[int, int], _Cell] = {}
        self._column = 0
        self._is_header = False
        self._done = False
        self._cells = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._done:
            return
        if tag == "tr":
            self.rows.append({})
            self._column = 0
            self._fill()
        elif tag in {"th", "td"} and self.rows:
            named = dict(attrs)
            self._span = _span(named.get("rowspan")), _span(named.get("colspan"))
            self._text, self._is_header = [], tag == "th"

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self._done = True
        elif tag in {"th", "td"} and self._text is not None and not self._done:
            self._put(_Cell(" ".join("".join(self._text).split()), self._is_header))
            self._text = None

    def _put(self, cell: _Cell) -> None:
        rows, columns = self._span
        row = len(self.rows) - 1
        self._cells += rows * columns
        if self._cells > _MOST_CELLS:
            self._done = True
            return
        for down in range(rows):
            for right in range(columns):
                self._pending[row + down, self._column + right] = cell
        self._fill()

    def _fill(self) -> None:
        """Take what reaches into the row from its left and from above."""
        row = len(self.rows) - 1
        while (row, self._column) in self._pending:
            self.rows[row][self._column] = self._pending.pop((row, self._column))
            self._column += 1


def _span(text: str | None) -> int:
    return int(text) if text and re.fullmatch(r"[1-9]\d{0,3}", text) else 1


class Grid(NamedTuple):
    """A table's texts: every body cell with its labels."""

    cells: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]]
    """By labels of row and column, one text for each level; several where labels repeat."""

    def at(self, row: list[str], column: list[str]) -> str | None:
        """Return the text of one cell, or None where there is none or more than one."""
        found = self.cells.get((tuple(row), tuple(column)), [])
        return found[0] if len(found) == 1 else None


def read_grid(html: str) -> Grid:
    """Read the first table of a stored output; what is no table gives an empty grid."""
    reader = _Reader()
    reader.feed(html)
    heads = [row for row in reader.rows if row and all(cell.is_header for cell in row.values())]
    bodies = [row for row in reader.rows if row and not all(cell.is_header for cell in row.values())]
    cells: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for row in bodies:
        label = tuple(cell.text for _, cell in sorted(row.items()) if cell.is_header)
        for place, cell in row.items():
            if not cell.is_header:
                column = tuple(head[place].text for head in heads if place in head and head[place].text)
                cells.setdefault((label, column), []).append(cell.text)
    return Grid(cells)
