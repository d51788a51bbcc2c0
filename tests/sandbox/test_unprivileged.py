"""The same behaviour for an ordinary user: root runs the suite again as one."""

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
