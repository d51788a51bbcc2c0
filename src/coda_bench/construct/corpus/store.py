"""Storing a corpus, whatever it was read from: three tables, its findings, its manifest."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from coda_bench.construct.tables import write_table
from coda_bench.records.corpus import FINDINGS, MANIFEST, CorpusFinding, CorpusManifest, StoredTable
from coda_bench.records.storage import write_atomically

if TYPE_CHECKING:
    import duckdb

_COLUMNS = {
    "notebooks": {
        "notebook": "VARCHAR",
        "title": "VARCHAR",
        "language": "VARCHAR",
        "version": "VARCHAR",
        "path": "VARCHAR",
        "forked_from": "VARCHAR",
        "folded_into": "VARCHAR",
        "licence": "VARCHAR",
        "docker_image": "VARCHAR",
        "id": "BIGINT",
    },
    "datasets": {
        "dataset": "VARCHAR",
        "slug": "VARCHAR",
        "title": "VARCHAR",
        "version": "VARCHAR",
        "licence": "VARCHAR",
        "path": "VARCHAR",
        "files": "BIGINT",
        "bytes": "BIGINT",
        "tabular": "BIGINT",
        "id": "BIGINT",
    },
}
# Rows of the other two tables instead of names: a third of the time and of the bytes.
_USES = """
SELECT DISTINCT CAST(n.row AS INTEGER) AS notebook_row, CAST(d.row AS INTEGER) AS dataset_row
FROM uses u JOIN rows_of_notebooks n ON n.id = u.notebook_id JOIN rows_of_datasets d ON d.id = u.dataset_id
ORDER BY ALL
"""


class Reading(NamedTuple):
    """What there is to say about a corpus beside its tables."""

    source: str
    root: Path
    options: dict[str, Any]
    counts: dict[str, int]
    findings: Iterable[CorpusFinding]


def store(connection: "duckdb.DuckDBPyConnection", out: Path, found: Reading) -> CorpusManifest:
    """Write three tables of a database as a corpus.

    They are `notebooks` and `datasets`, with the source's `id` and the columns of a corpus, of which those that are
    missing stay empty, and `uses` (notebook_id, dataset_id). Rows are sorted by `id`, so the same content gives the
    same bytes whatever order it was read in.
    """
    with ThreadPoolExecutor() as beside:  # a sorted table is written by one thread
        written = {table: beside.submit(_write_sorted, connection.cursor(), table, out) for table in _COLUMNS}
        files = {f"{table}.parquet": future.result() for table, future in written.items()}
    files["uses.parquet"] = write_table(connection, _USES, out / "uses.parquet")
    lines = sorted(finding.model_dump_json() for finding in found.findings)
    write_atomically(out / FINDINGS, "".join(f"{line}\n" for line in lines))
    manifest = CorpusManifest(
        source=found.source, root=str(found.root), options=found.options, counts=found.counts, files=files
    )
    write_atomically(out / MANIFEST, manifest.model_dump_json(indent=2) + "\n")
    return manifest


def _write_sorted(connection: "duckdb.DuckDBPyConnection", table: str, out: Path) -> StoredTable:
    """Write a table and number its rows as they are stored."""
    path = out / f"{table}.parquet"
    described = write_table(connection, _sorted(connection, table), path)
    number = f"CREATE TABLE rows_of_{table} AS SELECT id, file_row_number AS row "
    connection.execute(f"{number} FROM read_parquet(?, file_row_number = true)", [str(path)])
    return described


def _sorted(connection: "duckdb.DuckDBPyConnection", table: str) -> str:
    """Return the query that gives a table's stored form."""
    columns = _COLUMNS[table]
    there = {row[0] for row in connection.execute(f"DESCRIBE {table}").fetchall()}
    chosen = [f"CAST({name if name in there else 'NULL'} AS {kind}) AS {name}" for name, kind in columns.items()]
    return f"SELECT {', '.join(chosen)} FROM {table} ORDER BY id"  # noqa: S608 - names of our own
