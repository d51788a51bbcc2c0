"""SQLite databases, read-only: tables, columns and row counts. Views, triggers and virtual tables are never run."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from coda_bench.construct.environment.profiling.limits import MOST_TABLES
from coda_bench.construct.environment.profiling.reading import Reading, Unreadable, table, with_tables
from coda_bench.records.environment import DataTable

_STEPS = 100_000
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_PRAGMA}
_PRAGMAS = {"table_info", "trusted_schema"}
_FUNCTIONS = {"count"}


def read_database(path: Path, seconds: float) -> Reading:
    """Return the tables of a database.

    Args:
        path: the file; it is opened as one that nobody changes, so that no journal is looked for or written.
        seconds: after which counting stops.

    Raises:
        Unreadable: it is damaged, encrypted, or counting took too long.
    """
    address = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            _guard(connection, time.monotonic() + seconds)
            rows = connection.execute("select name, type, sql from sqlite_master order by name").fetchall()
            plain = [name for name, kind, sql in rows if kind == "table" and not _is_virtual(sql)]
            tables = [_table(connection, name) for name in plain if not str(name).startswith("sqlite_")][:MOST_TABLES]
    except (sqlite3.Error, UnicodeError) as error:
        raise Unreadable(f"SQLite: {error}") from error
    reading = with_tables(Reading("sqlite"), tables)
    virtual = [name for name, kind, sql in rows if kind == "table" and _is_virtual(sql)]
    if virtual:
        reading = reading.noting("virtual_table", f"{len(virtual)} virtual tables were not read: {virtual[:5]}")
    if len(plain) > MOST_TABLES:
        reading = reading.noting("too_many_tables", f"{len(plain)} tables; the first {MOST_TABLES} were read")
    return reading


def _guard(connection: sqlite3.Connection, deadline: float) -> None:
    """Let the connection read plain tables and nothing else."""
    connection.execute("pragma trusted_schema = off")
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    connection.set_authorizer(_judge)
    connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 64 << 20)


def _judge(action: int, first: str | None, second: str | None, database: str | None, trigger: str | None) -> int:
    del database
    is_allowed = action in _ALLOWED and trigger is None
    if action == sqlite3.SQLITE_PRAGMA:
        is_allowed = is_allowed and first in _PRAGMAS
    if action == sqlite3.SQLITE_FUNCTION:
        is_allowed = is_allowed and second in _FUNCTIONS
    return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY


def _is_virtual(sql: str | None) -> bool:
    return bool(sql) and str(sql).lower().split()[:2] == ["create", "virtual"]


def _table(connection: sqlite3.Connection, name: str) -> DataTable:
    quoted = '"' + name.replace('"', '""') + '"'
    columns = [(row[1], str(row[2]).lower() or "any") for row in connection.execute(f"pragma table_info({quoted})")]
    (n_rows,) = connection.execute(f"select count(*) from {quoted}").fetchone()  # noqa: S608 a quoted name
    return table(columns, int(n_rows), name)
