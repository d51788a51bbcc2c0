"""The examples do what they say."""

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_program_is_an_agent(runs):
    """`row_counter.py` through `command`."""
    runs("command", agent_args={"script": str(EXAMPLES / "row_counter.py")}, instances=(1, 2))
    assert runs.answers() == {1: "4", 2: "Not Applicable"}


def test_the_class_is_an_agent(runs, monkeypatch):
    """`grep_agent:GrepAgent` from its own folder: `inhabitants` stands in no file, `species` in one."""
    monkeypatch.chdir(EXAMPLES)
    runs("grep_agent:GrepAgent", agent_args={"most_files": "50"}, instances=(1, 4))
    assert runs.answers() == {1: "0", 4: "1"}


def test_runs_can_be_started_from_python(release, tmp_path):
    """`run_in_python.py` prints a line a task."""
    line = [sys.executable, str(EXAMPLES / "run_in_python.py"), str(release), str(tmp_path / "run")]
    ended = subprocess.run(line, capture_output=True, text=True, check=True)
    assert len(ended.stdout.splitlines()) == 3
    assert "task 2: answered, '52' from rivers/rivers.csv" in ended.stdout
