"""Storing a corpus, whatever it was read from: three tables, its findings, its manifest."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from coda_bench.construct.tables import write_table
from coda_bench.records.corpus import FINDINGS, MANIFEST, CorpusFinding, CorpusManifest
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
    },
    "uses": {"notebook": "VARCHAR", "dataset": "VARCHAR"},
}


class Reading(NamedTuple):
    """What there is to say about a corpus beside its tables."""

    source: str
    root: Path
    options: dict[str, Any]
    counts: dict[str, int]
    findings: Iterable[CorpusFinding]


def store(connection: "duckdb.DuckDBPyConnection", out: Path, found: Reading) -> CorpusManifest:
    """Write the tables `notebooks`, `datasets` and `uses` of a database as a corpus; a column it lacks is empty.

    Rows are sorted, so the same content gives the same bytes whatever order it was read in.
    """
    files = {}
    for table in _COLUMNS:
        name = f"{table}.parquet"
        files[name] = write_table(connection, _query(connection, table), out / name)
    lines = sorted(finding.model_dump_json() for finding in found.findings)
    write_atomically(out / FINDINGS, "".join(f"{line}\n" for line in lines))
    manifest = CorpusManifest(
        source=found.source, root=str(found.root), options=found.options, counts=found.counts, files=files
    )
    write_atomically(out / MANIFEST, manifest.model_dump_json(indent=2) + "\n")
    return manifest


def _query(connection: "duckdb.DuckDBPyConnection", table: str) -> str:
    there = {row[0] for row in connection.execute(f"DESCRIBE {table}").fetchall()}
    columns = _COLUMNS[table]
    chosen = [f"CAST({name if name in there else 'NULL'} AS {kind}) AS {name}" for name, kind in columns.items()]
    keys = ", ".join(list(columns)[: len(columns) if table == "uses" else 1])
    return f"SELECT {', '.join(chosen)} FROM {table} ORDER BY {keys}"  # noqa: S608 - names of our own
