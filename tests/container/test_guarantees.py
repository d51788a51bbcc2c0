"""The promises of every sandbox, kept by containers: nothing gets out, nothing is missed, nothing is left."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from coda_bench.records.run import Backend
from coda_bench.sandbox.cleanup import find as find_leftovers
from coda_bench.sandbox.cleanup import remove

TESTS = Path(__file__).parents[1]
HARNESS = """
import sys
from pathlib import Path
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import find
sandbox = Sandbox.start(SandboxSpec(data=Path(sys.argv[1]), environment=find()))
print("started", flush=True)
sandbox.execute(["sleep", "600"])
"""


@pytest.mark.slow
def test_every_attempt_to_break_out_is_held(engine, python):
    """The hundred attempts of the escape suite, made in containers, all hold and the harness goes on after each."""
    del engine
    run = subprocess.run([python, TESTS / "escape/run.py", "--alone", "--json"], capture_output=True, check=False)
    outcomes = [one for user in json.loads(run.stdout)["outcomes"].values() for one in user]
    assert len(outcomes) >= 45
    assert [one for one in outcomes if not (one["held"] and one["went_on"])] == []


@pytest.mark.slow
def test_every_way_of_reading_is_seen(engine, python):
    """The cases of the tracker's suite, run in containers: every reading seen or refused, no look counted."""
    del engine
    run = subprocess.run([python, TESTS / "tracker/table.py", "--json"], capture_output=True, check=False)
    table = json.loads(run.stdout)["cases"]
    found = {case: outcomes["overlay_inotify"] for case, outcomes in table.items()}
    assert len(found) >= 65
    assert {case: outcome for case, outcome in found.items() if outcome not in {"seen", "refused", "not counted"}} == {}


def test_a_killed_harness_leaves_nothing(engine, community, python):
    """Containers end with their harness; what an engine keeps by name, cleanup finds and removes, and nothing else."""
    for left in find_leftovers():
        remove(left)
    before = _kept(engine)
    harness = subprocess.Popen([python, "-c", HARNESS, community], stdout=subprocess.PIPE)
    assert harness.stdout.readline() == b"started\n"
    harness.send_signal(signal.SIGKILL)
    harness.wait()
    harness.stdout.close()
    while engine.run("ps", "--quiet").strip():
        pass
    if engine.name is Backend.DOCKER:
        while _kept(engine) != before:
            pass
    for left in [left for left in find_leftovers() if left.where.startswith(engine.name) or left.kind == "folder"]:
        assert remove(left) == ""
    assert _kept(engine) == before


def _kept(engine) -> tuple[str, str, list[str]]:
    folders = sorted(path.name for path in Path("/tmp").glob("coda-bench-*"))  # noqa: S108 - where they are made
    return engine.run("ps", "--all", "--quiet"), engine.run("volume", "ls", "--quiet"), folders


def test_many_attempts_leave_nothing(engine, make):
    """Twenty attempts in a row, and four at once: no container, volume, folder or descriptor more than before."""
    make().close()
    before, descriptors = _kept(engine), _descriptors()
    for _ in range(20):
        room = make()
        room.execute(["cat", "/data/iris/one.csv"])
        room.close()
    rooms = [make() for _ in range(4)]
    for room in rooms:
        room.close()
    assert _kept(engine) == before
    assert _descriptors() <= descriptors


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_running_sandbox_is_left_alone(engine, make):
    """Cleaning up never touches what a living harness holds."""
    room = make()
    assert [left for left in find_leftovers() if left.where.startswith(engine.name)] == []
    assert room.execute(["true"]).exit_code == 0


def test_no_path_of_the_community_can_be_read(make, community):
    """Mount tables name neutral places: nothing about the release or the host's user."""
    seen = make().execute(["sh", "-c", "cat /proc/self/mountinfo /proc/self/mounts"]).stdout.decode()
    assert str(community.parent.name) not in seen
    assert "environments" not in seen
