"""The same behaviour for an ordinary user: root runs the suite again as one."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from coda_bench.sandbox import analysis_env

NOBODY = 65534
HERE = Path(__file__).parent
QUICK = [
    "test_isolation.py",
    "test_files.py",
    "test_file_access.py::test_a_pipeline_is_seen_in_order",
    "test_limits.py::test_a_fork_bomb_is_bounded",
    "test_limits.py::test_a_memory_hog_is_killed_and_said_to_be",
    "test_lifecycle.py::test_a_killed_harness_leaves_nothing",
    "test_doctor.py::test_a_capable_machine_is_well",
]
LONG = ["test_file_access.py", "test_limits.py", "test_lifecycle.py"]


def closed_ancestor(path: Path) -> Path | None:
    """Return the first directory on the way to `path` that other users cannot pass."""
    return next((parent for parent in reversed(path.parents) if not parent.stat().st_mode & 0o001), None)


def opening(paths: list[Path], stage: Path) -> list[str]:
    """Return commands that make `paths` reachable for everybody, in a mount namespace of their own."""
    commands = ["mount --make-rprivate /"]
    for number, path in enumerate(paths):
        commands += [f"mkdir {stage}/{number}", f"mount --bind {shlex.quote(str(path))} {stage}/{number}"]
    closed = {ancestor for path in paths if (ancestor := closed_ancestor(path))}
    commands += [f"mount -t tmpfs -o mode=755 tmpfs {shlex.quote(str(ancestor))}" for ancestor in sorted(closed)]
    for number, path in enumerate(paths):
        quoted = shlex.quote(str(path))
        commands += [f"mkdir -p {quoted}", f"mount --bind {stage}/{number} {quoted}"]
    return commands


@pytest.mark.usefixtures("environment")
@pytest.mark.skipif(os.geteuid() != 0, reason="the suite runs as an ordinary user already")
@pytest.mark.parametrize("files", [QUICK, pytest.param(LONG, marks=pytest.mark.slow)], ids=["quick", "long"])
def test_an_ordinary_user_gets_the_same_sandbox(files):
    """What root's sandboxes keep out, bound and record, those of an ordinary user do as well."""
    if not (shutil.which("unshare") and shutil.which("setpriv")):
        pytest.skip("needs unshare and setpriv to become an ordinary user")
    stage = Path(tempfile.mkdtemp(dir="/tmp"))  # pytest's own are closed to other users
    stage.chmod(0o755)
    (stage / "run").mkdir()
    os.chown(stage / "run", NOBODY, NOBODY)
    home = analysis_env.home()
    paths = [Path(sys.base_prefix).resolve(), Path(sys.prefix), HERE.parents[1], home.resolve()]
    pytest_run = [
        *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
        *("env", "-i", f"CODA_BENCH_HOME={home}", f"PATH={os.environ['PATH']}", f"HOME={stage}/run"),
        *(sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", f"--basetemp={stage}/run/tests"),
        *(str(HERE / name) for name in files),
    ]
    script = "\n".join(["set -e", *opening(paths, stage), f"cd {HERE.parents[1]}", f"exec {shlex.join(pytest_run)}"])
    try:
        run = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, check=False)
    finally:
        shutil.rmtree(stage)
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
