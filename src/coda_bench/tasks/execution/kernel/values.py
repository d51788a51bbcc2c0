"""Values as JSON: numbers, texts and times at labelled places, bounded in number and size.

A scalar is `[tag, content]`: `b` truth, `i` whole number, `f` number, `s` text, `t` point in time (ISO 8601), `d`
duration in seconds, `n` missing, `o` anything else by the name of its type.
"""

import datetime as dt
import math
import sys
from typing import Any

MOST_ROWS = 60
"""Of a table, from its beginning and as many from its end: what any display of it shows."""
MOST_COLUMNS = 60
MOST_ITEMS = 200
MOST_CHARACTERS = 500
MOST_DEPTH = 3

Described = dict[str, Any]


def describe(value: Any, depth: int = 0) -> Described:
    """Return what there is to see of a value."""
    found = _of_libraries(value, depth)
    if found is not None:
        return found
    if isinstance(value, dict):
        return _mapping(value, depth)
    if isinstance(value, (list, tuple, set, frozenset)):
        return _listed(list(value)[:MOST_ITEMS], len(value), type(value).__name__, depth)
    tagged = scalar(value)
    if tagged[0] == "o":
        return {"kind": "other", "type": tagged[1], "text": _text(value)}
    return {"kind": "scalar", "value": tagged}


def _of_libraries(value: Any, depth: int) -> Described | None:
    """Describe what pandas or NumPy made, if they are loaded."""
    pandas, numpy = sys.modules.get("pandas"), sys.modules.get("numpy")
    if pandas is not None and type(value).__name__ == "Styler":
        value = getattr(value, "data", value)
    if pandas is not None and isinstance(value, pandas.DataFrame):
        return _frame(value)
    if pandas is not None and isinstance(value, pandas.Series):
        return _series(value)
    if pandas is not None and isinstance(value, pandas.Index):
        return _listed(list(value[:MOST_ITEMS]), len(value), "Index", depth)
    return _array(value, depth) if numpy is not None and isinstance(value, numpy.ndarray) else None


def scalar(value: Any) -> list[Any]:
    """Return a single value, tagged."""
    if value is None:
        return ["n", None]
    if isinstance(value, str):
        return ["s", str(value)[:MOST_CHARACTERS]]
    if isinstance(value, bool):
        return ["b", value]
    if isinstance(value, int):
        return ["i", int(value)] if abs(value) < 1 << 200 else ["o", "int"]
    if isinstance(value, float):
        return _number(value)
    return _of_numpy(value) or _of_time(value) or _of_others(value)


def _number(value: float) -> list[Any]:
    if math.isnan(value):
        return ["n", None]
    return ["f", float(value)] if math.isfinite(value) else ["s", str(value)]


def _of_numpy(value: Any) -> list[Any] | None:
    numpy = sys.modules.get("numpy")
    if (
        numpy is None
        or not isinstance(value, numpy.generic)
        or isinstance(value, (numpy.datetime64, numpy.timedelta64))
    ):
        return None
    if isinstance(value, numpy.bool_):
        return ["b", bool(value)]
    if isinstance(value, numpy.integer):
        return ["i", int(value)]
    if isinstance(value, numpy.floating):
        return _number(float(value))
    return ["s", str(value)[:MOST_CHARACTERS]] if isinstance(value, numpy.str_) else None


def _of_time(value: Any) -> list[Any] | None:
    if isinstance(value, dt.timedelta):
        return ["d", value.total_seconds()] if value == value else ["n", None]  # noqa: PLR0124 - false of pandas.NaT
    if isinstance(value, (dt.date, dt.time)):
        return ["t", value.isoformat()] if value == value else ["n", None]  # noqa: PLR0124 - likewise
    name = type(value).__name__
    if name in {"NaTType", "NAType"}:
        return ["n", None]
    if name in {"datetime64", "timedelta64"}:
        return ["t" if name == "datetime64" else "s", str(value)]
    return ["s", str(value)] if name in {"Period", "Interval"} else None


def _of_others(value: Any) -> list[Any]:
    kind = type(value)
    if kind.__name__ in {"Decimal", "Fraction"}:
        return _number(float(value))
    return ["o", f"{kind.__module__}.{kind.__qualname__}"]


def _label(value: Any) -> list[Any]:
    """Return a label of a row or column; those of several levels as a list of scalars under `m`."""
    return ["m", [scalar(part) for part in value]] if isinstance(value, tuple) else scalar(value)


def _places(length: int, most: int) -> list[int]:
    if length <= 2 * most:
        return list(range(length))
    return [*range(most), *range(length - most, length)]


def _frame(frame: Any) -> Described:
    rows, columns = _places(len(frame), MOST_ROWS), _places(frame.shape[1], MOST_COLUMNS)
    picked = frame.iloc[rows, columns]
    return {
        "kind": "frame",
        "shape": list(frame.shape),
        "rows": rows,
        "index": [_label(one) for one in picked.index],
        "index_names": [None if one is None else str(one) for one in picked.index.names],
        "unique": [bool(frame.index.is_unique), bool(frame.columns.is_unique)],
        "places": columns,
        "columns": [_label(one) for one in picked.columns],
        "cells": [
            [scalar(picked.iat[row, column]) for column in range(picked.shape[1])] for row in range(picked.shape[0])
        ],
    }


def _series(series: Any) -> Described:
    rows = _places(len(series), MOST_ROWS)
    picked = series.iloc[rows]
    return {
        "kind": "series",
        "length": len(series),
        "name": None if series.name is None else _label(series.name),
        "rows": rows,
        "index": [_label(one) for one in picked.index],
        "index_names": [None if one is None else str(one) for one in picked.index.names],
        "unique": bool(series.index.is_unique),
        "values": [scalar(one) for one in picked],
    }


def _array(array: Any, depth: int) -> Described:
    if array.ndim == 0:
        return describe(array.item(), depth)
    return _listed(list(array[:MOST_ITEMS]), len(array), f"ndarray{array.ndim}", depth)


def _listed(items: list[Any], length: int, kind: str, depth: int) -> Described:
    if depth >= MOST_DEPTH:
        return {"kind": "other", "type": kind, "text": ""}
    return {"kind": "list", "type": kind, "length": length, "items": [describe(one, depth + 1) for one in items]}


def _mapping(value: dict[Any, Any], depth: int) -> Described:
    if depth >= MOST_DEPTH:
        return {"kind": "other", "type": "dict", "text": ""}
    items = list(value.items())[:MOST_ITEMS]
    return {
        "kind": "dict",
        "length": len(value),
        "keys": [_label(key) for key, _ in items],
        "items": [describe(one, depth + 1) for _, one in items],
    }


def _text(value: Any) -> str:
    try:
        return repr(value)[:MOST_CHARACTERS]
    except Exception:  # noqa: BLE001 - whatever a notebook's own class raises
        return ""
