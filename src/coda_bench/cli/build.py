"""`coda-bench build`: from a corpus to environments, and on to tasks."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from coda_bench.cli.console import EXIT_FINDINGS, console, errors, guarded, print_json
from coda_bench.cli.corpus import reader
from coda_bench.cli.making import benches_of, funnel, make_tasks_of, print_funnel
from coda_bench.cli.reading import reading_progress
from coda_bench.construct.build import BuildOptions, Built, build
from coda_bench.construct.communities import select
from coda_bench.construct.environment.lay_out import Done
from coda_bench.construct.environment.spread import OnRay
from coda_bench.records.community import GraphOptions, PartitionOptions, SelectionRules
from coda_bench.tasks.make import Caps

_CORPUS, _GRAPH, _PARTITION, _CHOICE = "Corpus", "Graph", "Partition", "Choice of communities"
_TASKS, _HOW = "Tasks", "How to build"


def _option(panel: str, text: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=panel, **more)


@guarded
def build_command(
    source: Annotated[Path, typer.Argument(help="Folder of notebooks and data sets.", metavar="CORPUS")],
    *,
    out: Annotated[Path, _option(_HOW, "Directory to build in.")],
    licence: Annotated[list[str] | None, _option(_CORPUS, "Use data sets of this licence only; repeat.")] = None,
    similarity: Annotated[float, _option(_CORPUS, "From which two notebooks are one.", min=0)] = 0.9,
    max_sources: Annotated[int | None, _option(_GRAPH, "Leave out notebooks with more data sets.", min=2)] = None,
    min_weight: Annotated[float, _option(_GRAPH, "Drop lighter edges.", min=0)] = 0.0,
    resolution: Annotated[float, _option(_PARTITION, "Leiden's resolution.", min=0)] = 1.0,
    seed: Annotated[int, _option(_PARTITION, "Leiden's seed.", min=0)] = 0,
    min_datasets: Annotated[int, _option(_CHOICE, "Data sets at least.", min=2)] = 2,
    max_bytes: Annotated[int | None, _option(_CHOICE, "Bytes at most.")] = None,
    min_tabular: Annotated[float | None, _option(_CHOICE, "Share of tables in its files at least.", min=0)] = None,
    choose: Annotated[Path | None, _option(_CHOICE, "JSON list of {community, reason}, chosen by hand.")] = None,
    embed: Annotated[bool, _option(_HOW, "Measure the noise by embeddings too (extra `embed`).", "--embed")] = False,
    no_tasks: Annotated[bool, _option(_TASKS, "Stop at the environments.", "--no-tasks")] = False,
    generation: Annotated[str, _option(_TASKS, "Libraries to prefer: `current`, `older` or `oldest`.")] = "current",
    cell_limit: Annotated[float, _option(_TASKS, "Seconds that one run of a notebook may take.", min=1)] = 120.0,
    per_notebook: Annotated[int, _option(_TASKS, "Tasks of one notebook at most.", min=1)] = 4,
    per_dataset: Annotated[int, _option(_TASKS, "Tasks of one data set at most.", min=1)] = 12,
    workers: Annotated[int | None, _option(_HOW, "Processes that profile; one a processor.", min=1)] = None,
    ray: Annotated[str | None, _option(_HOW, "Spread communities over a Ray cluster at this address.")] = None,
    as_json: Annotated[bool, _option(_HOW, "Print JSON on standard output.", "--json")] = False,
) -> None:
    """Build a benchmark: read the corpus, find communities of data sets, lay them out, prove results, make tasks.

    Notebooks run in sandboxes only, with each generation of libraries that `coda-bench env build` has built. Repeat the
    command to continue: what is done already and up to date is left as it is. Exit codes: 0 built; 1 built, but a
    community could not be laid out; 2 unusable input or machine; 130 interrupted.
    """
    options = BuildOptions(
        graph=GraphOptions(max_sources=max_sources, min_weight=min_weight),
        partition=PartitionOptions(resolution=resolution, seed=seed),
        rules=SelectionRules(min_datasets=min_datasets, max_bytes=max_bytes, min_tabular_share=min_tabular),
        by_hand=tuple(select.read_choices(choose)) if choose else (),
        embed=embed,
        n_workers=workers,
    )
    read = reader(source, meta_kaggle=False, licences=licence, similarity=similarity, forks=True)
    with reading_progress("profiling files") as progress:

        def files(done: Done) -> None:
            progress(done.n_files, done.n_files_all)

        built = build(
            read,
            out,
            options,
            executor=OnRay(ray) if ray else None,
            progress=files,
            say=lambda stage: errors.print(f"{stage}…", style="dim"),
        )
    made = None
    if not no_tasks and built.environments:
        benches = benches_of(generation, limit_s=cell_limit)
        made = make_tasks_of(out, Path(built.corpus.root), benches, Caps(per_notebook, per_dataset))
    if as_json:
        print_json(_as_json(built) | ({} if made is None else {"funnel": funnel(out).model_dump(mode="json")}))
    else:
        _print(built, out)
        if made is not None:
            print_funnel(funnel(out), out)
    if built.failed:
        raise typer.Exit(EXIT_FINDINGS)


def _as_json(built: Built) -> dict[str, Any]:
    return {
        "corpus": built.corpus.model_dump(mode="json"),
        "graph": built.graph.model_dump(mode="json"),
        "partition": built.partition.model_dump(mode="json"),
        "selection": built.selection.model_dump(mode="json"),
        "environments": {name: one.model_dump(mode="json") for name, one in built.environments.items()},
        "failed": built.failed,
    }


def _print(built: Built, out: Path) -> None:
    counts, parted = built.corpus.counts, built.partition.counts
    console.print(
        f"{counts['notebooks']:,} notebooks ({counts.get('folded', 0):,} near-duplicates folded), "
        f"{counts['datasets']:,} data sets, {counts['uses']:,} uses",
        soft_wrap=True,
    )
    console.print(
        f"{parted['of_two_or_more']} communities of two or more, {parted['single']} data sets alone, "
        f"modularity {built.partition.quality:.3f}; {len(built.selection.chosen)} chosen",
        soft_wrap=True,
    )
    table = Table(box=None, pad_edge=False)
    table.add_column("community", no_wrap=True)
    for name in ("data sets", "files", "MB"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, one in built.environments.items():
        table.add_row(name, str(one.n_datasets), str(one.n_files), f"{one.n_bytes / 1e6:.1f}")
    console.print(table)
    for name, why in built.failed.items():
        errors.print(f"{name}: not laid out: {why}", style="red", markup=False)
    console.print(f"environments: {out / 'release'}", markup=False, soft_wrap=True)
