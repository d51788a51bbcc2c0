"""Leiden on the graph of data sets: modularity, weighted, seeded (paper, section 3 and appendix A)."""

import random
from typing import TYPE_CHECKING, Any, NamedTuple

from coda_bench.construct.tables import HINT
from coda_bench.errors import MissingExtra
from coda_bench.records.community import PartitionOptions

if TYPE_CHECKING:
    import numpy as np

OBJECTIVE = "modularity"


class Graph(NamedTuple):
    """The nodes that have edges, by their places in a sorted list, with their edges."""

    ranks: "np.ndarray[Any, np.dtype[np.int64]]"
    """int64 (nodes): the place of each node among all data sets."""
    edges: "np.ndarray[Any, np.dtype[np.int64]]"
    """int64 (edges, 2): pairs of indices into `ranks`, sorted."""
    weights: "np.ndarray[Any, np.dtype[np.float64]]"
    """float64 (edges)."""


class Found(NamedTuple):
    """A partition of the nodes that have edges."""

    membership: "np.ndarray[Any, np.dtype[np.int64]]"
    quality: float
    graph: Any
    """The library's graph, its edges in the order of `Graph.edges`."""


def igraph() -> Any:
    """Return the library.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        import igraph as library  # noqa: PLC0415 - heavy, and an extra
    except ImportError as missing:
        raise MissingExtra(HINT) from missing
    return library


def as_igraph(graph: Graph) -> Any:
    """Return the graph as the library's, with the attribute `weight`."""
    return igraph().Graph(n=len(graph.ranks), edges=graph.edges, edge_attrs={"weight": graph.weights})


def partition(graph: Graph, options: PartitionOptions) -> Found:
    """Find communities; the same graph, options and version of the library give the same ones.

    Data sets without edges are not in it: modularity cannot gain by joining them to anything.
    """
    import numpy as np  # noqa: PLC0415 - heavy, and an extra

    if not len(graph.edges):
        return Found(np.zeros(len(graph.ranks), dtype=np.int64), 0.0, as_igraph(graph))
    library = igraph()
    # The library draws from Python's generator; its own defaults, CPM and unweighted, are not the paper's.
    library.set_random_number_generator(random.Random(options.seed))  # noqa: S311 - not for secrets
    try:
        made = as_igraph(graph)
        found = made.community_leiden(
            objective_function=OBJECTIVE,
            weights="weight",
            resolution=options.resolution,
            n_iterations=options.iterations,
        )
    finally:
        library.set_random_number_generator(random)
    return Found(np.asarray(found.membership, dtype=np.int64), float(found.quality), made)


def agreement(one: Found, other: Found) -> float:
    """Return the adjusted Rand index of two partitions of the same nodes: 1 the same, 0 as by chance."""
    return float(igraph().compare_communities(list(one.membership), list(other.membership), method="adjusted_rand"))
