"""Tables on disk, and the database that joins them out of core."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from coda_bench.errors import BadInput, MissingExtra
from coda_bench.records.corpus import StoredTable
from coda_bench.sandbox.cleanup.folders import TEMPORARY

if TYPE_CHECKING:
    import duckdb

HINT = "construction needs more packages; install them with `pip install 'coda-bench[construct]'`"
_MEMORY = "2GB"


@contextmanager
def database(*, threads: int | None = None) -> Iterator["duckdb.DuckDBPyConnection"]:
    """Yield a database in memory that spills to a temporary folder, with bounded memory.

    Raises:
        MissingExtra: DuckDB is not installed.
        BadInput: a query failed on its data; the message is the database's.
    """
    try:
        import duckdb  # noqa: PLC0415 - heavy, and an extra
    except ImportError as missing:
        raise MissingExtra(HINT) from missing
    with tempfile.TemporaryDirectory(prefix=TEMPORARY.format(process=os.getpid())) as folder:
        settings: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": _MEMORY,
            "temp_directory": folder,
            "autoinstall_known_extensions": "false",
            "preserve_insertion_order": "false",  # what is stored is sorted by its query
        }
        if threads:
            settings["threads"] = str(threads)
        connection = duckdb.connect(config=settings)
        try:
            yield connection
        except duckdb.Error as error:
            raise BadInput(_said(str(error))) from error
        finally:
            connection.close()


def _said(message: str) -> str:
    """Return a database's error as one line: what, and the file with its line where it names one."""
    lines = [line.strip() for line in message.splitlines()]
    file = next((line.partition("=")[2].strip() for line in lines if line.startswith("file =")), "")
    what = " ".join(lines[: lines.index("")] if "" in lines else lines)
    return f"{file}: {what}" if file else what


def write_table(connection: "duckdb.DuckDBPyConnection", query: str, path: Path) -> StoredTable:
    """Write a query's rows as Parquet, in the order it gives them; the file appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    target = str(temporary).replace("'", "''")
    try:
        connection.execute(f"COPY ({query}) TO '{target}' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)")
        described = describe(connection, temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return described


def describe(connection: "duckdb.DuckDBPyConnection", path: Path) -> StoredTable:
    """Return a table's rows and the hash of its file."""
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256")
    row = connection.execute("SELECT count(*) FROM read_parquet(?)", [str(path)]).fetchone()
    return StoredTable(sha256=digest.hexdigest(), rows=int(row[0]) if row else 0)


def needed(path: Path, remedy: str) -> Path:
    """Return a file that has to be there.

    Raises:
        BadInput: it is not; the message says what makes it.
    """
    if not path.is_file():
        raise BadInput(f"{path}: no such file; {remedy}")
    return path


def fresh(folder: Path) -> Path:
    """Return a stage's folder, emptied: what an earlier run with other options left there is not this one's."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    return folder
