"""Small corpora written by hand, and stored graphs read back."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import duckdb
import pyarrow as pa

from coda_bench.construct.corpus.store import Reading, store


def make_corpus(
    out: Path,
    uses: Mapping[str, Iterable[str]],
    *,
    datasets: Iterable[str],
    forks: Iterable[str] = (),
    titles: Mapping[str, str] | None = None,
    **columns: Mapping[str, object],
) -> None:
    """Store a corpus: by notebook the data sets it uses, with forks, titles and other columns of data sets by name."""
    names, notebooks = sorted(datasets), sorted(uses)
    number = {name: place for place, name in enumerate(names)}
    with duckdb.connect() as connection:
        connection.register("n", pa.table({
            "id": pa.array(range(len(notebooks)), pa.int64()),
            "notebook": pa.array(notebooks, pa.string()),
            "forked_from": pa.array(["x" if name in set(forks) else None for name in notebooks], pa.string()),
        }))  # fmt: skip
        connection.register("d", pa.table({
            "id": pa.array(range(len(names)), pa.int64()),
            "dataset": pa.array(names, pa.string()),
            "title": pa.array([(titles or {}).get(name, name) for name in names], pa.string()),
            **{column: [values.get(name) for name in names] for column, values in columns.items()},
        }))  # fmt: skip
        pairs = [(place, number[name]) for place, notebook in enumerate(notebooks) for name in uses[notebook]]
        connection.register("u", pa.table({
            "notebook_id": pa.array([one for one, _ in pairs], pa.int64()),
            "dataset_id": pa.array([other for _, other in pairs], pa.int64()),
        }))  # fmt: skip
        for table, source in (("notebooks", "n"), ("datasets", "d"), ("uses", "u")):
            connection.execute(f"CREATE TABLE {table} AS SELECT * FROM {source}")
        store(connection, out, Reading("folder", out, {}, {}, []))


def edges_of(folder: Path) -> dict[tuple[str, str], float]:
    """Return a stored graph's weights by pair of names."""
    query = f"""
    WITH nodes AS (
      SELECT dataset, file_row_number AS row FROM read_parquet('{folder}/graph/nodes.parquet', file_row_number = true)
    )
    SELECT x.dataset, y.dataset, weight FROM '{folder}/graph/edges.parquet'
    JOIN nodes x ON x.row = a_row JOIN nodes y ON y.row = b_row
    """
    return {(a, b): weight for a, b, weight in duckdb.sql(query).fetchall()}


def nodes_of(folder: Path) -> dict[str, int]:
    """Return a stored graph's notebooks by data set."""
    return dict(duckdb.sql(f"SELECT dataset, notebooks FROM '{folder}/graph/nodes.parquet'").fetchall())
