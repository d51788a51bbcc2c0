"""What killed harnesses leave, found and removed, and what is left alone."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from coda_bench.sandbox.cleanup import find, remove
from coda_bench.sandbox.cleanup.folders import TEMPORARY
from coda_bench.sandbox.cleanup.owner import mark, owner_of, started
from coda_bench.sandbox.holder.room.places import BWRAP

SLEEP = "import sys; print(flush=True); sys.stdin.read()"
COMMAND = [sys.executable, "-c", "from coda_bench.cli.main import main; main()", "cleanup"]
MAKES_A_GROUP = (
    "import os, sys; from coda_bench.sandbox.holder.room import cgroup\n"
    "print(os.getpid(), cgroup.create(1 << 28) is not None, flush=True); sys.stdin.read()"
)


def marked(word: str) -> subprocess.Popen:
    """Start a process that carries a word among its arguments, as a nursery does."""
    started_one = subprocess.Popen(
        [sys.executable, "-c", SLEEP, word], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    started_one.stdout.readline()
    return started_one


def end(process: subprocess.Popen) -> None:
    process.kill()
    process.communicate()


def left() -> dict[str, str]:
    return {found.where: found.kind for found in find()}


@pytest.fixture
def ended() -> int:
    """The number of a process that has ended."""
    with subprocess.Popen(["true"]) as process:
        pass
    return process.pid


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """A place of this test's own for what the project builds."""
    monkeypatch.setenv("CODA_BENCH_HOME", str(tmp_path / "home"))
    (tmp_path / "home/environments").mkdir(parents=True)
    return tmp_path / "home"


def test_a_process_of_a_dead_harness_is_ended(ended):
    """What carries the mark of a harness that is gone is found, killed and not found again."""
    process = marked(f"coda-bench-of:{os.geteuid()}:{ended}:1")
    found = [leftover for leftover in find() if leftover.where == str(process.pid)]
    assert [leftover.kind for leftover in found] == ["process"]
    assert remove(found[0]) == ""
    assert process.wait(30) == -signal.SIGKILL
    assert str(process.pid) not in left()
    assert remove(found[0]) == ""
    end(process)


def test_a_number_used_again_is_no_live_harness():
    """A harness is known by number and start: another process of the same number does not keep what it left."""
    process = marked(f"coda-bench-of:{os.geteuid()}:{os.getpid()}:1")
    assert str(process.pid) in left()
    end(process)


def test_what_is_not_ours_or_lives_is_left_alone(ended):
    """Processes of a live harness, of another user's, and those without a mark are none of ours."""
    others = [mark(), f"coda-bench-of:{os.geteuid() + 1}:{ended}:1", "coda-bench", f"coda-bench-of:0:{ended}"]
    processes = [marked(word) for word in others]
    assert not {str(process.pid) for process in processes} & left().keys()
    for process in processes:
        end(process)


def test_a_running_sandbox_is_left_alone(make_sandbox):
    """Nothing of a sandbox in use is a leftover: its nursery, holder, first process, group or command."""
    sandbox = make_sandbox()
    thread = threading.Thread(target=sandbox.execute, args=(["sh", "-c", "touch here; sleep 600"],))
    thread.start()
    while sandbox.execute(["test", "-e", "here"], counted=False).exit_code != 0:
        assert thread.is_alive()
    nursery = int(Path(f"/proc/{sandbox.holder_pid}/stat").read_text().rpartition(")")[2].split()[1])
    assert owner_of(nursery).process == os.getpid()
    assert owner_of(sandbox.holder_pid).is_alive()
    family = {sandbox.holder_pid, nursery}
    for number in sorted(int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit()):
        try:
            parent = int(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        if parent in family:
            family.add(number)
    assert not {where for where in left() if where.isdigit() and int(where) in family}
    assert not [where for where in left() if where.endswith(f"coda-bench-{sandbox.holder_pid}")]
    sandbox.interrupt()
    thread.join(30)


def test_a_stray_first_process_is_ended():
    """A command's first process whose holder is gone is found by the place it was started from."""
    process = subprocess.Popen([BWRAP, "-c", SLEEP], executable=sys.executable, stdin=subprocess.PIPE)
    found = [leftover for leftover in find() if leftover.where == str(process.pid)]
    assert [remove(leftover) for leftover in found] == [""]
    assert process.wait(30) == -signal.SIGKILL
    end(process)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes control groups")
def test_an_abandoned_group_is_removed():
    """A group is kept as long as its maker lives, and removed afterwards."""
    process = subprocess.Popen(
        [sys.executable, "-c", MAKES_A_GROUP, mark()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    number, made = process.stdout.readline().split()
    if made != "True":
        end(process)
        pytest.skip("no control group can be made here")
    name = f"coda-bench-{number}"
    assert not [where for where in left() if where.endswith(name)]
    end(process)
    found = [leftover for leftover in find() if leftover.where.endswith(name)]
    assert [leftover.kind for leftover in found] == ["control group"]
    assert remove(found[0]) == ""
    assert not Path(found[0].where).exists()


def test_half_made_folders_of_the_dead_are_removed(home, tmp_path, ended, monkeypatch):
    """Folders named for an ended process go; those of living makers, links and other names stay."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    gone = [
        home / f"environments/.building-current-{ended}",
        tmp_path / f".release.building-{ended}",
        tmp_path / f".release.replaced-{ended}",
        tmp_path / TEMPORARY.format(process=ended),
    ]
    stay = [
        home / f"environments/.building-current-{os.getpid()}",
        tmp_path / "release",
        tmp_path / f"building-{ended}",
    ]
    for folder in (*gone, *stay):
        folder.mkdir()
    (gone[0] / "link").symlink_to(stay[1])
    (stay[1] / "kept").touch()
    (tmp_path / f".other.building-{ended}").symlink_to(stay[1])
    found = [leftover for leftover in find([tmp_path]) if leftover.kind == "folder"]
    assert {leftover.where for leftover in found} >= {str(folder) for folder in gone}
    for leftover in found:
        if leftover.where.startswith(str(tmp_path)):
            assert remove(leftover) == ""
    assert not any(folder.exists() for folder in gone)
    assert all(folder.exists() for folder in stay)
    assert (stay[1] / "kept").exists()


def test_what_cannot_be_removed_is_said(home, ended):
    """A folder that has gone meanwhile is reported with the reason, and nothing breaks."""
    folder = home / f"environments/.building-older-{ended}"
    folder.mkdir()
    found = next(leftover for leftover in find() if leftover.where == str(folder))
    folder.rmdir()
    assert "No such file" in remove(found)


def test_a_dry_run_removes_nothing(home, ended, tmp_path):
    """`--dry-run --json` names what is left, exits with 1 and leaves it."""
    folder = home / f"environments/.building-current-{ended}"
    folder.mkdir()
    run = subprocess.run([*COMMAND, "--dry-run", "--json", tmp_path], capture_output=True, text=True, check=False)
    assert run.returncode == 1, run.stderr
    found = {leftover["where"]: leftover["problem"] for leftover in json.loads(run.stdout)["leftovers"]}
    assert found[str(folder)] == "left"
    assert folder.exists()


def test_a_process_is_known_by_its_start():
    """Start times tell this process from none."""
    assert started(os.getpid()) == started(os.getpid())
    assert started(os.getpid()) > 0
    assert started(1 << 30) is None
