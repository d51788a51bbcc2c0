"""From a corpus to a release by commands in processes of their own: tasks, proofs, funnel, going on after a kill."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from coda_bench.errors import AnalysisEnvironmentMissing
from coda_bench.layout import Release
from coda_bench.records.funnel import Funnel
from coda_bench.sandbox.analysis_env import find

pytestmark = pytest.mark.xdist_group("making")

SPECIES = ["Adelie", "Gentoo", "Chinstrap"]
BIRDS = "species,island,mass\n" + "".join(f"{SPECIES[n % 3]},{'AB'[n % 2]},{3000 + 37 * n}\n" for n in range(40))
AREAS = "island,area\nA,1.5\nB,12.25\n"
READ = 'import pandas as pd\nbirds = pd.read_csv("../input/birds-of-the-south/birds.csv")\n'
JOIN = READ + 'areas = pd.read_csv("../input/island-areas/areas.csv")\n'
NOTEBOOKS = {
    "one/heavy-birds": [
        (READ, ""),
        ('birds.groupby("species")["mass"].mean().round(2)', None),
        ("print(f\"{(birds['mass'] > 3500).mean():.1%} are heavy\")", None),
        ("birds.head(2)", None),
    ],
    "two/islands": [
        (JOIN, ""),
        ('both = birds.merge(areas, on="island")\nround(both["area"].mean(), 3)', None),
        ("import random\nprint(random.random())", None),
    ],
}


def outputs_of(cells):
    """Run cells here, with the values written down by hand where pandas would be needed: they are easy sums."""
    mass = [3000 + 37 * n for n in range(40)]
    means = {name: sum(mass[n] for n in range(40) if n % 3 == place) for place, name in enumerate(SPECIES)}
    counts = {name: sum(1 for n in range(40) if n % 3 == place) for place, name in enumerate(SPECIES)}
    lines = "\n".join(f"{name:<12} {means[name] / counts[name]:.2f}" for name in sorted(SPECIES))
    known = {
        1: f"species\n{lines}\nName: mass, dtype: float64",
        2: f"> {100 * sum(one > 3500 for one in mass) / 40:.1f}% are heavy\n",
        3: "  species island  mass\n0  Adelie      A  3000\n1  Gentoo      B  3037",
    }
    return known if len(cells) == 4 else {1: "6.875", 2: "> 0.8444218515250481\n"}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    root = tmp_path_factory.mktemp("corpus") / "corpus"
    for name, text in {"birds-of-the-south/birds.csv": BIRDS, "island-areas/areas.csv": AREAS}.items():
        path = root / "datasets" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    for name, cells in NOTEBOOKS.items():
        known = outputs_of(cells)
        rows = [
            {"cell_type": "markdown", "metadata": {}, "source": f"# {name.partition('/')[2].replace('-', ' ')}"},
            *(cell(number, source, known.get(number, "")) for number, (source, _) in enumerate(cells)),
        ]
        path = root / "notebooks" / f"{name}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"cells": rows, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return root


def cell(number, source, text):
    result = {"output_type": "execute_result", "data": {"text/plain": text}, "metadata": {}, "execution_count": number}
    printed = {"output_type": "stream", "name": "stdout", "text": text[2:]}
    outputs = [] if not text else [printed if text.startswith("> ") else result]
    return {"cell_type": "code", "execution_count": number + 1, "metadata": {}, "source": source, "outputs": outputs}


def command(*words, **options):
    return subprocess.run(
        [sys.executable, "-m", "coda_bench.cli", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


@pytest.fixture(scope="module")
def built(corpus, tmp_path_factory, leave):
    """The finished build, and what the command printed."""
    try:
        find("current")
    except AnalysisEnvironmentMissing as missing:
        leave(str(missing))
    out = tmp_path_factory.mktemp("build") / "build"
    done = command("build", corpus, "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    return out, json.loads(done.stdout)


def tasks_of(out):
    return Release.open(out / "release").tasks()


def test_a_corpus_becomes_a_release_with_tasks(built):
    out, _ = built
    tasks = tasks_of(out)
    assert {task.notebook for task in tasks} == {"one/heavy-birds.ipynb", "two/islands.ipynb"}
    heavy = next(task for task in tasks if "share of records" in task.question)
    assert heavy.answer == "65.0%"
    joined = next(task for task in tasks if "two tables joined by island" in task.question)
    assert joined.answer == "6.875"


def test_targets_and_proofs_stand_in_the_provenance_and_not_in_the_tasks(built):
    out, _ = built
    release = Release.open(out / "release")
    joined = next(task for task in tasks_of(out) if "two tables joined" in task.question)
    assert release.targets()[joined.instance_id] == ("birds-of-the-south/birds.csv", "island-areas/areas.csv")
    assert "proof" not in json.dumps([task.to_row() for task in tasks_of(out)])


def test_reference_programs_read_the_release_paths_alone(built):
    for task in tasks_of(built[0]):
        assert "../input" not in task.reference_code
        assert "/data/" in task.reference_code


def test_the_funnel_accounts_for_every_numeric_cell(built):
    out, printed = built
    funnel = Funnel.model_validate(printed["funnel"])
    levels = {level.name: level for level in funnel.levels}
    assert levels["notebooks"].count == 2
    assert levels["numeric cells"].count == 5
    assert levels["numeric cells"].lost == {"unstable": 1}
    assert levels["candidates"].lost == {"head": 1}
    assert levels["tasks"].count == len(tasks_of(out))
    shown = command("funnel", out, "--picture", out / "funnel.png")
    assert (shown.returncode, "numeric cells" in shown.stdout) == (0, True)
    assert (out / "funnel.png").stat().st_size > 5000


def test_proofs_hold_when_they_are_run_again_and_fail_over_changed_data(built):
    out, _ = built
    numbers = [task.instance_id for task in tasks_of(out)]
    done = command("prove", *numbers, "--release", out / "release", "--json")
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)) == {str(number) for number in numbers}
    birds = next((out / "release").rglob("birds-of-the-south/birds.csv"))
    before = birds.read_bytes()
    birds.unlink()
    birds.write_bytes(before.replace(b"3000", b"9000"))
    try:
        assert command("prove", numbers[0], "--release", out / "release").returncode == 1
    finally:
        birds.write_bytes(before)


def test_proving_what_is_not_there_is_one_line_on_standard_error(built):
    done = command("prove", 99, "--release", built[0] / "release")
    assert (done.returncode, "no task 99" in done.stderr, "Traceback" in done.stderr) == (2, True, False)


def test_building_again_runs_no_notebook_again_and_gives_the_same_bytes(built, corpus):
    out, _ = built
    files = ["release/coda_bench.json", "release/provenance.jsonl", "tasks/funnel.json", "tasks/dropped.jsonl"]
    before = {name: (out / name).read_bytes() for name in files}
    times = {path: path.stat().st_mtime_ns for path in (out / "tasks/examined").iterdir()}
    done = command("build", corpus, "--out", out)
    assert done.returncode == 0, done.stderr
    assert "notebooks 1/2" not in done.stderr
    assert {path: path.stat().st_mtime_ns for path in (out / "tasks/examined").iterdir()} == times
    assert {name: (out / name).read_bytes() for name in files} == before


def test_a_killed_build_goes_on_where_it_was(built, corpus, tmp_path):
    finished, _ = built
    out = tmp_path / "build"
    words = [sys.executable, "-m", "coda_bench.cli", "build", str(corpus), "--out", str(out)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as running:
        deadline = time.monotonic() + 120
        while not list(out.glob("tasks/examined/*.json")) and time.monotonic() < deadline:
            time.sleep(0.05)
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
    assert not (out / "release/coda_bench.json").exists()
    assert command("build", corpus, "--out", out).returncode == 0
    for name in ("release/coda_bench.json", "tasks/funnel.json"):
        assert (out / name).read_bytes() == (finished / name).read_bytes()


def test_no_tasks_are_made_where_none_are_wanted(corpus, tmp_path):
    done = command("build", corpus, "--out", tmp_path / "build", "--no-tasks")
    assert done.returncode == 0
    assert not (tmp_path / "build/tasks").exists()
