"""What a reader returns about a file, and how names that nobody vouches for enter a record."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from coda_bench.construct.environment.profiling.limits import LONGEST_NAME, MOST_COLUMNS, MOST_TABLES
from coda_bench.records.environment import Column, DataTable, Depth, Problem


class Unreadable(Exception):
    """A file is not what its first bytes say, or breaks off; the message is the problem's text."""

    def __init__(self, message: str, form: str | None = None) -> None:
        super().__init__(message)
        self.form = form
        """What it would be, where its bytes say more than a signature does."""


@dataclass(frozen=True)
class Reading:
    """What the content of a file says; hash and path are added by the caller."""

    format: str
    tables: tuple[DataTable, ...] = ()
    encoding: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    n_members: int | None = None
    read: Depth = "whole"
    layers: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = field(default=())

    def noting(self, kind: str, message: str) -> "Reading":
        """Return the same reading with one problem more."""
        return replace(self, problems=(*self.problems, problem(kind, message)))


def problem(kind: str, message: str) -> Problem:
    """Return a problem whose text is short and can be stored as UTF-8."""
    return Problem(kind=kind, message=clean(message, 400))


def clean(text: object, longest: int = LONGEST_NAME) -> str:
    """Return a name as text that can be stored: no half of a surrogate pair, not longer than a person reads."""
    shown = str(text).encode("utf-8", "replace").decode("utf-8")
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"


def table(columns: Iterable[tuple[object, str]], rows: int | None, name: object = None) -> DataTable:
    """Build a table from (name, type) pairs, listing at most as many columns as a record may hold."""
    pairs = list(columns)
    listed = tuple(Column(name=clean(one), type=clean(kind)) for one, kind in pairs[:MOST_COLUMNS])
    return DataTable(name=None if name is None else clean(name), rows=rows, columns=listed, n_columns=len(pairs))


def with_tables(reading: Reading, tables: Sequence[DataTable]) -> Reading:
    """Return the reading with tables; what is not listed is said."""
    found = replace(reading, tables=tuple(tables[:MOST_TABLES]))
    if len(tables) > MOST_TABLES:
        found = found.noting("too_many_tables", f"{len(tables)} tables; the first {MOST_TABLES} are listed")
    wide = [one for one in found.tables if one.n_columns > MOST_COLUMNS]
    if wide:
        found = found.noting("too_many_columns", f"{wide[0].n_columns} columns; the first {MOST_COLUMNS} are listed")
    return found
