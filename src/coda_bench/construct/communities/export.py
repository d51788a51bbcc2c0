"""The graph with its communities for other programs, and as a picture."""

import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coda_bench.construct.communities.leiden import igraph
from coda_bench.construct.communities.stored import read_communities
from coda_bench.construct.tables import HINT, database, needed
from coda_bench.errors import MissingExtra
from coda_bench.records.community import CommunityRecord

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NODES = """
SELECT dataset, community, title FROM read_parquet($partition) p JOIN read_parquet($datasets) d USING (dataset)
WHERE $all OR list_contains($chosen, community) ORDER BY dataset
"""
_EDGES = """
WITH nodes AS (SELECT dataset, file_row_number AS row FROM read_parquet($nodes, file_row_number = true))
SELECT x.dataset, y.dataset, weight
FROM read_parquet($edges) e JOIN nodes x ON x.row = a_row JOIN nodes y ON y.row = b_row ORDER BY ALL
"""
_LAYOUT_ROUNDS = 500
_SHOWN = 10
_LABEL_WORDS = 3
_NAMED, _NAME = 80, 20
"""Up to how many data sets each is named, and how many letters of its name fit."""
_STEP = 3.2
"""Between the middles of two communities, each in a disc of radius 1."""
_INCHES = (11.0, 7.5)


def as_graph(build: Path, chosen: Sequence[str] | None = None) -> Any:
    """Return igraph's graph of some communities, with the attributes name, title, community and weight.

    Args:
        build: a directory with `corpus`, `graph` and `communities`.
        chosen: names of communities; None for all.

    Raises:
        BadInput: a table is missing.
    """
    remedy = "a finished `coda-bench communities` leaves it"
    paths = {
        "partition": str(needed(build / "communities/partition.parquet", remedy)),
        "datasets": str(needed(build / "corpus/datasets.parquet", remedy)),
    }
    with database() as connection:
        named = {**paths, "all": chosen is None, "chosen": list(chosen or ())}
        nodes = connection.execute(_NODES, named).fetchall()
        tables = {name: str(needed(build / f"graph/{name}.parquet", remedy)) for name in ("nodes", "edges")}
        edges = connection.execute(_EDGES, tables).fetchall()
    place = {name: number for number, (name, _, _) in enumerate(nodes)}
    kept = [(place[a], place[b], weight) for a, b, weight in edges if a in place and b in place]
    graph = igraph().Graph(n=len(nodes), edges=[(a, b) for a, b, _ in kept])
    graph.vs["name"] = [name for name, _, _ in nodes]
    graph.vs["community"] = [community for _, community, _ in nodes]
    graph.vs["title"] = [title or "" for _, _, title in nodes]
    graph.es["weight"] = [weight for _, _, weight in kept]
    return graph


def write_graphml(build: Path, path: Path, chosen: Sequence[str] | None = None) -> None:
    """Write the graph as GraphML, which Gephi, Cytoscape and most libraries read; whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        as_graph(build, chosen).write_graphml(str(temporary))
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def draw(build: Path, path: Path, chosen: Sequence[str] | None = None) -> None:
    """Draw the largest communities (or the chosen ones) as PNG or SVG, by the path's ending.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - heavy, and an extra
    except ImportError as missing:
        raise MissingExtra(HINT) from missing
    known = read_communities(build / "communities")
    shown = [one for one in known if chosen is None or one.community in chosen][:_SHOWN]
    figure = Figure(figsize=_INCHES, layout="constrained")
    axes = figure.subplots()
    _draw_graph(axes, as_graph(build, [one.community for one in shown]), shown)
    axes.set_title(f"Data sets that notebooks use together: {len(shown)} of {len(known)} communities", loc="left")
    axes.axis("off")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, title="community: data sets, themes")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150, bbox_inches="tight")


def _draw_graph(axes: "Axes", graph: Any, shown: Sequence[CommunityRecord]) -> None:
    import numpy as np  # noqa: PLC0415 - heavy, and an extra

    places = np.zeros((graph.vcount(), 2))
    columns = max(1, round(len(shown) ** 0.5 * 1.3))
    of = np.array(graph.vs["community"])
    for number, one in enumerate(shown):
        middle = np.array([_STEP * (number % columns), -_STEP * (number // columns)])
        members = of == one.community
        places[members] = _laid_out(graph, members) + middle
    for edge in graph.es:
        ends = places[list(edge.tuple)]
        same = of[edge.source] == of[edge.target]
        axes.plot(*ends.T, color="0.6", linewidth=0.7 if same else 0.3, alpha=0.6, zorder=1)
    if graph.vcount() <= _NAMED:
        _name_nodes(axes, graph, places)
    for number, one in enumerate(shown):
        x, y = places[of == one.community].T
        words = ", ".join(one.themes[:_LABEL_WORDS]) or "no word in common"
        label = f"{one.community[:5]}: {one.datasets}, {words}"
        axes.scatter(x, y, s=28, color=f"C{number}", edgecolor="white", linewidth=0.5, zorder=2, label=label)
        axes.text(x.mean(), y.min() - 0.42, words, ha="center", va="top", fontsize=8)
    axes.set_aspect("equal")


def _name_nodes(axes: "Axes", graph: Any, places: Any) -> None:
    for number, (name, place) in enumerate(zip(graph.vs["name"], places, strict=True)):
        above = 5 if number % 2 else -10  # neighbours in a row would write over each other
        slug = name.rpartition("/")[2][:_NAME]
        axes.annotate(slug, place, (0, above), textcoords="offset points", fontsize=6, ha="center")


def _laid_out(graph: Any, members: Any) -> Any:
    """Return places of one community's nodes in a disc of radius 1."""
    import numpy as np  # noqa: PLC0415 - heavy, and an extra

    part = graph.subgraph(np.flatnonzero(members).tolist())
    angles = 2 * np.pi * np.arange(part.vcount()) / max(1, part.vcount())
    start = np.column_stack([np.cos(angles), np.sin(angles)])  # the same start gives the same picture
    igraph().set_random_number_generator(random.Random(0))  # noqa: S311 - not for secrets
    layout = part.layout_fruchterman_reingold(weights="weight", niter=_LAYOUT_ROUNDS, seed=start.tolist())
    igraph().set_random_number_generator(random)
    found = np.array(layout.coords)
    found -= found.mean(axis=0)
    return found / max(1e-9, np.abs(found).max())
