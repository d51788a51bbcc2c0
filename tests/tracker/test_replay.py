"""Replayed solutions: the same answer from the files recorded as used, or not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from coda_bench.records.access import CommandAccess, TrackerKind, file_access
from coda_bench.records.attempt import Attempt, AttemptStatus
from coda_bench.records.run import RunConfig
from coda_bench.run.replay import is_python

TASK = {
    "dataset": "s",
    "notebook": "n",
    "release_community": "c1",
    "data_type": "csv",
    "domain": "d",
    "task_type": "t",
    "language": "Python",
    "question": "How many rows?",
    "answer": "2",
    "answer_guidelines": "An integer.",
    "reference_code": "",
}
PROGRAM = "import csv\nprint(len(list(csv.reader(open('/data/s/one.csv')))))"


def attempt(instance_id: int, code: str | None, *, answer: str = "2", used: str = "s/one.csv") -> Attempt:
    """An attempt that says it computed an answer by some code from one file."""
    command = CommandAccess(
        index=0, command="x", started_s=0, seconds=1, exit_code=0, ended_by="exit", complete=True, opened=(used,)
    )
    return Attempt(
        instance_id=instance_id,
        agent="a",
        setting="community",
        status=AttemptStatus.ANSWERED,
        answer=answer,
        code_generated=code,
        file_access=file_access(TrackerKind.OVERLAY_INOTIFY, (command,)),
    )


@pytest.fixture
def run(environment, tmp_path) -> Path:  # noqa: ARG001 - it skips where none is built
    """A run of six attempts over a release of one small community."""
    release, directory = tmp_path / "release", tmp_path / "run"
    data = release / "communities/c1/full_community/s"
    data.mkdir(parents=True)
    for name in ("one.csv", "two.csv"):
        (data / name).write_text("a\n1\n")
    attempts = [
        attempt(1, PROGRAM),
        attempt(2, "wc -l < /data/s/one.csv"),
        attempt(3, PROGRAM, answer="3"),
        attempt(4, PROGRAM, used="s/two.csv"),
        attempt(5, None),
        attempt(6, "cat /workspace/made-before.csv"),
    ]
    tasks = [{"instance_id": one.instance_id, **TASK} for one in attempts]
    (release / "coda_bench.json").write_text(json.dumps(tasks))
    directory.mkdir()
    config = RunConfig(release=str(release), tasks_sha256="", data_sha256=None, agent="a", instances=(1, 2, 3, 4, 5, 6))
    (directory / "run.json").write_text(config.model_dump_json())
    (directory / "attempts.jsonl").write_text("".join(one.model_dump_json() + "\n" for one in attempts))
    return directory


def replay(*words: object) -> subprocess.CompletedProcess[str]:
    """Run the command line."""
    line = [sys.executable, "-m", "coda_bench.cli", "replay", *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, check=False)


def test_solutions_are_run_again(run):
    """Each is judged by its answer and its files; what cannot be run proves nothing."""
    found = replay(run, "--json")
    assert found.returncode == 1, found.stderr
    rows = {row["instance_id"]: row for row in json.loads(found.stdout)}
    assert {number: row["holds"] for number, row in rows.items()} == {1: True, 2: True} | dict.fromkeys(
        range(3, 7), False
    )
    assert (rows[3]["same_answer"], rows[3]["same_files"]) == (False, True)
    assert (rows[4]["same_answer"], rows[4]["opened"], rows[4]["used"]) == (True, ["s/one.csv"], ["s/two.csv"])
    assert rows[5]["problem"] == "no solution was saved"
    assert rows[6]["problem"].endswith("/workspace/made-before.csv: No such file or directory")


def test_one_instance_can_be_asked_for(run):
    """A proven one alone ends with 0; an unknown one is refused."""
    found = replay(run, "--instance", 1)
    assert found.returncode == 0, found.stderr
    assert "1 of 1 proven" in found.stdout
    missing = replay(run, "--instance", 9)
    assert (missing.returncode, "no attempt of instance 9" in missing.stderr) == (2, True)


@pytest.mark.parametrize(
    ("code", "expected"),
    [("x = 1", True), ("print(1)", True), ("ls -l", False), ("ls", False), ("wc -l < /data/a.csv", False), ("", False)],
)
def test_a_program_is_told_from_a_command_line(code, expected):
    """Words that happen to parse as an expression are a shell's."""
    assert is_python(code) is expected
