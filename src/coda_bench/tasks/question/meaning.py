"""What expressions over tables mean, as far as there are words for it.

*Rows* are a table with conditions; *values* are one thing of each row; *groups* are rows by the values of keys; a
*figure* is a single number and *figures* are many, told apart by labels. Each carries the words that a question needs.
"""

import re
from typing import NamedTuple

ROW, COLUMN = "row", "column"


class NoWords(Exception):
    """There are no words for an expression; the message names its part."""


class Rows(NamedTuple):
    """A table."""

    files: tuple[str, ...]
    """Source text of what reads it; more than one where tables are joined."""
    conditions: tuple[str, ...] = ()
    derived: tuple[tuple[str, str], ...] = ()
    """Columns that were computed, with the words for how."""
    columns: tuple[str, ...] | None = None
    """Where only some were chosen."""
    named_by: tuple[str, ...] = ()
    """Columns that name the rows."""
    remarks: tuple[str, ...] = ()
    """What else was done to the rows, as words."""
    order: str = ""
    """How the rows were sorted."""
    is_cut: bool = False
    """Whether only the first rows of that order are left: nothing computed from them has words."""


class Values(NamedTuple):
    """One thing of each row."""

    rows: Rows
    what: str
    """Words for it."""
    is_condition: bool = False
    is_text: bool = False


class Groups(NamedTuple):
    """Rows by the values of keys."""

    rows: Rows
    keys: tuple[str, ...]
    what: str | None = None
    """What of the rows is looked at; None for all columns."""
    condition: bool = False


class Figure(NamedTuple):
    """A single number or text."""

    phrase: str
    rows: Rows
    is_share: bool = False
    """Whether it lies between 0 and 1."""


class Figures(NamedTuple):
    """Numbers told apart by the labels of rows, and of columns where there are any."""

    phrase: str
    """With `{row}` and `{column}` where the labels come in."""
    rows: Rows
    row: tuple[str, ...]
    """What the labels of rows are values of, one for each level; `` when they are names of columns or statistics."""
    column: str | None = None
    """What the labels of columns are values of; None when there is one column only."""
    most: str = ""
    """How the rows are sorted: `highest`, `lowest` or not."""
    is_share: bool = False


Meaning = Rows | Values | Groups | Figure | Figures


def words(name: str) -> str:
    """Return a column's name as words."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|[_.\-\s]+", " ", name).strip()
    return spaced or name


def joined(parts: tuple[str, ...] | list[str]) -> str:
    """Join words as a list."""
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last
