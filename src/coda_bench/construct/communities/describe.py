"""What a community is: size, files, bytes, notebooks, density, clustering, themes."""

from pathlib import Path
from typing import TYPE_CHECKING

from coda_bench.construct.communities.leiden import Found, Graph
from coda_bench.construct.tables import needed

if TYPE_CHECKING:
    import duckdb

_THEMES = 6
_LEAST = 2
"""Data sets of a community whose titles have a word for it to be a theme."""
_STOP = (
    "the a an of and in for to with from by on at data dataset datasets csv file files set all top new my test train "
    "analysis using project de la el en und der die 2015 2016 2017 2018 2019 2020 2021 2022 2023 2024 2025 2026"
)
_MEMBERS = """
CREATE TABLE members AS
SELECT rank, dataset, community, size, title, files, bytes, tabular, licence
FROM partition JOIN nodes USING (rank) LEFT JOIN read_parquet($datasets) d USING (dataset) WHERE size > 1
"""
_INNER = """
CREATE TABLE inner_edges AS
SELECT a, b, x.community
FROM edges JOIN members x ON x.rank = a JOIN members y ON y.rank = b AND x.community = y.community
"""
_NOTEBOOKS = """
CREATE TABLE reach AS
SELECT community, count(DISTINCT notebook_row) AS notebooks
FROM read_parquet($uses) JOIN members ON rank = dataset_row GROUP BY community
"""
# How much more frequent a word is here than among all titles; a data set counts a word once.
_WORDS = """
CREATE TABLE words AS
SELECT DISTINCT rank, community, size, word
FROM (SELECT rank, community, size,
             unnest(regexp_extract_all(lower(coalesce(title, dataset)), '[[:alpha:]]{3,}')) AS word
      FROM members)
WHERE word NOT IN (SELECT unnest(string_split($stop, ' ')))
"""
_TOP = """
CREATE TABLE themes AS
WITH everywhere AS (SELECT word, count(*) AS n FROM words GROUP BY word),
here AS (SELECT community, word, count(*) AS n FROM words GROUP BY ALL),
scored AS (
  SELECT community, word,
         h.n * ln((SELECT count(*) FROM members) / e.n) AS score
  FROM here h JOIN everywhere e USING (word) WHERE h.n >= $least AND e.n < (SELECT count(*) FROM members)
)
SELECT community, list(word ORDER BY score DESC, word)[1:$top] AS themes FROM scored GROUP BY community
"""
_COMMUNITIES = """
CREATE TABLE communities AS
WITH sums AS (
  SELECT community, any_value(size) AS datasets,
         CASE WHEN count(files) = count(*) THEN CAST(sum(files) AS BIGINT) END AS files,
         CASE WHEN count(bytes) = count(*) THEN CAST(sum(bytes) AS BIGINT) END AS bytes,
         CASE WHEN count(tabular) = count(*) THEN CAST(sum(tabular) AS BIGINT) END AS tabular,
         list_sort(list(DISTINCT coalesce(licence, 'unknown'))) AS licences
  FROM members GROUP BY community
),
inside AS (SELECT community, count(*) AS edges FROM inner_edges GROUP BY community),
clustered AS (SELECT community, avg(clustering) AS clustering FROM local JOIN members USING (rank) GROUP BY community)
SELECT community, datasets, coalesce(notebooks, 0) AS notebooks, files, bytes, tabular, edges,
       edges / (datasets * (datasets - 1) / 2) AS density, round(clustering, 12) AS clustering,
       licences, coalesce(themes, []) AS themes
FROM sums JOIN inside USING (community) JOIN clustered USING (community)
LEFT JOIN reach USING (community) LEFT JOIN themes USING (community)
"""


def add_communities(connection: "duckdb.DuckDBPyConnection", corpus: Path, graph: Graph, parted: Found) -> None:
    """Make the table `communities` beside `nodes`, `edges` and `partition`.

    Raises:
        BadInput: a table of the corpus is missing or lacks a column.
    """
    remedy = "the corpus that the graph was made from is needed"
    connection.execute(_MEMBERS, {"datasets": str(needed(corpus / "datasets.parquet", remedy))})
    connection.execute(_INNER)
    connection.execute(_NOTEBOOKS, {"uses": str(needed(corpus / "uses.parquet", remedy))})
    connection.execute(_WORDS, {"stop": _STOP})
    connection.execute(_TOP, {"least": _LEAST, "top": _THEMES})
    _add_clustering(connection, graph, parted)
    connection.execute(_COMMUNITIES)


def _add_clustering(connection: "duckdb.DuckDBPyConnection", graph: Graph, parted: Found) -> None:
    """Make the table `local`: each data set's clustering coefficient among the edges inside communities."""
    import numpy as np  # noqa: PLC0415 - heavy, and an extra
    import pyarrow as pa  # noqa: PLC0415 - likewise

    across = parted.membership[graph.edges[:, 0]] != parted.membership[graph.edges[:, 1]]
    inside = parted.graph
    inside.delete_edges(np.flatnonzero(across).tolist())
    local = np.asarray(inside.transitivity_local_undirected(mode="zero"), dtype=np.float64)
    connection.register("arrow_local", pa.table({"rank": graph.ranks.astype("int32"), "clustering": local}))
    connection.execute("CREATE TABLE local AS SELECT * FROM arrow_local")
    connection.unregister("arrow_local")
