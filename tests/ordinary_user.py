"""Running a program as an ordinary user when the suite runs as root, whose files others may not pass."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from coda_bench.sandbox import analysis_env

NOBODY = 65534
PROJECT = Path(__file__).parents[1]


def can_become() -> bool:
    """Whether this process is root and has the tools to become somebody else."""
    return os.geteuid() == 0 and bool(shutil.which("unshare") and shutil.which("setpriv"))


def run(arguments: list[str], **options) -> subprocess.CompletedProcess:
    """Run this Python with arguments as nobody, in a mount namespace where the project can be read.

    `HOME` is a new directory, removed afterwards; a word `{home}` in the arguments stands for it.
    """
    with _stage() as stage:
        home = stage / "run"
        environments = analysis_env.home()
        paths = [Path(sys.base_prefix).resolve(), Path(sys.prefix), PROJECT, environments.resolve()]
        command = [
            *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
            *("env", "-i", f"CODA_BENCH_HOME={environments}", f"PATH={os.environ['PATH']}", f"HOME={home}"),
            *(f"TMPDIR={home}", "PYTHONDONTWRITEBYTECODE=1"),
            *(sys.executable, *(word.replace("{home}", str(home)) for word in arguments)),
        ]
        script = "\n".join(["set -e", *_opening(paths, stage), f"cd {PROJECT}", f"exec {shlex.join(command)}"])
        return subprocess.run(["unshare", "-m", "sh", "-c", script], text=True, check=False, **options)


@contextmanager
def _stage() -> Iterator[Path]:
    stage = Path(tempfile.mkdtemp(dir="/tmp"))
    try:
        stage.chmod(0o755)
        (stage / "run").mkdir()
        os.chown(stage / "run", NOBODY, NOBODY)
        yield stage
    finally:
        shutil.rmtree(stage)


def _opening(paths: list[Path], stage: Path) -> list[str]:
    """Return commands that make `paths` reachable for everybody, in a mount namespace of their own."""
    commands = ["mount --make-rprivate /"]
    for number, path in enumerate(paths):
        commands += [f"mkdir {stage}/{number}", f"mount --bind {shlex.quote(str(path))} {stage}/{number}"]
    closed = {ancestor for path in paths if (ancestor := _closed_ancestor(path))}
    commands += [f"mount -t tmpfs -o mode=755 tmpfs {shlex.quote(str(ancestor))}" for ancestor in sorted(closed)]
    for number, path in enumerate(paths):
        quoted = shlex.quote(str(path))
        commands += [f"mkdir -p {quoted}", f"mount --bind {stage}/{number} {quoted}"]
    return commands


def _closed_ancestor(path: Path) -> Path | None:
    """Return the first directory on the way to `path` that other users cannot pass."""
    return next((parent for parent in reversed(path.parents) if not parent.stat().st_mode & 0o001), None)
