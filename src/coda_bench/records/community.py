"""GraphManifest, CommunityRecord and PartitionManifest: the graph of data sets, and the communities found in it.

A directory `graph/` holds `graph.json`, `nodes.parquet` (dataset, notebooks) and `edges.parquet` (a, b, weight; a
before b); a directory `communities/` holds `communities.json`, `partition.parquet` (dataset, community) and
`communities.parquet`, one row for every community of at least two data sets.
"""

from typing import Any

from coda_bench.records.corpus import StoredTable
from coda_bench.records.record import Record, StoredRecord

GRAPH = "graph.json"
PARTITION = "communities.json"


class GraphOptions(Record):
    """How notebooks weigh; the defaults are the paper's (section 3): every notebook counts one."""

    fork_weight: float = 1.0
    """What a notebook that is a fork of another counts; 0 leaves forks out."""
    max_sources: int | None = None
    """Notebooks that use more data sets than this say nothing about any two of them and are left out."""
    min_weight: float = 0.0
    """Edges lighter than this are dropped."""


class GraphManifest(StoredRecord):
    """A graph as stored."""

    options: GraphOptions
    counts: dict[str, int]
    """datasets, notebooks, edges, isolated, and what was left out by name."""
    files: dict[str, StoredTable]


class PartitionOptions(Record):
    """What decides a partition beside the graph; the defaults are the paper's (section 3: Leiden, resolution 1)."""

    resolution: float = 1.0
    seed: int = 0
    iterations: int = -1
    """Of Leiden; -1: until it changes nothing."""


class CommunityRecord(Record):
    """One community of at least two data sets."""

    community: str
    """`c` and ten hexadecimal digits of the sha256 over its sorted data sets: the same members, the same name."""
    datasets: int
    notebooks: int
    """Distinct ones that use any of its data sets."""
    files: int | None
    """None where the corpus does not know."""
    bytes: int | None
    edges: int
    density: float
    """Edges by the number of pairs."""
    clustering: float
    """Mean over its data sets of the share of pairs of neighbours that are neighbours too, inside the community."""
    themes: tuple[str, ...]
    """Words of its data sets' titles that are frequent in it and rare elsewhere."""


class PartitionManifest(StoredRecord):
    """A partition as stored."""

    options: PartitionOptions
    objective: str
    quality: float
    """Modularity at the resolution."""
    versions: dict[str, str]
    counts: dict[str, int]
    files: dict[str, StoredTable]
    selection: dict[str, Any] | None = None
    """The rules or list by which communities were chosen, and the ones chosen."""
