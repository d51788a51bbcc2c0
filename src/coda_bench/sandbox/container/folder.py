"""The private folder of an attempt's containers on the host."""

import os
import shutil
import tempfile
from pathlib import Path

from coda_bench.sandbox.analysis_env import home
from coda_bench.sandbox.cleanup.folders import TEMPORARY
from coda_bench.sandbox.container.launch import user
from coda_bench.sandbox.spec import SandboxSpec


def attempt_folder(spec: SandboxSpec, *, names_volumes: bool) -> Path:
    """Make a folder with the files of `/etc` that name the commands' user, and what an overlay needs.

    The community stands in it as a link, so that its place on the host cannot be read inside.
    """
    folder = Path(tempfile.mkdtemp(prefix=TEMPORARY.format(process=os.getpid())))
    number = user()
    (folder / "passwd").write_text(
        f"root:x:0:0::/:/usr/sbin/nologin\nagent:x:{number}:{number}::/workspace:/bin/bash\n", encoding="ascii"
    )
    (folder / "group").write_text(f"root:x:0:\nagent:x:{number}:\n", encoding="ascii")
    for name in ("passwd", "group"):
        (folder / name).chmod(0o644)
    if names_volumes:
        for name in ("upper", "work"):
            (folder / name).mkdir(mode=0o755)
    else:
        (folder / "empty").symlink_to(_empty())
    (folder / "data").symlink_to(spec.data.resolve() if spec.data else _nothing())
    return folder


def _nothing() -> Path:
    """Return another one, for an attempt without data: an overlay wants two directories."""
    path = _empty().with_name("no-data")
    path.mkdir(exist_ok=True)
    return path


def _empty() -> Path:
    """Return a directory that is empty and stays: an overlay over one that has been removed lists nothing."""
    path = home() / "empty"
    path.mkdir(parents=True, exist_ok=True)
    return path


def remove_folder(folder: Path) -> None:
    """Remove it; what an engine left in it may be root's, then it stays for `coda-bench cleanup`."""
    shutil.rmtree(folder, ignore_errors=True)
