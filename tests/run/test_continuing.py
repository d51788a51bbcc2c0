"""Runs that were cut short, and what repeating the same command makes of them."""

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from coda_bench.errors import RunConflict
from coda_bench.records.attempt import AttemptStatus, read_journal
from coda_bench.records.run import Limits

SLOW = "sed -n 2p /data/*/*.csv | head -n 1 > /workspace/result.txt; sleep 0.3"
KILLS_ITS_SANDBOX_ONCE = '''\
import os
import signal
from pathlib import Path


def children(process):
    return " ".join(path.read_text() for path in Path(f"/proc/{process}/task").glob("*/children")).split()


class Kills:
    """Kills its sandbox from outside the first time, answers the second time."""

    name = "kills"

    def solve(self, task, sandbox):
        sandbox.write("/workspace/result.txt", b"42")
        marker = Path(os.environ["KILL_MARKER"])
        if not marker.exists():
            marker.touch()
            for starter in children("self"):
                for holder in children(starter):
                    os.kill(int(holder), signal.SIGKILL)
        sandbox.execute(["true"])
'''


class Started:
    """`coda-bench run` as a process, stopped in the middle."""

    def __init__(self, release: Path, out: Path, *arguments: str) -> None:
        self.journal = out / "attempts.jsonl"
        start = "from coda_bench.cli.main import main; main()"
        command = [sys.executable, "-c", start, "run", "--release", str(release), "--out", str(out)]
        self.process = subprocess.Popen(
            [*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=out.parent
        )

    def until_attempts(self, count: int) -> None:
        """Wait until the journal has so many whole lines."""
        while self.process.poll() is None:
            if self.journal.exists() and self.journal.read_bytes().count(b"\n") >= count:
                return
            time.sleep(0.02)
        pytest.fail(f"the run ended early: {self.process.communicate()[0]}")

    def signalled(self, number: int) -> int:
        """Send a signal and return the exit code."""
        self.process.send_signal(number)
        self.output, _ = self.process.communicate(timeout=120)
        return self.process.returncode


@pytest.fixture
def started(release, tmp_path):
    running = []

    def start(*arguments: str) -> Started:
        running.append(Started(release, tmp_path / "run", "--agent", "command", *arguments))
        return running[-1]

    yield start
    for run in running:
        run.process.kill()
        run.process.wait()
        run.process.stdout.close()


SLOW_RUN = ("--agent-arg", f"run={SLOW}", "--epochs", "6", "--jobs", "2")


def test_kill_9_in_the_middle_loses_nothing_and_repeats_nothing(runs, started, tmp_path):
    """24 attempts, killed after five: the rerun makes the others, and the answers equal an uninterrupted run's."""
    run = started(*SLOW_RUN)
    run.until_attempts(5)
    assert run.signalled(signal.SIGKILL) == -signal.SIGKILL
    kept = [attempt.key for attempt in read_journal(run.journal)]
    options = {"agent_args": {"run": SLOW}, "epochs": 6, "jobs": 2}
    assert runs("command", **options).missing == ()
    keys = [attempt.key for attempt in read_journal(run.journal)]
    assert keys[: len(kept)] == kept
    assert (len(keys), max(Counter(keys).values())) == (24, 1)
    interrupted = _answers(tmp_path / "run")
    runs("command", out=tmp_path / "whole", **options)
    assert interrupted == _answers(tmp_path / "whole")


def _answers(directory: Path) -> dict[str, list[tuple[int, str]]]:
    return {
        path.name: [(row["instance_id"], row["prediction"]) for row in map(json.loads, path.read_text().splitlines())]
        for path in sorted(directory.glob("predictions*.jsonl"))
    }


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_says_so_and_continues(runs, started, number, code):
    """Ctrl-C exits 130 and SIGTERM 143; predictions of what was done are there; the rerun completes it."""
    run = started(*SLOW_RUN)
    run.until_attempts(3)
    assert run.signalled(number) == code
    assert "repeat the command to continue" in run.output
    assert (run.journal.parent / "predictions.jsonl").exists()
    assert runs("command", agent_args={"run": SLOW}, epochs=6, jobs=2).missing == ()
    ended = Counter(a.key for a in read_journal(run.journal) if not a.status.is_machine_failure)
    assert (len(ended), max(ended.values())) == (24, 1)


def test_nothing_is_left_running_after_kill_9(started):
    """The sandboxes die with the run."""
    run = started("--agent-arg", "run=sleep 3217")
    while not (found := _processes("3217")):
        assert run.process.poll() is None
        time.sleep(0.02)
    run.signalled(signal.SIGKILL)
    deadline = time.monotonic() + 30
    while found & _processes("3217") and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not found & _processes("3217")


def _processes(word: str) -> set[int]:
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if line.startswith(b"sleep") and word.encode() in line:
            found.add(int(folder.name))
    return found


def test_two_runs_in_one_directory_are_refused(runs, started):
    """The second one says so at once and touches nothing."""
    run = started(*SLOW_RUN)
    run.until_attempts(1)
    with pytest.raises(RunConflict, match="another run is working here"):
        runs("command", agent_args={"run": SLOW}, epochs=6, jobs=2)


def test_other_settings_in_the_same_directory_are_refused(runs):
    """The message names the setting, what it was and what it is now."""
    runs("nothing")
    with pytest.raises(RunConflict, match=r"limits: .*600.* there, .*601.* now"):
        runs("nothing", limits=Limits(time_s=601))


def test_a_changed_task_file_is_another_experiment(runs, release):
    """Attempts at other tasks may not be mixed in."""
    runs("nothing", instances=(1,))
    (release / "coda_bench.json").write_text((release / "coda_bench.json").read_text().replace("Peru", "Mali"))
    with pytest.raises(RunConflict, match="tasks_sha256"):
        runs("nothing", instances=(1,))


def test_jobs_and_retries_may_change_between_calls(runs):
    """They do not belong to the experiment."""
    runs("nothing", jobs=1)
    assert runs("nothing", jobs=2, retries=3).progress.done == 4


def test_a_torn_journal_line_costs_one_attempt(runs, tmp_path):
    """Half a line at the end counts as not made; the rerun makes exactly that attempt again."""
    runs("nothing")
    journal = tmp_path / "run" / "attempts.jsonl"
    content = journal.read_bytes()
    journal.write_bytes(content[:-40])
    summary = runs("nothing")
    assert (summary.progress.done, summary.missing) == (4, ())
    assert len(read_journal(journal)) == 4


def test_a_finished_run_repeated_does_nothing(runs, tmp_path):
    """No sandbox, no engine, same files."""
    runs("nothing")
    before = (tmp_path / "run" / "attempts.jsonl").read_bytes()
    assert runs("nothing").missing == ()
    assert (tmp_path / "run" / "attempts.jsonl").read_bytes() == before


def test_a_lost_sandbox_is_tried_again_and_never_a_wrong_answer(runs, tmp_path, monkeypatch):
    """The sandbox is killed from outside: first without retries, then the rerun completes."""
    (tmp_path / "kills_for_test.py").write_text(KILLS_ITS_SANDBOX_ONCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KILL_MARKER", str(tmp_path / "killed"))
    first = runs("kills_for_test:Kills", instances=(1,), retries=0)
    assert runs.attempts()[1, 1].status is AttemptStatus.SANDBOX_LOST
    assert (first.missing, runs.answers()) == (((1, 1),), {})
    assert runs("kills_for_test:Kills", instances=(1,), retries=0).missing == ()
    assert (runs.answers(), runs.attempts()[1, 1].num_retries) == ({1: "42"}, 1)
