"""Which tracker is chosen, and that the suite holds for an ordinary user."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

import ordinary_user
from coda_bench.errors import BadInput
from coda_bench.records.access import FileAccess, TrackerKind
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.holder.trackers.notify import program

HERE = Path(__file__).parent
STACKED = """
set -e
mount --make-rprivate /
cd "$1"
mkdir a b c d one two
echo 1 > a/file.csv
mount -t overlay -o lowerdir=a:b overlay one
mount -t overlay -o lowerdir=one:c overlay two
exec "$2" -c '
import sys
from pathlib import Path
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import find
with Sandbox.start(SandboxSpec(data=Path("two"), environment=find())) as sandbox:
    access = sandbox.execute(["cat", "/data/file.csv"]).access
    print(sandbox.record.tracker, access.opened, access.openers, access.complete, *sandbox.record.notes)
'
"""


def test_the_environment_variable_chooses(environment, ground, monkeypatch):
    """A tracker can be forced, and a name that is none is refused."""
    monkeypatch.setenv("CODA_BENCH_TRACKER", "seccomp_notify")
    with Sandbox.start(SandboxSpec(data=ground, environment=environment)) as sandbox:
        assert sandbox.record.tracker is TrackerKind.SECCOMP_NOTIFY
    monkeypatch.setenv("CODA_BENCH_TRACKER", "ebpf")
    with pytest.raises(BadInput, match="CODA_BENCH_TRACKER=ebpf: no such tracker; choose one of overlay_inotify"):
        Sandbox.start(SandboxSpec(data=ground, environment=environment))


def test_records_of_the_first_release_are_read():
    """The default tracker had another spelling there."""
    row = {"tracker": "overlay+inotify", "complete": True}
    assert FileAccess.model_validate(row).tracker is TrackerKind.OVERLAY_INOTIFY
    with pytest.raises(ValidationError):
        FileAccess.model_validate({**row, "tracker": "guess"})


def test_the_notification_is_really_tried():
    """The probe gives an empty text only after a confined process has got a descriptor for a file that is not there."""
    script = (
        "import sys; from coda_bench.sandbox.holder import kernel\n"
        "from coda_bench.sandbox.holder.trackers import probe\n"
        "if sys.argv[1] == 'on': kernel.renounce_privileges()\n"
        "else: probe.inside.forbid_reading_data = lambda: probe.os._exit(9)\n"
        "print(repr(probe.why_not()))"
    )
    said = {
        word: subprocess.run([sys.executable, "-c", script, word], capture_output=True, text=True, check=True).stdout
        for word in ("on", "off")
    }
    assert said == {"on": "''\n", "off": "'no notification of system calls (the process was killed)'\n"}


def test_the_filter_knows_its_architectures():
    """Each known one has a program of its own; another is refused rather than let through."""
    assert program("x86_64") != program("aarch64")
    with pytest.raises(KeyError):
        program("riscv64")


@pytest.mark.usefixtures("environment")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can stack overlays outside")
def test_without_an_overlay_the_fallback_is_chosen(tmp_path):
    """On a community that is stacked as deep as the kernel allows, openings are watched by notification."""
    line = ["unshare", "-m", "sh", "-c", STACKED, "sh", str(tmp_path), sys.executable]
    run = subprocess.run(line, capture_output=True, text=True, check=False)
    assert run.stdout.startswith("seccomp_notify ('file.csv',) ('cat',) True"), run.stdout + run.stderr
    assert "tracked by seccomp_notify: no overlay mount" in run.stdout


@pytest.mark.usefixtures("environment")
@pytest.mark.skipif(not ordinary_user.can_become(), reason="the suite runs as an ordinary user already")
@pytest.mark.slow
def test_an_ordinary_user_is_watched_as_well():
    """The cases hold for an ordinary user with both trackers."""
    options = ["-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", "--basetemp={home}/tests"]
    files = [str(HERE / name) for name in ("test_cases.py", "test_attempts.py")]
    run = ordinary_user.run([*options, *files], capture_output=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "[100%]" in run.stdout
