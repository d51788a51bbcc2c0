"""Making tasks of a build: what `coda-bench build` and `coda-bench demo` share."""

from collections.abc import Collection, Mapping
from pathlib import Path

from rich.table import Table

from coda_bench.cli.console import console, errors, visible
from coda_bench.construct.notebooks import placed_notebooks
from coda_bench.errors import AnalysisEnvironmentMissing
from coda_bench.records.environment import load_profiles
from coda_bench.records.funnel import Funnel
from coda_bench.records.storage import read_json
from coda_bench.sandbox.analysis_env import GENERATIONS, find
from coda_bench.tasks.examine import Benches, Source
from coda_bench.tasks.funnel import FUNNEL
from coda_bench.tasks.make import Caps, Made
from coda_bench.tasks.stage import make_tasks

TASKS = "tasks"
"""The stage's folder in a build."""


def benches_of(generation: str, *, limit_s: float, among: Collection[str] = GENERATIONS) -> Benches:
    """Return the environments to run notebooks in: the preferred one, and those of the others that are built here.

    Raises:
        AnalysisEnvironmentMissing: the preferred one is not built.
    """
    others = []
    for name in among:
        try:
            others += [find(name)] if name != generation else []
        except AnalysisEnvironmentMissing:
            errors.print(f"generation {name} is not built here: results are not tried with it", style="dim")
    return Benches(find(generation), tuple(others), limit_s)


def sources_of(build: Path, root: Path, communities: Path) -> tuple[list[Source], dict[str, str]]:
    """Return the notebooks of a build with their communities, and their titles by name.

    Args:
        build: holds the corpus and which communities were found and chosen.
        root: the corpus's folder, for the notebooks themselves.
        communities: where the chosen ones are laid out.
    """
    placed = placed_notebooks(build)
    profiles = {
        name: load_profiles(communities / name / "profile.jsonl")
        for name in {one.community for one in placed if one.community}
        if (communities / name / "profile.jsonl").is_file()
    }
    sources = [
        Source(
            name=one.name,
            path=root / one.path,
            community=one.community,
            data=communities / one.community / "full_community",
            datasets=one.datasets,
            profiles=profiles[one.community],
        )
        for one in placed
        if one.community in profiles and one.community
    ]
    return sources, {one.name: one.title for one in placed}


def make_tasks_of(build: Path, root: Path, benches: Benches, caps: Caps) -> Made:
    """Run the tasks stage of a build, with progress on standard error."""
    sources, titles = sources_of(build, root, build / "release" / "communities")
    return make_tasks(sources, titles, build / "release", build / TASKS, benches, caps=caps, say=_say)


def _say(line: str) -> None:
    errors.print(line, style="dim", markup=False)


def funnel(build: Path) -> Funnel:
    """Return the stored funnel of a build."""
    path = build / TASKS / FUNNEL
    return Funnel.from_stored(read_json(path), where=str(path))


def print_funnel(found: Funnel, build: Path) -> None:
    """Print the funnel as a table."""
    table = Table(box=None, pad_edge=False)
    table.add_column("level", no_wrap=True)
    table.add_column("count", justify="right", no_wrap=True)
    table.add_column("why the rest goes no further", overflow="fold")
    for level in found.levels:
        table.add_row(level.name, f"{level.count:,}", visible(_reasons(level.lost)))
    console.print(table)
    console.print(f"tasks: {build / 'release' / 'coda_bench.json'}", markup=False, soft_wrap=True)


def _reasons(lost: Mapping[str, int]) -> str:
    pairs = sorted(lost.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in pairs)
