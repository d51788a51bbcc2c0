"""JSON in its forms: one document, one object a line, GeoJSON, notebooks; columns from the keys of the objects."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from coda_bench.construct.environment.profiling.limits import Limits
from coda_bench.construct.environment.profiling.reading import Reading, Unreadable, table, with_tables
from coda_bench.construct.environment.profiling.scan import Scan
from coda_bench.records.environment import DataTable

_KINDS = {bool: "boolean", int: "integer", float: "number", str: "text", dict: "object", list: "array"}
_WIDER = {("integer", "number"): "number"}
_DEEP = "nested too deeply to be parsed"
_MOST_KEYS = 100_000
_SHOWN_LINES = 5


def read_json(path: Path, scan: Scan, *, limits: Limits) -> Reading | None:
    """Return what a JSON text holds, or None when it is none.

    Args:
        path: a UTF-8 file whose first letter that is no blank is a brace or bracket.
        scan: its bytes summed up.
        limits: the largest document.

    Raises:
        Unreadable: it begins like JSON and breaks off, or is nested too deeply.
    """
    if _is_one_object_a_line(scan):
        return _read_lines(path, limits)
    if scan.n_bytes > limits.json_bytes:
        reading = Reading("json", read="form")
        return reading.noting("too_large", f"a document of more than {limits.json_bytes} bytes; it was not parsed")
    try:
        value = _parse(path.read_text("utf-8-sig"))
    except RecursionError as error:
        raise Unreadable(_DEEP, "json") from error
    except ValueError as error:
        if _begins_as_json(scan):
            raise Unreadable(f"JSON that breaks off or is malformed: {error}", "json") from error
        return None
    return _document(value)


def _parse(text: str | bytes) -> Any:
    return json.loads(text, parse_int=_integer)


def _integer(digits: str) -> int:
    """Parse an integer; one of thousands of digits would take long, and its value is not asked for."""
    return int(digits) if len(digits) < 100 else 0  # noqa: PLR2004


def _begins_as_json(scan: Scan) -> bool:
    """Whether the text cannot be anything but JSON: a key or a nested value follows the first brace or bracket."""
    begin = scan.head.removeprefix(b"\xef\xbb\xbf").lstrip()[:2000]
    follows = begin[1:].lstrip()[:1]
    return bool(follows) and follows in (b'"' if begin[:1] == b"{" else b'"{[')


def _is_one_object_a_line(scan: Scan) -> bool:
    lines = [line for line in scan.head.removeprefix(b"\xef\xbb\xbf").splitlines()[:3] if line.strip()]
    if len(lines) < 2:  # noqa: PLR2004
        return False
    try:
        return all(isinstance(_parse(line), dict) for line in lines[:2])
    except (ValueError, RecursionError):
        return False


class _Columns:
    """Names and types of the keys of objects, in the order in which they first come."""

    def __init__(self) -> None:
        self.n_objects = 0
        self._types: dict[str, str] = {}

    def add(self, row: Mapping[str, Any]) -> None:
        self.n_objects += 1
        for key, value in row.items():
            kind = "empty" if value is None else _KINDS.get(type(value), "text")
            known = self._types.get(key)
            if known is None and len(self._types) >= _MOST_KEYS:
                continue
            self._types[key] = kind if known is None else _together(known, kind)

    def table(self, name: str | None = None) -> DataTable:
        return table(self._types.items(), self.n_objects, name)


def _together(one: str, other: str) -> str:
    if other in {one, "empty"}:
        return one
    if one == "empty":
        return other
    return _WIDER.get((min(one, other), max(one, other)), "mixed")


def _of(rows: Iterable[Mapping[str, Any]], name: str | None = None) -> DataTable:
    columns = _Columns()
    for row in rows:
        columns.add(row)
    return columns.table(name)


def _read_lines(path: Path, limits: Limits) -> Reading:
    columns, longest, n_bad = _Columns(), 16 * limits.line_bytes, 0
    bad: list[int] = []
    for number, line in _lines(path, longest):
        try:
            row = _parse(line.removeprefix(b"\xef\xbb\xbf"))
        except (ValueError, RecursionError):
            row = None
        if isinstance(row, dict):
            columns.add(row)
        else:
            n_bad += 1
            bad = bad if len(bad) >= _SHOWN_LINES else [*bad, number]
    reading = with_tables(Reading("ndjson"), [columns.table()])
    if n_bad:
        where = ", ".join(map(str, bad))
        reading = reading.noting("broken_rows", f"{n_bad} lines are no JSON object, the first on line {where}")
    return reading


def _lines(path: Path, longest: int) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as stream:
        number = 0
        while line := stream.readline(longest + 1):
            number += 1
            if len(line) > longest:
                raise Unreadable(f"line {number} is longer than {longest} bytes", "ndjson")
            if line.strip():
                yield number, line


def _document(value: Any) -> Reading:
    if isinstance(value, dict):
        if value.get("type") == "FeatureCollection" and isinstance(value.get("features"), list):
            return _geojson(value["features"])
        if isinstance(value.get("cells"), list) and "nbformat" in value:
            return Reading("notebook")
        tables = [_of(rows, name) for name, rows in value.items() if _is_rows(rows)]
        return with_tables(Reading("json"), tables)
    return with_tables(Reading("json"), [_of(value)]) if _is_rows(value) else Reading("json")


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _geojson(features: list[Any]) -> Reading:
    whole = [one for one in features if isinstance(one, dict)]
    properties = [one["properties"] if isinstance(one.get("properties"), dict) else {} for one in whole]
    reading = with_tables(Reading("geojson"), [_of(properties)])
    if len(whole) < len(features):
        reading = reading.noting("broken_rows", f"{len(features) - len(whole)} features are no objects")
    return reading
