"""The graph of data sets: w(i, j) is the number of distinct notebooks that use both (paper, section 3)."""

from pathlib import Path

from coda_bench.construct.tables import database, needed, write_table
from coda_bench.records.community import GRAPH, GraphManifest, GraphOptions
from coda_bench.records.storage import write_atomically

_REMEDY = "a corpus has to be read first: `coda-bench corpus`"
_DATASETS = """
CREATE TABLE datasets AS
SELECT dataset, CAST(file_row_number AS INTEGER) AS row FROM read_parquet($datasets, file_row_number = true)
"""
# A fork says less about what belongs together than the notebook it copies.
_FORKS = """
CREATE TABLE forks AS
SELECT CAST(file_row_number AS INTEGER) AS notebook
FROM read_parquet($notebooks, file_row_number = true) WHERE forked_from IS NOT NULL
"""
_SOURCES = """
CREATE TABLE sources AS
SELECT notebook_row AS notebook, count(*) AS n FROM read_parquet($uses) GROUP BY notebook_row
"""
_COUNTED = """
CREATE TABLE counted AS
SELECT u.notebook_row AS notebook, u.dataset_row AS dataset, CASE WHEN f.notebook IS NULL THEN 1.0 ELSE w END AS weight
FROM read_parquet($uses) u
JOIN (SELECT notebook, CAST($fork_weight AS DOUBLE) AS w FROM sources
      WHERE n > 1 AND ($max_sources IS NULL OR n <= $max_sources)) s ON s.notebook = u.notebook_row
LEFT JOIN forks f ON f.notebook = u.notebook_row
WHERE f.notebook IS NULL OR w > 0
"""
_EDGES = """
CREATE TABLE edges AS
SELECT a.dataset AS a, b.dataset AS b, sum(a.weight) AS weight
FROM counted a JOIN counted b ON a.notebook = b.notebook AND a.dataset < b.dataset
GROUP BY ALL HAVING sum(a.weight) >= $min_weight
"""
_STORED_EDGES = """
SELECT a AS a_row, b AS b_row, weight FROM edges ORDER BY a, b
"""
_STORED_NODES = """
SELECT d.dataset, coalesce(n, 0) AS notebooks
FROM datasets d
LEFT JOIN (
  SELECT dataset_row AS row, count(*) AS n FROM read_parquet('{uses}') GROUP BY dataset_row
) USING (row) ORDER BY row
"""
_COUNTS = """
SELECT (SELECT count(*) FROM datasets) AS datasets,
       (SELECT count(*) FROM sources) AS notebooks,
       (SELECT count(*) FROM edges) AS edges,
       (SELECT count(*) FROM datasets) - (SELECT count(*) FROM (SELECT a FROM edges UNION SELECT b FROM edges))
         AS isolated,
       (SELECT count(*) FROM sources WHERE n > $max_sources) AS notebooks_with_too_many_sources,
       (SELECT count(*) FROM sources JOIN forks USING (notebook) WHERE $fork_weight = 0) AS forks_left_out
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
        connection.execute(_FORKS, {"notebooks": paths["notebooks"]})
        connection.execute(_SOURCES, {"uses": paths["uses"]})
        named = {"max_sources": options.max_sources, "fork_weight": options.fork_weight}
        connection.execute(_COUNTED, {"uses": paths["uses"], **named})
        connection.execute(_EDGES, {"min_weight": options.min_weight})
        found = connection.execute(_COUNTS, named)
        names = [column[0] for column in found.description]
        counts = dict(zip(names, map(int, found.fetchall()[0]), strict=True))
        nodes = _STORED_NODES.format(uses=paths["uses"].replace("'", "''"))
        files = {
            "edges.parquet": write_table(connection, _STORED_EDGES, out / "edges.parquet"),
            "nodes.parquet": write_table(connection, nodes, out / "nodes.parquet"),
        }
    manifest = GraphManifest(options=options, counts=counts, files=files)
    write_atomically(out / GRAPH, manifest.model_dump_json(indent=2) + "\n")
    return manifest
