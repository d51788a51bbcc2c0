"""From a stored graph to stored communities."""

import hashlib
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from coda_bench.construct.communities import leiden
from coda_bench.construct.communities.describe import add_communities
from coda_bench.construct.tables import database, needed, write_table
from coda_bench.records.community import PARTITION, PartitionManifest, PartitionOptions
from coda_bench.records.storage import write_atomically

if TYPE_CHECKING:
    import duckdb

_NODES = """
CREATE TABLE nodes AS
SELECT dataset, notebooks, CAST(file_row_number AS INTEGER) AS rank FROM read_parquet($nodes, file_row_number = true)
"""
_EDGES = "CREATE TABLE edges AS SELECT a_row AS a, b_row AS b, weight FROM read_parquet($edges)"
# The name is made of the members alone, so it is the same whatever order they were read in.
_PARTITION = """
CREATE TABLE partition AS
WITH grouped AS (SELECT rank, label, dataset FROM labels JOIN nodes USING (rank)),
named AS (
  SELECT label, 'c' || left(sha256(string_agg(dataset, chr(10) ORDER BY dataset)), 10) AS community, count(*) AS size
  FROM grouped GROUP BY label
)
SELECT rank, community, size FROM grouped JOIN named USING (label)
UNION ALL
SELECT rank, 'c' || left(sha256(dataset), 10) AS community, 1 AS size
FROM nodes ANTI JOIN labels USING (rank)
"""
_STORED = "SELECT dataset, community FROM partition JOIN nodes USING (rank) ORDER BY rank"
_COUNTS = """
SELECT count(*), count(DISTINCT community), count(*) FILTER (size = 1), count(DISTINCT community) FILTER (size > 1)
FROM partition
"""


def find_communities(
    graph: Path, corpus: Path, out: Path, options: PartitionOptions | None = None
) -> PartitionManifest:
    """Partition a graph and store members and descriptions in `out`.

    Args:
        graph: the directory of `build_graph`.
        corpus: the corpus it was made from, for titles, files and bytes.
        out: the directory to write `communities.json`, `partition.parquet` and `communities.parquet` to.
        options: what decides the partition.

    Raises:
        BadInput: a table is missing or lacks a column.
    """
    options = options or PartitionOptions()
    with database() as connection:
        found = load_graph(connection, graph)
        parted = leiden.partition(found, options)
        _label(connection, found, parted)
        add_communities(connection, corpus, found, parted)
        files = {
            "partition.parquet": write_table(connection, _STORED, out / "partition.parquet"),
            "communities.parquet": write_table(
                connection, "SELECT * FROM communities ORDER BY datasets DESC, community", out / "communities.parquet"
            ),
        }
        numbers = map(int, connection.execute(_COUNTS).fetchall()[0])
    manifest = PartitionManifest(
        options=options,
        graph_sha256=_sha256(graph / "edges.parquet"),
        objective=leiden.OBJECTIVE,
        quality=round(parted.quality, 12),
        versions={"coda_bench": version("coda-bench"), "igraph": version("igraph")},
        counts=dict(zip(("datasets", "communities", "single", "of_two_or_more"), numbers, strict=True)),
        files=files,
    )
    write_atomically(out / PARTITION, manifest.model_dump_json(indent=2) + "\n")
    return manifest


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def load_graph(connection: "duckdb.DuckDBPyConnection", graph: Path) -> leiden.Graph:
    """Return a stored graph's nodes that have edges, as arrays; leaves the tables `nodes` and `edges`.

    Raises:
        BadInput: a table is missing or lacks a column.
    """
    import numpy as np  # noqa: PLC0415 - heavy, and an extra

    remedy = "the graph has to be built first"
    connection.execute(_NODES, {"nodes": str(needed(graph / "nodes.parquet", remedy))})
    connection.execute(_EDGES, {"edges": str(needed(graph / "edges.parquet", remedy))})
    rows = connection.execute("SELECT a, b, weight FROM edges ORDER BY a, b").fetchnumpy()
    pairs = np.stack([rows["a"], rows["b"]], axis=1).astype(np.int64)
    joined = np.bincount(pairs.ravel()) > 0
    places = np.cumsum(joined) - 1
    return leiden.Graph(np.flatnonzero(joined), places[pairs], np.asarray(rows["weight"], dtype=np.float64))


def _label(connection: "duckdb.DuckDBPyConnection", graph: leiden.Graph, parted: leiden.Found) -> None:
    import pyarrow as pa  # noqa: PLC0415 - heavy, and an extra

    labels = pa.table({"rank": graph.ranks.astype("int32"), "label": parted.membership.astype("int64")})
    connection.register("arrow_labels", labels)
    connection.execute("CREATE TABLE labels AS SELECT * FROM arrow_labels")
    connection.unregister("arrow_labels")
    connection.execute(_PARTITION)
