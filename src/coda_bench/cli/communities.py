"""`coda-bench communities`: find, list, choose, export and draw communities."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from coda_bench.cli.console import console, errors, guarded, print_json
from coda_bench.construct.communities import select
from coda_bench.construct.communities.export import draw, write_graphml
from coda_bench.construct.communities.find import find_communities
from coda_bench.construct.communities.stability import Stability, stability
from coda_bench.construct.communities.stored import read_communities
from coda_bench.construct.cooccurrence import build_graph
from coda_bench.records.community import (
    PARTITION,
    CommunityRecord,
    GraphOptions,
    PartitionManifest,
    PartitionOptions,
    Selection,
    SelectionRules,
)
from coda_bench.records.storage import read_json

_GRAPH, _PARTITION, _CHOICE, _OUTPUT = "Graph", "Partition", "Choice of communities", "Output"
_KILO = 1024


def _option(panel: str, text: str, **more: Any) -> Any:
    return typer.Option(help=text, rich_help_panel=panel, **more)


@guarded
def communities(
    build: Annotated[Path, typer.Argument(help="Directory that holds a corpus in corpus/; results go beside it.")],
    *,
    fork_weight: Annotated[float, _option(_GRAPH, "What a forked notebook counts.", min=0, max=1)] = 1.0,
    max_sources: Annotated[int | None, _option(_GRAPH, "Leave out notebooks with more data sets.", min=2)] = None,
    min_weight: Annotated[float, _option(_GRAPH, "Drop lighter edges.", min=0)] = 0.0,
    resolution: Annotated[float, _option(_PARTITION, "Leiden's resolution; higher, smaller communities.", min=0)] = 1.0,
    seed: Annotated[int, _option(_PARTITION, "Leiden's seed.", min=0)] = 0,
    iterations: Annotated[int, _option(_PARTITION, "Leiden's iterations; -1: until nothing changes.", min=-1)] = -1,
    min_datasets: Annotated[int, _option(_CHOICE, "Data sets at least.", min=2)] = 2,
    max_datasets: Annotated[int | None, _option(_CHOICE, "Data sets at most.")] = None,
    min_notebooks: Annotated[int | None, _option(_CHOICE, "Notebooks at least.")] = None,
    max_files: Annotated[int | None, _option(_CHOICE, "Files at most.")] = None,
    max_bytes: Annotated[int | None, _option(_CHOICE, "Bytes at most.")] = None,
    min_tabular: Annotated[
        float | None, _option(_CHOICE, "Share of tables among files at least.", min=0, max=1)
    ] = None,
    licence: Annotated[list[str] | None, _option(_CHOICE, "Allowed licence of all its data sets; repeat.")] = None,
    choose: Annotated[
        Path | None, _option(_CHOICE, "JSON list of {community, reason}: chosen by hand instead of by rule.")
    ] = None,
    top: Annotated[int, _option(_OUTPUT, "Communities to list.", min=0)] = 30,
    seeds: Annotated[int, _option(_OUTPUT, "Seeds to compare for stability; 0: not measured.", min=0)] = 0,
    graphml: Annotated[Path | None, _option(_OUTPUT, "Write the graph with its communities as GraphML.")] = None,
    picture: Annotated[Path | None, _option(_OUTPUT, "Draw the largest communities, .png or .svg.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=_OUTPUT)] = False,
) -> None:
    """Count which data sets notebooks use together, find communities among them, list and choose them.

    What is stored already with the same options is not computed anew. Exit codes: 0 done; 2 unusable input.
    """
    graph_options = GraphOptions(fork_weight=fork_weight, max_sources=max_sources, min_weight=min_weight)
    options = PartitionOptions(resolution=resolution, seed=seed, iterations=iterations)
    manifest = _found(build, graph_options, options)
    known = read_communities(build / "communities")
    rules = SelectionRules(
        min_datasets=min_datasets,
        max_datasets=max_datasets,
        min_notebooks=min_notebooks,
        max_files=max_files,
        max_bytes=max_bytes,
        min_tabular_share=min_tabular,
        licences=tuple(licence) if licence else None,
    )
    chosen = select.by_hand(known, select.read_choices(choose)) if choose else select.by_rule(known, rules)
    select.store(chosen, build / "communities")
    measured = stability(build / "graph", options, seeds) if seeds > 1 else None
    if graphml:
        write_graphml(build, graphml)
    if picture:
        draw(build, picture, chosen.chosen)
    if as_json:
        _print_json(manifest, known[:top], chosen, measured)
    else:
        _print(manifest, known[:top], chosen, measured)


def _found(build: Path, graph_options: GraphOptions, options: PartitionOptions) -> PartitionManifest:
    """Return the stored partition when it was made of this corpus with these options, else make it."""
    stored = build / "communities" / PARTITION
    graph = build_graph(build / "corpus", build / "graph", graph_options)
    if stored.is_file():
        manifest = PartitionManifest.from_stored(read_json(stored), where=str(stored))
        if manifest.options == options and manifest.graph_sha256 == graph.files["edges.parquet"].sha256:
            return manifest
    errors.print("finding communities", style="dim")
    return find_communities(build / "graph", build / "corpus", build / "communities", options)


def _print_json(
    manifest: PartitionManifest, known: list[CommunityRecord], chosen: Selection, measured: Stability | None
) -> None:
    print_json(
        manifest.model_dump(mode="json")
        | {
            "communities": [one.model_dump(mode="json") for one in known],
            "selection": chosen.model_dump(mode="json"),
            "stability": measured and measured._asdict(),
        }
    )


def _print(
    manifest: PartitionManifest, known: list[CommunityRecord], chosen: Selection, measured: Stability | None
) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("community", no_wrap=True)
    for name in ("sets", "files", "size", "notebooks", "dens.", "clust."):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("themes", min_width=16)
    for one in known:
        numbers = (one.datasets, one.files, _size(one.bytes), one.notebooks)
        shares = (f"{one.density:.3f}", f"{one.clustering:.2f}")
        mark = "*" if one.community in chosen.chosen else " "
        cells = ("?" if value is None else str(value) for value in (*numbers, *shares))
        table.add_row(f"{one.community} {mark}", *cells, ", ".join(one.themes))
    console.print(table)
    counts = manifest.counts
    console.print(
        f"{counts['of_two_or_more']} communities of two or more data sets, {counts['single']} data sets alone; "
        f"modularity {manifest.quality:.3f}; {len(chosen.chosen)} chosen (*)",
        soft_wrap=True,
    )
    for rule, number in chosen.dropped.items():
        console.print(f"  left out by {rule}: {number}")
    if measured:
        console.print(
            f"stability over {measured.seeds} seeds: adjusted Rand index {measured.mean:.3f}, "
            f"least {measured.least:.3f}"
        )


def _size(number: int | None) -> str | None:
    if number is None:
        return None
    value, units = float(number), ["B", "kB", "MB", "GB", "TB"]
    while value >= _KILO and len(units) > 1:
        value /= _KILO
        units.pop(0)
    return f"{value:.0f} {units[0]}" if units[0] == "B" else f"{value:.1f} {units[0]}"
