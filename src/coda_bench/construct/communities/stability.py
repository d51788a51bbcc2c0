"""How much communities owe to the seed: the adjusted Rand index between partitions of several seeds."""

from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from coda_bench.construct.communities import leiden
from coda_bench.construct.communities.find import load_graph
from coda_bench.construct.tables import database
from coda_bench.records.community import PartitionOptions


class Stability(NamedTuple):
    """Agreement between seeds: 1 is the same partition, 0 no more than chance."""

    seeds: int
    mean: float
    least: float


def stability(graph: Path, options: PartitionOptions, seeds: int) -> Stability:
    """Partition a stored graph with several seeds, the options' own first, and compare each two.

    Raises:
        BadInput: the graph is not there.
    """
    with database() as connection:
        loaded = load_graph(connection, graph)
    changed = [options.model_copy(update={"seed": options.seed + number}) for number in range(seeds)]
    found = [leiden.partition(loaded, one) for one in changed]
    indices = [leiden.agreement(one, other) for one, other in combinations(found, 2)] or [1.0]
    return Stability(seeds, sum(indices) / len(indices), min(indices))
