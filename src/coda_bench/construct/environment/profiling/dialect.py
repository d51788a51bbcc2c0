"""How a delimited text is written: delimiter, lines before the table, header; told from its first rows.

DuckDB's own sniffer is not asked: it takes prose with commas for a table, and a table with ragged rows for one column.
"""

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

DELIMITERS = (",", "\t", ";", "|")
_SAMPLE_ROWS = 300
_MOST_PREAMBLE = 20
_CONSISTENT = 0.8
_CONSISTENT_WHERE_NAMED = 0.4
_FEWEST_ROWS = 3
_NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*")
_YEAR = re.compile(r"\s*(?:1[5-9]|2[01])\d\d\s*")
_NAMED = {"csv", "tsv", "tab", "psv", "dat"}
_REPEATED = 0.5


@dataclass(frozen=True)
class Dialect:
    """How the rows of a delimited text are cut into cells."""

    delimiter: str
    n_columns: int
    skip: int
    """Lines before the header or the first row."""
    names: tuple[str, ...] | None
    """The header's cells, or None when the first row is data."""


@dataclass(frozen=True)
class _Cut:
    delimiter: str
    rows: list[list[str]]
    width: int
    consistency: float
    """Share of the rows that have the commonest number of cells."""


def find_dialect(sample: str, *, ending: str) -> Dialect | None:
    """Return how a text is delimited, or None when it is no table.

    Args:
        sample: the beginning of the text, whole lines.
        ending: the name's ending; it decides only where the content leaves both readings open: a single column,
            fewer than three rows, or rows of many lengths.
    """
    named = ending in _NAMED
    cuts = [cut for one in (*DELIMITERS, *(" " if named else "")) if (cut := _cut(sample, one)) is not None]
    wide = [cut for cut in cuts if cut.width > 1 and _is_table(cut, named=named)]
    if wide:  # blanks stand in cells too: they delimit where nothing else does
        return _dialect(max(wide, key=lambda cut: (cut.delimiter != " ", round(cut.consistency, 1), cut.width)))
    single = next((cut for cut in cuts if cut.delimiter == ","), None)
    if named and single and single.rows and all(len(row) <= 1 for row in single.rows):
        return _dialect(single)
    return None


def _cut(sample: str, delimiter: str) -> _Cut | None:
    lines = sample.splitlines(keepends=True)
    rows: list[list[str]] = []
    try:
        for row in csv.reader(lines, delimiter=delimiter):
            if row:
                rows.append(row)
            if len(rows) >= _SAMPLE_ROWS:
                break
    except csv.Error:  # a cell longer than the module's limit: an unclosed quote in prose
        return None
    if not rows:
        return None
    width, often = max(Counter(map(len, rows)).items(), key=lambda item: (item[1], item[0]))
    return _Cut(delimiter, rows, width, often / len(rows))


def _is_table(cut: _Cut, *, named: bool) -> bool:
    if named:
        return cut.consistency >= _CONSISTENT_WHERE_NAMED
    is_prose = _looks_like_prose(cut) if cut.delimiter in ",;" else _looks_drawn(cut)
    return len(cut.rows) >= _FEWEST_ROWS and cut.consistency >= _CONSISTENT and not is_prose


def _looks_like_prose(cut: _Cut) -> bool:
    """Whether cells begin with a blank, as after a comma in a sentence, and most hold several words."""
    cells = [cell for row in cut.rows for cell in row[1:]]
    spaced = sum(cell.startswith(" ") for cell in cells)
    wordy = sum(cell.strip().count(" ") >= 2 for row in cut.rows for cell in row)  # noqa: PLR2004
    return spaced > 0.8 * len(cells) and wordy > 0.3 * (len(cells) + len(cut.rows))


def _looks_drawn(cut: _Cut) -> bool:
    """Whether bars stand around the rows, as in a table drawn for the eye."""
    return cut.delimiter == "|" and not any(row[0].strip() for row in cut.rows if len(row) == cut.width)


def _dialect(cut: _Cut) -> Dialect:
    skip = next((i for i, row in enumerate(cut.rows[:_MOST_PREAMBLE]) if len(row) == cut.width), 0)
    if skip and any(len(row) > cut.width for row in cut.rows[:skip]):
        skip = 0
    first, body = cut.rows[skip], cut.rows[skip + 1 :]
    names = tuple(first + [""] * (cut.width - len(first))) if _is_header(first, body) else None
    return Dialect(cut.delimiter, len(names) if names else cut.width, skip, names)


def _is_header(first: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns.

    A number there means data, unless it is a year among names (wide tables have a column a year). Otherwise a
    text above a column of numbers is a name, and in a table of texts alone the first row is taken for names
    unless a cell is empty or repeats another, or half of them come again below.
    """
    filled = [cell for cell in first if cell.strip()]
    numbers = [cell for cell in filled if _NUMBER.fullmatch(cell)]
    if not filled or len(numbers) == len(filled) or any(not _YEAR.fullmatch(cell) for cell in numbers):
        return False
    if numbers or not body:
        return True
    columns = list(zip(*(row for row in body if len(row) == len(first)), strict=False))
    if any(_is_numeric(column) for column in columns):
        return True
    repeated = sum(name in column for name, column in zip(first, columns, strict=False))
    return len(filled) == len(first) == len(set(first)) and repeated < _REPEATED * len(first)


def _is_numeric(column: Sequence[str]) -> bool:
    filled = [cell for cell in column if cell.strip()]
    return bool(filled) and sum(bool(_NUMBER.fullmatch(cell)) for cell in filled) > 0.9 * len(filled)
