"""`coda-bench track` and `track_files`: programs that this harness does not run."""

import json
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import coda_bench
import ordinary_user
from coda_bench.errors import BadInput
from coda_bench.sandbox.tracking.predictions import record_access

COMMAND = [sys.executable, "-m", "coda_bench.cli", "track"]


@pytest.fixture
def data(tmp_path) -> Path:
    root = tmp_path / "data"
    for name in ("iris/one.csv", "iris/two.csv"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("a\n1\n")
    return root


def track(*words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command line."""
    line = [*COMMAND, *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, check=False, cwd=cwd, stdin=subprocess.DEVNULL)


@pytest.mark.usefixtures("environment")
def test_a_command_is_tracked_in_the_sandbox(data, tmp_path):
    """It sees the data at /data and its own files below /agent; its exit code and output pass through."""
    script = tmp_path / "agent.sh"
    script.write_text("cat /data/iris/one.csv; exit 3\n")
    run = track("--data", data, "--files", script, "--", "sh", "/agent/agent.sh")
    assert (run.returncode, run.stdout) == (3, "a\n1\n"), run.stderr
    assert run.stderr == "files opened: 1 (in the sandbox, seen by overlay_inotify)\n  iris/one.csv\n"


def test_a_command_is_tracked_on_the_machine(data, tmp_path):
    """Without isolation it has its own files and directory, and what it opens below the data is known."""
    (tmp_path / "mine").write_text("x")
    script = "cat mine > copy; cat data/iris/two.csv; ls data/iris"
    run = track("--data", data, "--no-isolated", "--json", "--", "sh", "-c", script, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert report == {
        "exit_code": 0,
        "files_accessed": ["iris/two.csv"],
        "file_access_complete": True,
        "file_access_tracker": "overlay_inotify",
        "isolated": False,
        "listed": ["iris"],
    }
    assert (tmp_path / "copy").read_text() == "x"


def test_a_working_directory_below_the_data_hides_nothing(data):
    """Relative names count for a command that starts among the data."""
    run = track("--data", data, "--no-isolated", "--json", "--", "cat", "one.csv", cwd=data / "iris")
    assert json.loads(run.stdout)["files_accessed"] == ["iris/one.csv"]


def test_what_is_left_running_is_admitted(data):
    """A process that outlives the command may read on unseen."""
    run = track("--data", data, "--no-isolated", "--json", "--", "sh", "-c", "sleep 5 > /dev/null 2>&1 &")
    assert json.loads(run.stdout)["file_access_complete"] is False


@pytest.mark.skipif(not ordinary_user.can_become(), reason="the suite runs as an ordinary user already")
def test_an_ordinary_user_tracks_on_the_machine():
    """No privilege is needed, and none is gained."""
    made = (
        "import pathlib, sys; from coda_bench.cli.main import app; data = pathlib.Path(sys.argv[1]); data.mkdir(); "
        "(data / 'f.csv').write_text('1'); words = ['sh', '-c', f'cat {data}/f.csv; echo; id -u'];"
        "app(['track', '--data', str(data), '--no-isolated', '--', *words])"
    )
    run = ordinary_user.run(["-c", made, "{home}/d"], capture_output=True)
    assert run.stdout.split() == ["1", "65534"], run.stdout + run.stderr
    assert "files opened: 1 (on this machine, not isolated" in run.stderr


@pytest.mark.usefixtures("environment")
def test_access_goes_into_one_line_of_the_predictions(data, tmp_path):
    """The instance's line gains the fields; the others keep every byte."""
    path = tmp_path / "p.jsonl"
    first, third = b'{ "instance_id":1 , "prediction":"x"}\r\n', b'{"instance_id": 3, "prediction": "\xc3\xa9"}'
    path.write_bytes(first + b'{"instance_id": 2, "prediction": "y", "metadata": {"confidence": 0.5}}\n' + third)
    run = track("--data", data, "--into", path, "--instance", 2, "--", "cat", "/data/iris/one.csv")
    assert run.returncode == 0, run.stderr
    lines = path.read_bytes().splitlines(keepends=True)
    assert (lines[0], lines[2]) == (first, third)
    assert json.loads(lines[1])["metadata"] == {
        "confidence": 0.5,
        "files_accessed": ["iris/one.csv"],
        "file_access_complete": True,
        "file_access_tracker": "overlay_inotify",
        "isolated": True,
    }


@pytest.mark.usefixtures("environment")
def test_the_answer_left_in_the_sandbox_becomes_a_prediction(data, tmp_path):
    """Where there is no line yet, /workspace/result.txt is the prediction of a new one."""
    path = tmp_path / "p.jsonl"
    script = "wc -l < /data/iris/one.csv > /workspace/result.txt"
    run = track("--data", data, "--into", path, "--instance", 2, "--", "sh", "-c", script)
    assert run.returncode == 0, run.stderr
    row = json.loads(path.read_text())
    assert (row["instance_id"], row["prediction"]) == (2, "2")
    assert row["metadata"]["files_accessed"] == ["iris/one.csv"]


def test_a_line_that_is_not_there_or_there_twice_is_refused(tmp_path):
    """Nothing is written then."""
    path = tmp_path / "p.jsonl"
    path.write_text('{"instance_id": 2}\n{"instance_id": 2}\n')
    with pytest.raises(BadInput, match="instance 2 stands in lines 1, 2"):
        record_access(path, 2, {})
    with pytest.raises(BadInput, match="no prediction for instance 3"):
        record_access(path, 3, {})
    assert path.read_text() == '{"instance_id": 2}\n{"instance_id": 2}\n'


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--data", "missing"], "missing: no such directory"),
        (["--data", ".", "--into", "p.jsonl"], "--into and --instance belong together"),
        (["--data", ".", "--files", "."], "shares files with"),
        (["--data", ".", "--files", "x", "--no-isolated"], "--files is for the sandbox"),
    ],
)
def test_unusable_options_are_one_line(tmp_path, options, message):
    """What does not fit together is said before anything is run."""
    run = track(*options, "--", "true", cwd=tmp_path)
    assert run.returncode == 2
    assert message in run.stderr
    assert "Traceback" not in run.stderr


def test_the_hook_sees_what_the_interpreter_opens(data):
    """Text, bytes, descriptors and databases opened for reading count; writing and looking do not."""
    sqlite3.connect(data / "base.sqlite").close()
    with coda_bench.track_files(data) as log:
        (data / "iris/one.csv").read_text()
        sqlite3.connect(data / "base.sqlite").close()
        (data / "new.csv").write_text("1")
        list(data.rglob("*"))
        thread = threading.Thread(target=(data / "iris/two.csv").read_bytes)
        thread.start()
        thread.join()
        Path(__file__).read_text()
    (data / "new.csv").read_text()
    assert log.files_accessed == ["iris/one.csv", "base.sqlite", "iris/two.csv"]
    assert log.metadata == {"files_accessed": log.files_accessed, "file_access_tracker": "audit_hook"}


def test_the_hook_is_blind_to_other_processes(data):
    """What its documentation says it misses, it misses: that is what `coda-bench track` is for."""
    with coda_bench.track_files(data) as log:
        subprocess.run(["cat", str(data / "iris/one.csv")], capture_output=True, check=True)
    assert log.files_accessed == []
