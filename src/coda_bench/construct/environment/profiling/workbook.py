"""Workbooks (xlsx): sheets, rows and types of columns, by openpyxl in its streaming mode; formulas are not computed."""

import datetime as dt
import warnings
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from coda_bench.construct.environment.profiling.limits import MOST_COLUMNS, Limits
from coda_bench.construct.environment.profiling.reading import Reading, Unreadable, table, with_tables
from coda_bench.records.environment import DataTable

_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (dt.datetime, "timestamp"),
    (dt.date, "date"),
    (str, "text"),
)
_WIDER = {("integer", "number"): "number", ("date", "timestamp"): "timestamp"}


def read_workbook(path: Path, limits: Limits) -> Reading:
    """Return the sheets of a workbook; the first row of a sheet that holds anything is taken for its header.

    Raises:
        Unreadable: it is broken, or its parts would unpack to more than a workbook may.
    """
    import openpyxl  # noqa: PLC0415 an optional library

    with zipfile.ZipFile(path) as parts:
        n_bytes = sum(part.file_size for part in parts.infolist())
    if n_bytes > limits.workbook_bytes:
        raise Unreadable(f"its parts unpack to {n_bytes} bytes; a workbook may have {limits.workbook_bytes}")
    try:
        with path.open("rb") as stream, warnings.catch_warnings():  # of a path, openpyxl judges the name
            warnings.simplefilter("ignore")  # openpyxl warns of every style and extension that it leaves out
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True, keep_links=False)
            try:
                tables = [_sheet(name, book[name].iter_rows(values_only=True)) for name in _sheet_names(book)]
            finally:
                book.close()
    except (MemoryError, Unreadable):
        raise
    except Exception as error:  # openpyxl raises whatever a malformed part makes it meet
        raise Unreadable(f"workbook: {type(error).__name__}: {error}") from error
    return with_tables(Reading("xlsx"), tables)


def _sheet_names(book: Any) -> list[str]:
    """Return the sheets of cells; sheets of charts have none."""
    return [sheet.title for sheet in book.worksheets]


def _sheet(name: str, rows: Iterable[Sequence[Any]]) -> DataTable:
    names: list[str] | None = None
    types: list[str] = []
    n_rows = 0
    for row in rows:
        if all(cell is None for cell in row):
            continue
        if names is None:
            names = [f"column{n}" if cell is None else str(cell) for n, cell in enumerate(row)]
            continue
        n_rows += 1
        types += ["empty"] * (len(row) - len(types))
        for place, cell in enumerate(row[: 5 * MOST_COLUMNS]):
            if cell is not None:
                types[place] = _together(types[place], _kind(cell))
    names = names or []
    names += [f"column{n}" for n in range(len(names), len(types))]
    types += ["empty"] * (len(names) - len(types))
    return table(zip(names, types, strict=True), n_rows, name)


def _kind(cell: Any) -> str:
    return next((name for kind, name in _KINDS if isinstance(cell, kind)), "text")


def _together(one: str, other: str) -> str:
    if one in {other, "empty"}:
        return other
    return _WIDER.get((min(one, other), max(one, other)), "mixed")
