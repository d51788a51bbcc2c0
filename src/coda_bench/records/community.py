"""GraphManifest, CommunityRecord and PartitionManifest: the graph of data sets, and the communities found in it.

A directory `graph/` holds `graph.json`, `nodes.parquet` (dataset, notebooks; in the order of the corpus's data sets)
and `edges.parquet` (a_row, b_row, weight: numbers from 0 of rows of the other, the lower first); a directory
`communities/` holds `communities.json`, `partition.parquet` (dataset, community) and `communities.parquet`, one row for
every community of at least two data sets.
"""

from pydantic import Field

from coda_bench.records.corpus import StoredTable
from coda_bench.records.record import Record, StoredRecord

GRAPH = "graph.json"
PARTITION = "communities.json"
SELECTION = "selection.json"


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
    tabular: int | None
    """Files that end as tables do; None where the corpus does not know."""
    clustering: float
    """Mean over its data sets of the share of pairs of neighbours that are neighbours too, inside the community."""
    licences: tuple[str, ...]
    """Of its data sets, each once; an unknown one is `unknown`."""
    themes: tuple[str, ...]
    """Words of its data sets' titles that are frequent in it and rare elsewhere."""


class SelectionRules(Record):
    """What a community must be to be chosen; None leaves a matter open."""

    min_datasets: int = 2
    max_datasets: int | None = None
    min_notebooks: int | None = None
    max_files: int | None = None
    max_bytes: int | None = None
    min_tabular_share: float | None = None
    """Of its files, by their endings."""
    licences: tuple[str, ...] | None = None
    """Every data set's licence has to be one of them."""


class Choice(Record):
    """A community chosen by hand."""

    community: str
    reason: str


class Selection(StoredRecord):
    """Which communities become environments, and by what; stored as `selection.json`."""

    rules: SelectionRules | None = None
    by_hand: tuple[Choice, ...] = ()
    chosen: tuple[str, ...]
    dropped: dict[str, int] = Field(default_factory=dict)
    """Communities left out, by the first rule that they break."""


class PartitionManifest(StoredRecord):
    """A partition as stored."""

    options: PartitionOptions
    graph_sha256: str
    """Of the edges it was made of."""
    objective: str
    quality: float
    """Modularity at the resolution."""
    versions: dict[str, str]
    counts: dict[str, int]
    files: dict[str, StoredTable]
