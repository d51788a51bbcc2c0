"""Conditions that a run is put under: another clock, perturbed inputs."""

import datetime as dt
import sys
import time
from collections.abc import Callable
from typing import Any

_KEPT = 3
"""Of so many rows in turn, one is left out."""
_FACTOR, _SHIFT = 1.37, 11
_READERS = (
    "read_csv read_table read_excel read_json read_parquet read_feather read_orc read_stata read_sas read_spss "
    "read_xml read_fwf read_html read_pickle read_hdf read_sql read_sql_query read_sql_table"
).split()


def shift_clock(seconds: float) -> None:
    """Let all that a notebook can ask for the time be told a later one."""
    real, later = time.time, dt.timedelta(seconds=seconds)
    time.time = lambda: real() + seconds
    time.time_ns = lambda: int((real() + seconds) * 1e9)
    setattr(dt, "datetime", _moment(later))  # noqa: B010 - a type checker forbids to assign a type
    setattr(dt, "date", _day(later))  # noqa: B010 - likewise
    pandas = sys.modules.get("pandas")
    if pandas is not None:
        for name in ("now", "today"):
            setattr(pandas.Timestamp, name, classmethod(_put_forward(getattr(pandas.Timestamp, name), later)))


def _put_forward(ask: Callable[..., Any], later: dt.timedelta) -> Callable[..., Any]:
    return lambda _cls, *arguments, **options: ask(*arguments, **options) + later


class _Like(type):
    """Makes what is an instance or subclass of a class's base pass for its own: only its clock differs."""

    def __instancecheck__(cls, one: Any) -> bool:
        return isinstance(one, cls.__mro__[1])

    def __subclasscheck__(cls, one: type) -> bool:
        return issubclass(one, cls.__mro__[1])


def _moment(later: dt.timedelta) -> type:
    true = dt.datetime

    class Later(dt.datetime, metaclass=_Like):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return true.now(tz) + later

        @classmethod
        def utcnow(cls) -> Any:
            return true.now(dt.UTC).replace(tzinfo=None) + later

        @classmethod
        def today(cls) -> Any:
            return true.now() + later

    return Later


def _day(later: dt.timedelta) -> type:
    true = dt.datetime

    class LaterDay(dt.date, metaclass=_Like):
        @classmethod
        def today(cls) -> Any:
            return (true.now() + later).date()

    return LaterDay


class Perturbation:
    """Changes what readers of tables return.

    `rows` leaves out one row of three, `few` all but the first fifth, `values` changes every number and text.
    """

    def __init__(self, how: str) -> None:
        self._change = {"rows": _fewer_rows, "few": _few_rows, "values": _other_values}[how]
        self.reached = 0
        """How many tables were changed."""

    def install(self) -> None:
        """Wrap the readers of pandas, of NumPy and of JSON."""
        for module, names in (("pandas", _READERS), ("numpy", ("loadtxt", "genfromtxt")), ("json", ("load", "loads"))):
            library = sys.modules.get(module)
            for name in names:
                if library is not None and hasattr(library, name):
                    setattr(library, name, self._wrapped(getattr(library, name)))

    def _wrapped(self, reader: Callable[..., Any]) -> Callable[..., Any]:
        def read(*arguments: Any, **options: Any) -> Any:
            return self._changed(reader(*arguments, **options))

        return read

    def _changed(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._changed(one) for name, one in value.items()}
        if isinstance(value, list):
            kept = [self._changed(one) for one in value]
            if self._change is _other_values or len(kept) < _KEPT:
                return kept
            self.reached += 1
            return [kept[row] for row in (_most_rows if self._change is _fewer_rows else _first_rows)(len(kept))]
        if hasattr(value, "iloc") or type(value).__name__ == "ndarray":
            self.reached += 1
            return self._change(value)
        return value


def _most_rows(length: int) -> list[int]:
    return [row for row in range(length) if row % _KEPT != 1]


def _first_rows(length: int) -> list[int]:
    return list(range(max(1, length // 5)))


def _fewer_rows(table: Any) -> Any:
    kept = _most_rows(len(table))
    return table.iloc[kept] if hasattr(table, "iloc") else table[kept]


def _few_rows(table: Any) -> Any:
    kept = _first_rows(len(table))[: len(table)]
    return table.iloc[kept] if hasattr(table, "iloc") else table[kept]


def _other_values(table: Any) -> Any:
    if not hasattr(table, "iloc"):
        return table * _FACTOR + _SHIFT if table.dtype.kind in "iuf" else table
    if not hasattr(table, "columns"):
        return _other_column(table)
    changed = {place: _other_column(table.iloc[:, place]) for place in range(table.shape[1])}
    made = table.copy()
    made.columns = range(table.shape[1])
    for place, column in changed.items():
        made[place] = column
    made.columns = table.columns
    return made


def _other_column(column: Any) -> Any:
    kind = getattr(column.dtype, "kind", "O")
    if kind == "b" or len(column) == 0:
        return ~column if kind == "b" else column
    if kind in "iu":
        return column * 2 + _SHIFT
    if kind == "f":
        return column * _FACTOR + _SHIFT
    moved = column.iloc[[*range(1, len(column)), 0]]
    moved.index = column.index
    return moved
