"""Tables in the formats that data sets come in, read whole or only their first rows."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd  # type: ignore[import-untyped]  # pandas ships no types

SAMPLE_ROWS = 200
_COMPRESSED = (".gz", ".bz2", ".xz", ".zip")
_MOST_JSON_BYTES = 30_000_000


class Table(NamedTuple):
    """A table of a file; `part` is a sheet's or an SQLite table's name, else empty."""

    path: str
    part: str
    frame: Any


def kind(path: str) -> str:
    """Return the format by the file's name: `csv` for `a.csv.gz`."""
    name = path.lower()
    for ending in _COMPRESSED:
        name = name.removesuffix(ending)
    return Path(name).suffix.lstrip(".")


def readable(path: str) -> bool:
    """Whether this program knows the format."""
    return kind(path) in _READERS


def tables(path: str, rows: int | None = None) -> Iterator[Table]:
    """Yield the tables of a file, with their first `rows` rows or all."""
    for part, frame in _READERS[kind(path)](path, rows):
        yield Table(path, part, frame)


def _csv(path: str, rows: int | None) -> Iterator[tuple[str, Any]]:
    with _text(path) as stream:
        separator = _separator(stream.readline())
    yield "", pd.read_csv(path, sep=separator, nrows=rows, encoding_errors="replace", on_bad_lines="skip")


def _text(path: str) -> Any:
    return pd.io.common.get_handle(path, "r", encoding="utf-8", errors="replace", compression="infer").handle


def _separator(line: str) -> str:
    return max([",", ";", "\t", "|"], key=line.count) if line.strip() else ","


def _json(path: str, rows: int | None) -> Iterator[tuple[str, Any]]:
    with _text(path) as stream:
        text = stream.read(_MOST_JSON_BYTES)
    try:
        content = json.loads(text)
    except ValueError:
        content = [json.loads(line) for line in text.splitlines()[:rows] if line.strip()]
    found = _records(content)
    if found:
        yield "", pd.json_normalize(found[:rows], max_level=1)


def _records(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, list):
        return [row for row in content if isinstance(row, dict)]
    if isinstance(content, dict):
        lists = [value for value in content.values() if isinstance(value, list)]
        return max((_records(value) for value in lists), key=len, default=[])
    return []


def _parquet(path: str, rows: int | None) -> Iterator[tuple[str, Any]]:
    frame = pd.read_parquet(path)
    yield "", frame if rows is None else frame.head(rows)


def _excel(path: str, rows: int | None) -> Iterator[tuple[str, Any]]:
    for sheet, frame in pd.read_excel(path, sheet_name=None, nrows=rows).items():
        yield str(sheet), frame


def _stata(path: str, rows: int | None) -> Iterator[tuple[str, Any]]:
    if rows is None:
        yield "", pd.read_stata(path, convert_categoricals=True)
        return
    with pd.read_stata(path, chunksize=rows) as reader:
        yield "", next(iter(reader))


def _sqlite(path: str, rows: int | None) -> Iterator[tuple[str, Any]]:
    with sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True) as database:
        names = database.execute("select name from sqlite_master where type = 'table'").fetchall()
        for (name,) in names:
            quoted = str(name).replace('"', '""')
            limit = "" if rows is None else f" limit {int(rows)}"
            yield str(name), pd.read_sql_query(f'select * from "{quoted}"{limit}', database)  # noqa: S608  # quoted


_READERS: dict[str, Callable[[str, int | None], Iterator[tuple[str, Any]]]] = {
    "csv": _csv,
    "tsv": _csv,
    "tab": _csv,
    "data": _csv,
    "json": _json,
    "jsonl": _json,
    "geojson": _json,
    "parquet": _parquet,
    "xlsx": _excel,
    "dta": _stata,
    "sqlite": _sqlite,
    "sqlite3": _sqlite,
    "db": _sqlite,
}
