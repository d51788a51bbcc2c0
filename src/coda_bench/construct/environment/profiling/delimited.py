"""Delimited text, read whole by DuckDB: rows, ragged rows, and types that hold for every value.

Columns are read as text and each value is tested. DuckDB's own detection looks at the first 20,480 rows by default,
and casting by it rounds or drops what comes later without a word (docs/guide/environments.md).
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from coda_bench.construct.environment.profiling.dialect import Dialect, find_dialect
from coda_bench.construct.environment.profiling.limits import Limits
from coda_bench.construct.environment.profiling.reading import Reading, Unreadable, clean, table, with_tables
from coda_bench.construct.environment.profiling.scan import BLOCK, Scan

if TYPE_CHECKING:
    import duckdb

MOST_REJECTS = 10_000
_SAMPLED_ROWS = 2_048
_LEAST_LINE_BYTES = 64 << 10
_COLUMNS_A_PASS = 400
_NAMES = {",": "csv", "\t": "tsv"}
_RAGGED = {"MISSING COLUMNS", "TOO MANY COLUMNS"}
_TESTS = {
    "boolean": "lower(trim({c})) in ('true', 'false')",
    "integer": r"regexp_full_match({c}, '\s*[+-]?[0-9]+\s*')",
    "number": "try_cast({c} as double) is not null",
    "date": "try_cast({c} as date) is not null and length({c}) <= 12",
    "timestamp": "try_cast({c} as timestamp) is not null",
}
"""What each type means, the narrowest first; a column has the first that all its values pass."""


def read_delimited(
    path: Path, scan: Scan, *, name: str, limits: Limits, temp: Path, scratch: Path, threads: int
) -> Reading | None:
    """Return what a delimited text holds, or None when it is no table.

    Args:
        path: a UTF-8 file.
        scan: its bytes summed up.
        name: the file's name, whose ending decides doubtful cases.
        limits: the longest line, and memory.
        temp: folder for a copy with other line ends.
        scratch: folder for what DuckDB cannot hold in memory.
        threads: of DuckDB.

    Raises:
        Unreadable: it begins like a table, and cannot be read as one.
    """
    sample = scan.head.decode("utf-8-sig", "ignore")
    if len(scan.head) < scan.n_bytes:
        sample = sample[: sample.rfind("\n") + 1] or sample
    dialect = find_dialect(sample, ending=PurePosixPath(name).suffix.lower().lstrip("."))
    if dialect is None:
        return None
    form = _NAMES.get(dialect.delimiter, "delimited")
    header = dialect.names is not None
    reading = Reading(form, delimiter=dialect.delimiter, header=header, read="header")
    if scan.longest_line > limits.line_bytes and scan.line_ends != ("\r",):
        reading = with_tables(reading, [table([(one, "unknown") for one in _columns(dialect)], None)])
        return reading.noting("long_line", f"a line of {scan.longest_line} bytes; rows were not counted")
    with _connection(limits, scratch, threads) as connection:
        source, new_line = _with_one_line_end(path, scan, temp)
        found = _measure(_Reader(connection, source, dialect, limits, new_line), reading, scan)
    if source != path:
        found = found.noting("mixed_line_ends", f"{' and '.join(map(repr, scan.line_ends))}; some may be quoted")
    return found


def _with_one_line_end(path: Path, scan: Scan, temp: Path) -> tuple[Path, str]:
    """Return a file whose line ends are all alike, and that end.

    DuckDB refuses a file of mixed ends, or finds no rows in it and does not say so.
    """
    if len(scan.line_ends) < 2:  # noqa: PLR2004
        return path, {"\r": "\\r", "\r\n": "\\r\\n"}.get("".join(scan.line_ends), "\\n")
    plain = temp / "line_ends"
    with path.open(encoding="utf-8", newline=None) as stream, plain.open("w", encoding="utf-8", newline="\n") as out:
        shutil.copyfileobj(stream, out, BLOCK)
    return plain, "\\n"


@contextmanager
def _connection(limits: Limits, temp: Path, threads: int) -> Iterator["duckdb.DuckDBPyConnection"]:
    import duckdb  # noqa: PLC0415 an optional library

    connection = _opened(min(limits.memory_bytes // 3, 2 << 30) >> 20, str(temp), threads)
    try:
        connection.execute("drop table if exists reject_errors; drop table if exists reject_scans")
        yield connection
    except duckdb.OutOfMemoryException as error:
        raise MemoryError(str(error)) from error
    except duckdb.Error as error:
        raise Unreadable(f"DuckDB: {str(error).splitlines()[0]}", "delimited") from error


@lru_cache(maxsize=4)
def _opened(mebibytes: int, temp: str, threads: int) -> "duckdb.DuckDBPyConnection":
    """Open DuckDB once in a process: that takes as long as reading ten small files."""
    import duckdb  # noqa: PLC0415 an optional library

    settings: dict[str, Any] = {
        "threads": threads,
        "memory_limit": f"{mebibytes}MiB",
        "temp_directory": temp,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "preserve_insertion_order": False,
    }
    return duckdb.connect(":memory:", config=settings)


def _columns(dialect: Dialect) -> list[str]:
    if dialect.names is None:
        return [f"column{n}" for n in range(dialect.n_columns)]
    return [name.strip() or f"column{n}" for n, name in enumerate(dialect.names)]


class _Reader:
    """Puts questions about one file to DuckDB."""

    def __init__(
        self, connection: "duckdb.DuckDBPyConnection", path: Path, dialect: Dialect, limits: Limits, new_line: str
    ) -> None:
        self.dialect = dialect
        self._connection = connection
        width = dialect.n_columns
        line_bytes = min(limits.line_bytes, max(_LEAST_LINE_BYTES, path.stat().st_size)) + 1  # buffers are sized by it
        types = ", ".join(f"'c{n}': 'VARCHAR'" for n in range(width))
        delimiter = {"\t": "\\t"}.get(dialect.delimiter, dialect.delimiter)
        self._parameters = [str(path)]
        self._has_listed = False
        self._options = (
            f"delim=E'{delimiter}', quote='\"', escape='\"', header={dialect.names is not None}, skip={dialect.skip}, "
            f"new_line='{new_line}', auto_detect=false, columns={{{types}}}, max_line_size={line_bytes}, "
            "null_padding=false"
        )

    def one(self, expressions: list[str]) -> tuple[Any, ...]:
        """Evaluate aggregates over the file; the first time, list the rows that cannot be cut."""
        stored = "ignore_errors=true" if self._has_listed else f"store_rejects=true, rejects_limit={MOST_REJECTS}"
        self._has_listed = True
        query = f"select {', '.join(expressions)} from {self._source(stored)}"  # noqa: S608 columns are c0, c1, …
        return tuple(self._connection.execute(query, self._parameters).fetchall()[0])

    def narrowest(self, places: Sequence[int], *, first_rows: int | None = None) -> list[str]:
        """Return the narrowest type of each column, by testing all of them on the file or its first rows.

        Cells are turned into rows first: a query of thousands of aggregates would take seconds to plan.
        """
        limit = "" if first_rows is None else f" limit {first_rows}"
        rows = f"select * from {self._source('ignore_errors=true')}{limit}"  # noqa: S608 as above
        columns = ", ".join(f"c{n}" for n in places)
        tests = ", ".join(_fails("cell", kind) for kind in _TESTS)
        query = f"select name, {tests} from (unpivot ({rows}) on {columns} into name name value cell) group by name"  # noqa: S608
        found = self._connection.execute(query, self._parameters).fetchall()
        failures = {name: counts for name, *counts in found}
        return [_narrowest(failures.get(f"c{n}")) for n in places]

    def _source(self, errors: str) -> str:
        return f"read_csv(?, {self._options}, {errors})"

    def rejects(self) -> list[tuple[int, str]]:
        """Return (line, what) of the rows that could not be cut."""
        query = "select line, min(error_type::varchar) from reject_errors group by line order by line"
        return [(int(line), str(what)) for line, what in self._connection.execute(query).fetchall()]


def _narrowest(failures: Sequence[int] | None) -> str:
    """Return the first type that no value fails; a column that comes in no answer has no value."""
    if failures is None:
        return "empty"
    return next((kind for kind, n_failed in zip(_TESTS, failures, strict=True) if not n_failed), "text")


def _measure(reader: _Reader, reading: Reading, scan: Scan) -> Reading:
    width = reader.dialect.n_columns
    is_small = max(scan.n_line_feeds, scan.n_returns) <= _SAMPLED_ROWS
    if is_small:
        (n_good,) = reader.one(["count(*)"])
        sampled = types = reader.narrowest(range(width))
    else:
        sampled = reader.narrowest(range(width), first_rows=_SAMPLED_ROWS)
        n_good, types = _confirmed(reader, sampled)
    rejects = reader.rejects()
    columns = _columns(reader.dialect)
    n_rows = _row_count(reader.dialect, n_good, rejects, scan)
    reading = with_tables(replace(reading, read="whole"), [table(zip(columns, types, strict=True), n_rows)])
    both = zip(columns, sampled, types, strict=True)
    return _noted(reading, reader.dialect, rejects, [(name, a, b) for name, a, b in both if a not in {b, "empty"}])


def _row_count(dialect: Dialect, n_good: int, rejects: list[tuple[int, str]], scan: Scan) -> int | None:
    """Return the rows, or None where that is anybody's guess: an unclosed quote swallows the lines after it."""
    n_rows = n_good + len(rejects)
    if len(rejects) >= MOST_REJECTS:
        return None
    n_lines = max(scan.n_line_feeds, scan.n_returns) + (not scan.tail.endswith((b"\n", b"\r")))
    is_a_line_each = n_rows + dialect.skip + (dialect.names is not None) == n_lines
    return n_rows if is_a_line_each or all(what in _RAGGED for _, what in rejects) else None


def _confirmed(reader: _Reader, sampled: list[str]) -> tuple[int, list[str]]:
    """Return the rows and the types of all columns, given their types in the first rows.

    Those are confirmed over the whole file in one pass; only columns where that fails are tested for all types.
    """
    claims = [(n, kind) for n, kind in enumerate(sampled) if kind in _TESTS]
    n_rows, wrong = 0, [n for n, kind in enumerate(sampled) if kind == "empty"]
    for start in range(0, max(1, len(claims)), _COLUMNS_A_PASS):
        some = claims[start : start + _COLUMNS_A_PASS]
        n_rows, *failures = reader.one(["count(*)", *(_fails(f"c{n}", kind) for n, kind in some)])
        wrong += [n for (n, _), n_failed in zip(some, failures, strict=True) if n_failed]
    again = dict(zip(sorted(wrong), reader.narrowest(sorted(wrong)), strict=True)) if wrong else {}
    return n_rows, [again.get(n, kind) for n, kind in enumerate(sampled)]


def _fails(column: str, kind: str) -> str:
    return f"count(*) filter ({column} is not null and not ({_TESTS[kind].format(c=column)}))"


def _noted(
    reading: Reading, dialect: Dialect, rejects: list[tuple[int, str]], changes: list[tuple[str, str, str]]
) -> Reading:
    if dialect.skip:
        reading = reading.noting("preamble", f"{dialect.skip} lines before the table")
    for kinds, name in ((_RAGGED, "ragged_rows"), (None, "broken_rows")):
        lines = [line for line, what in rejects if (what in _RAGGED) == (kinds is not None)]
        if lines:
            many = "at least " if len(rejects) >= MOST_REJECTS else ""
            where = ", ".join(map(str, lines[:5]))
            what = "have more or fewer cells than most" if kinds else "cannot be cut into cells"
            reading = reading.noting(name, f"{many}{len(lines)} rows {what}, the first on line {where}")
    if changes:
        shown = ", ".join(f"{clean(name, 60)!r} ({a} → {b})" for name, a, b in changes[:5])
        text = f"{len(changes)} columns are of another type in the first {_SAMPLED_ROWS} rows: {shown}"
        reading = reading.noting("late_type", text)
    return _names_noted(reading, dialect)


def _names_noted(reading: Reading, dialect: Dialect) -> Reading:
    names = [name.strip() for name in dialect.names or ()]
    repeated = sorted({name for name in names if name and names.count(name) > 1})
    if repeated:
        reading = reading.noting("repeated_column", f"columns of one name: {clean(repeated[:5])}")
    if dialect.names is not None and not all(names):
        reading = reading.noting("unnamed_column", f"{names.count('')} columns without a name")
    return reading
