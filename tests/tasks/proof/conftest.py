"""Notebooks of a few lines over data sets of a few rows, run in real sandboxes."""

import json
from pathlib import Path

import pytest

from coda_bench.errors import AnalysisEnvironmentMissing
from coda_bench.sandbox.analysis_env import find
from coda_bench.tasks.examine import Benches, Source, examine
from coda_bench.tasks.execution.execute import CellSource, Job, execute
from coda_bench.tasks.execution.room import Room

PENGUINS = "species,island,mass,year\n" + "".join(
    f"{species},{island},{mass},{year}\n"
    for species, island, mass, year in [
        ("Adelie", "Dream", 3700, 2007),
        ("Adelie", "Biscoe", 3550, 2007),
        ("Adelie", "Dream", 3900, 2008),
        ("Gentoo", "Biscoe", 5000, 2008),
        ("Gentoo", "Biscoe", 5250, 2007),
        ("Gentoo", "Biscoe", 4800, 2009),
        ("Chinstrap", "Dream", 3650, 2009),
        ("Chinstrap", "Dream", 3800, 2008),
        ("Chinstrap", "Dream", 3725, 2007),
        ("Adelie", "Biscoe", 3400, 2009),
    ]
)
ISLANDS = "island,area\nDream,1.5\nBiscoe,12.25\nTorgersen,0.5\n"


def _generation(name):
    try:
        return find(name)
    except AnalysisEnvironmentMissing:
        return None


@pytest.fixture(scope="session")
def environment(leave):
    found = _generation("current")
    return found if found is not None else leave("no analysis environment: run `coda-bench env build`")


@pytest.fixture(scope="session")
def older(leave):
    found = _generation("older")
    return found if found is not None else leave("no older analysis environment: `coda-bench env build`")


@pytest.fixture(scope="session")
def data(tmp_path_factory) -> Path:
    """A community of three data sets."""
    root = tmp_path_factory.mktemp("community") / "full_community"
    for name, text in {
        "penguins/birds.csv": PENGUINS,
        "islands/areas.csv": ISLANDS,
        "other-penguins/birds.csv": PENGUINS.replace("3700", "3710"),
    }.items():
        path = root / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return root


@pytest.fixture(scope="session")
def room(data) -> Room:
    return Room(data, {f"owner/{folder.name}": folder.name for folder in data.iterdir()})


@pytest.fixture(scope="session")
def run(room, environment):
    """Run cells, given as texts, in one job; `jobs` runs several in one sandbox."""

    def run_one(*sources, keep=None, perturb="", **options):
        cells = [CellSource(number, source) for number, source in enumerate(sources, 1)]
        job = Job("job", cells, keep, perturb)
        return execute([job], options.pop("room", room), environment, **options).jobs["job"]

    return run_one


@pytest.fixture(scope="session")
def notebook(tmp_path_factory):
    """Write a notebook: pairs of source and stored text of the last expression, or a dictionary of outputs."""
    folder = tmp_path_factory.mktemp("notebooks")

    def write(name, cells, **metadata):
        path = folder / f"{name}.ipynb"
        rows = [
            {
                "cell_type": "code",
                "execution_count": number,
                "metadata": {},
                "source": source,
                "outputs": outputs if isinstance(outputs, list) else _outputs(outputs),
            }
            for number, (source, outputs) in enumerate(cells, 1)
        ]
        path.write_text(json.dumps({"cells": rows, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}))
        return path

    return write


def _outputs(text):
    """Text that begins with `>` was printed; all other is the value of the last expression."""
    if not text:
        return []
    if text.startswith(">"):
        return [{"output_type": "stream", "name": "stdout", "text": text[1:].lstrip()}]
    return [{"output_type": "execute_result", "data": {"text/plain": text}, "metadata": {}, "execution_count": 1}]


@pytest.fixture(scope="session")
def examined(data, room, environment):
    """Examine a notebook over the community."""

    def examine_one(path, *others, profiles=(), limit_s=30.0):
        source = Source(path.stem, path, "c1", data, room.datasets, profiles=profiles)
        return examine(source, Benches(environment, others, limit_s))

    return examine_one
