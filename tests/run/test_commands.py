"""`coda-bench run`, `tasks` and the engine's own command line, as users start them."""

import json
import os
import re
import subprocess
import sys

import pytest

START = [sys.executable, "-c", "from coda_bench.cli.main import main; main()"]


@pytest.fixture
def command(tmp_path):
    def call(*arguments, **more):
        line = [*START, *map(str, arguments)]
        return subprocess.run(line, capture_output=True, text=True, cwd=tmp_path, check=False, **more)

    return call


def test_run_prints_its_summary_as_one_json_document(command, release):
    """Progress goes to standard error; the same command finds its directory again."""
    first = command("run", "--release", release, "--agent", "nothing", "--json")
    assert first.returncode == 0, first.stderr
    summary = json.loads(first.stdout)
    assert summary["progress"]["statuses"] == {"no_answer": 4}
    assert "limits: 600 s, 4096 MB, 2 CPUs" in first.stderr
    again = command("run", "--release", release, "--agent", "nothing", "--json")
    assert json.loads(again.stdout)["directory"] == summary["directory"]
    assert "4 of them done before" in again.stderr


def test_run_exits_1_when_attempts_are_missing(command, release):
    """A model that cannot be reached leaves its attempts open, and the command says so."""
    server = ("--model", "openai-api/none/m", "--model-base-url", "http://127.0.0.1:9/v1", "--model-retries", "0")
    line = ("run", "--release", release, "--agent", "react", *server, "--instances", "1", "--retries", "0")
    ended = command(*line, env={**os.environ, "NONE_API_KEY": "x"})
    assert ended.returncode == 1
    assert "1 attempts are missing (tasks 1)" in ended.stderr
    assert "model failed (the machine's failure, not scored)" in ended.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--agent", "nobody"], "not known"),
        (["--agent", "nothing", "--preset", "huge"], "--preset huge"),
        (["--agent", "nothing", "--instances", "77"], "no task 77"),
        (["--agent", "nothing", "--agent-arg", "x"], "NAME=VALUE"),
        (["--agent", "react", "--model", "nope/x"], "nope"),
        (["--agent", "nothing", "--environment", "ancient"], "ancient"),
    ],
)
def test_unusable_options_exit_2_with_one_line(command, release, arguments, words):
    """No traceback, and the message names the option."""
    ended = command("run", "--release", release, *arguments)
    assert ended.returncode == 2
    assert words in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("arguments", [["--agent", "nothing"], ["--agent", "react", "--model", "a/b"]])
def test_without_the_engine_the_message_says_what_to_install(release, tmp_path, arguments):
    """The extra is named; the bare package does everything else."""
    start = f"import sys; sys.modules['inspect_ai'] = None; {START[-1]}"
    line = [sys.executable, "-c", start, "run", "--release", str(release), *arguments]
    ended = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert ended.returncode == 2
    assert "pip install 'coda-bench[run]'" in ended.stderr


def test_tasks_hide_golds_unless_asked(command, release):
    """Neither list nor show nor JSON gives away answer or reference program."""
    for arguments in (["list"], ["list", "--json"], ["show", "4"], ["show", "4", "--json"]):
        shown = command("tasks", *arguments, "--release", release).stdout
        assert "species" in shown
        assert "pike" not in shown
        assert "read_csv" not in shown
    assert "pike; 1" in command("tasks", "show", "4", "--with-gold", "--release", release).stdout
    assert json.loads(command("tasks", "show", "4", "--json", "--with-gold", "--release", release).stdout)["answer"]


def test_tasks_are_listed_by_community_and_from_a_task_file(command, release):
    """A release or a bare task file; ids that are not there are named."""
    listed = command("tasks", "list", "--gold", release / "coda_bench.json", "--community", "community_2", "--json")
    assert [row["instance_id"] for row in json.loads(listed.stdout)] == [3, 4]
    missing = command("tasks", "show", "8", "--release", release)
    assert (missing.returncode, "no task 8" in missing.stderr) == (2, True)
    assert command("tasks", "list").returncode == 2


def test_shell_says_what_was_opened(command, release):
    """A person's commands are watched like an agent's, and the exit code is theirs."""
    ended = command("shell", "1", "--release", release, input="cat /data/rivers/rivers.csv\nexit 3\n")
    assert "Um,12" in ended.stdout
    assert "files opened: 1\n  rivers/rivers.csv" in ended.stderr
    assert ended.returncode == 3


def test_inspects_own_command_runs_the_task(release, tmp_path):
    """`inspect eval coda_bench/coda` needs nothing but this package to be installed."""
    line = "inspect_ai._cli.main", "eval", "coda_bench/coda", "-T", f"release={release}", "-T", "agent=reference"
    start = f"import sys; sys.argv = {list(line)!r}; from inspect_ai._cli.main import main; main()"
    options = ["--model", "none", "--display", "plain", "--log-dir", str(tmp_path / "logs"), "--no-log-realtime"]
    ended = subprocess.run(
        [sys.executable, "-c", start.replace("; from", f" + {options!r}; from")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert re.search(r"^accuracy +1\.000", ended.stdout, re.MULTILINE)
    assert "hooks enabled" not in ended.stdout
