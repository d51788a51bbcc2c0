"""The wheel, as an installer would get it: whole, and enough for scoring without any extra."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FIXTURE = ROOT / "tests" / "fixtures" / "released_tasks.json"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The contents of a wheel built from the tree."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def run(unpacked, module, *arguments):
    """Run a command's entry point from the unpacked wheel, away from the source tree."""
    code = (
        f"import coda_bench, sys; assert coda_bench.__file__.startswith({str(unpacked)!r}); "
        f"sys.argv[0] = 'command'; from {module} import main; main()"
    )
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        cwd=unpacked,
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_data_file_of_the_package_is_in_the_wheel(unpacked):
    """Locks, questions, reference programs, style sheets and the typing marker travel with the code."""
    source = ROOT / "src" / "coda_bench"
    wanted = {
        path.relative_to(ROOT / "src")
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {path for path in wanted if not (unpacked / path).is_file()} == set()


@pytest.mark.parametrize("module", ["coda_bench.cli.validate", "coda_bench.cli.evaluate"])
def test_the_two_scoring_commands_answer_for_help(unpacked, module):
    """Both commands of the public format document explain themselves."""
    done = run(unpacked, module, "--help")
    assert done.returncode == 0, done.stderr
    assert "--pred" in done.stdout


def test_golds_as_predictions_score_everything_from_the_wheel(unpacked, tmp_path):
    """Scoring works from the wheel alone, and golds are right answers."""
    tasks = json.loads(FIXTURE.read_text())
    rows = [{"instance_id": task["instance_id"], "prediction": task["answer"]} for task in tasks]
    predictions = tmp_path / "predictions.jsonl"
    predictions.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = run(unpacked, "coda_bench.cli.evaluate", "--pred", str(predictions), "--gold", str(FIXTURE), "--json")
    assert done.returncode == 0, done.stderr
    scores = json.loads(done.stdout)
    assert scores["ea_correct"] == scores["exact_correct"] == scores["n_gold"] == len(tasks)


def test_the_wheel_names_its_entry_points(unpacked):
    """The three commands and the engine's registration are declared."""
    (entry_points,) = unpacked.glob("*.dist-info/entry_points.txt")
    text = entry_points.read_text()
    for name in ("coda-bench = ", "coda-bench-validate = ", "coda-bench-evaluate = ", "[inspect_ai]"):
        assert name in text
