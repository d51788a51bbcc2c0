"""The same behaviour for an ordinary user: root runs the suite again as one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ordinary_user

HERE = Path(__file__).parent
QUICK = [
    "test_isolation.py",
    "test_files.py",
    "test_file_access.py::test_a_pipeline_is_seen_in_order",
    "test_limits.py::test_a_fork_bomb_is_bounded",
    "test_limits.py::test_a_memory_hog_is_killed_and_said_to_be",
    "test_limits.py::test_memory_that_is_open_but_not_mapped_is_memory",
    "test_cleanup.py",
    "test_lifecycle.py::test_a_killed_harness_leaves_nothing",
    "test_doctor.py::test_a_capable_machine_is_well",
]
LONG = ["test_file_access.py", "test_limits.py", "test_lifecycle.py"]


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize("files", [QUICK, pytest.param(LONG, marks=pytest.mark.slow)], ids=["quick", "long"])
def test_an_ordinary_user_gets_the_same_sandbox(files):
    """What root's sandboxes keep out, bound and record, those of an ordinary user do as well."""
    if not ordinary_user.can_become():
        pytest.skip("the suite runs as an ordinary user already, or unshare and setpriv are missing")
    options = ["-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", "--basetemp={home}/tests"]
    run = ordinary_user.run([*options, *(str(HERE / name) for name in files)], capture_output=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert " passed" in run.stdout or "[100%]" in run.stdout


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare to become the root of a user namespace")
def test_the_root_of_a_container_is_an_ordinary_user():
    """Where root may not become nobody, as in a rootless container, a sandbox runs all the same."""
    program = (
        "from coda_bench.sandbox.doctor import examine\n"
        "print({check.name: check.ok for check in examine()}['sandbox'], [c.detail for c in examine()])"
    )
    run = subprocess.run(["unshare", "-Ur", sys.executable, "-c", program], capture_output=True, text=True, check=False)
    if "unshare" in run.stderr:
        pytest.skip(f"no user namespaces: {run.stderr}")
    assert run.stdout.startswith("True"), run.stdout + run.stderr


DELEGATED = """
import sys
from coda_bench.records.run import Limits
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import find
spec = SandboxSpec(data=None, environment=find(), limits=Limits(memory_mb=128, disk_mb=16))
hog = "import os; f = os.memfd_create('x'); [os.write(f, bytes(1 << 20)) for _ in range(400)]"
with Sandbox.start(spec) as sandbox:
    print(sandbox.record.notes[0], sandbox.execute(["python3", "-c", hog]).ended_by.value)
"""


@pytest.mark.usefixtures("environment")
@pytest.mark.skipif(not ordinary_user.can_become(), reason="only root can delegate a control group")
def test_a_delegated_control_group_is_used():
    """An ordinary user to whom a group was given gets the kernel's memory limit, and the group of the sandbox goes."""
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    own = next((line.split(":", 2)[2] for line in lines if ":memory:" in line), None)
    if own is None:
        pytest.skip("no control groups of version 1 here; those of version 2 are delegated by systemd")
    given = Path(f"/sys/fs/cgroup/memory{own.rstrip('/')}/test-delegated-{os.getpid()}")
    given.mkdir()
    try:
        for path in (given, given / "cgroup.procs", given / "tasks"):
            os.chown(path, ordinary_user.NOBODY, ordinary_user.NOBODY)

        def join() -> None:
            (given / "cgroup.procs").write_text("0")

        run = ordinary_user.run(["-c", DELEGATED], capture_output=True, preexec_fn=join)
        assert run.stdout == "memory is bounded by cgroup v1 and watchdog memory\n", run.stderr
        assert [path.name for path in given.iterdir() if path.is_dir()] == []
    finally:
        for path in (*(path for path in given.iterdir() if path.is_dir()), given):
            path.rmdir()
