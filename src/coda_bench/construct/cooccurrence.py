"""The graph of data sets: w(i, j) is the number of distinct notebooks that use both (paper, section 3)."""

from pathlib import Path

from coda_bench.construct.tables import database, needed, write_table
from coda_bench.records.community import GRAPH, GraphManifest, GraphOptions
from coda_bench.records.storage import write_atomically

_REMEDY = "a corpus has to be read first: `coda-bench corpus`"
# A fork says less about what belongs together than the notebook it copies; the same pair of tables is listed once.
_USES = """
CREATE TABLE uses AS
SELECT n.rank AS notebook, d.rank AS dataset, n.weight
FROM (SELECT DISTINCT notebook, dataset FROM read_parquet($uses)) u
JOIN (SELECT notebook, row_number() OVER (ORDER BY notebook) AS rank,
             CASE WHEN forked_from IS NULL THEN 1.0 ELSE $fork_weight END AS weight
      FROM read_parquet($notebooks)) n USING (notebook)
JOIN datasets d USING (dataset)
"""
_DATASETS = """
CREATE TABLE datasets AS
SELECT dataset, CAST(row_number() OVER (ORDER BY dataset) - 1 AS INTEGER) AS rank FROM read_parquet($datasets)
"""
_SOURCES = "CREATE TABLE sources AS SELECT notebook, count(*) AS n FROM uses GROUP BY notebook"
_COUNTED = """
CREATE TABLE counted AS SELECT u.* FROM uses u JOIN sources s USING (notebook)
WHERE u.weight > 0 AND ($max_sources IS NULL OR s.n <= $max_sources) AND s.n > 1
"""
_EDGES = """
CREATE TABLE edges AS
SELECT a.dataset AS a, b.dataset AS b, sum(a.weight) AS weight
FROM counted a JOIN counted b ON a.notebook = b.notebook AND a.dataset < b.dataset
GROUP BY ALL HAVING sum(a.weight) >= $min_weight
"""
_STORED_EDGES = """
SELECT x.dataset AS a, y.dataset AS b, weight FROM edges JOIN datasets x ON x.rank = a JOIN datasets y ON y.rank = b
ORDER BY edges.a, edges.b
"""
_STORED_NODES = """
SELECT d.dataset, coalesce(n, 0) AS notebooks
FROM datasets d LEFT JOIN (SELECT dataset AS rank, count(*) AS n FROM uses GROUP BY dataset) USING (rank) ORDER BY rank
"""
_COUNTS = """
SELECT (SELECT count(*) FROM datasets) AS datasets,
       (SELECT count(*) FROM sources) AS notebooks,
       (SELECT count(*) FROM edges) AS edges,
       (SELECT count(*) FROM datasets WHERE rank NOT IN (SELECT a FROM edges UNION SELECT b FROM edges)) AS isolated,
       (SELECT count(*) FROM sources WHERE n > $max_sources) AS notebooks_with_too_many_sources,
       (SELECT count(DISTINCT notebook) FROM uses WHERE weight = 0) AS forks_left_out
"""


def build_graph(corpus: Path, out: Path, options: GraphOptions | None = None) -> GraphManifest:
    """Count in how many notebooks each two data sets meet, and store the graph in `out`.

    Args:
        corpus: a directory with the three tables of a corpus.
        out: the directory to write `graph.json`, `nodes.parquet` and `edges.parquet` to.
        options: how notebooks weigh.

    Raises:
        BadInput: a table is missing or lacks a column.
    """
    options = options or GraphOptions()
    paths = {name: str(needed(corpus / f"{name}.parquet", _REMEDY)) for name in ("notebooks", "datasets", "uses")}
    with database() as connection:
        connection.execute(_DATASETS, {"datasets": paths["datasets"]})
        named = {"uses": paths["uses"], "notebooks": paths["notebooks"], "fork_weight": options.fork_weight}
        connection.execute(_USES, named)
        connection.execute(_SOURCES)
        connection.execute(_COUNTED, {"max_sources": options.max_sources})
        connection.execute(_EDGES, {"min_weight": options.min_weight})
        found = connection.execute(_COUNTS, {"max_sources": options.max_sources})
        names = [column[0] for column in found.description]
        counts = dict(zip(names, map(int, found.fetchall()[0]), strict=True))
        files = {
            "edges.parquet": write_table(connection, _STORED_EDGES, out / "edges.parquet"),
            "nodes.parquet": write_table(connection, _STORED_NODES, out / "nodes.parquet"),
        }
    manifest = GraphManifest(options=options, counts=counts, files=files)
    write_atomically(out / GRAPH, manifest.model_dump_json(indent=2) + "\n")
    return manifest
