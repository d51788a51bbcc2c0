"""The private folder of an attempt's containers on the host."""

import os
import shutil
import tempfile
from pathlib import Path

from coda_bench.sandbox.cleanup.folders import TEMPORARY
from coda_bench.sandbox.container.launch import empty, layers, user
from coda_bench.sandbox.spec import SandboxSpec


def attempt_folder(spec: SandboxSpec, *, names_volumes: bool) -> Path:
    """Make a folder with the files of `/etc` that name the commands' user, and what overlays need: links to sources."""
    folder = Path(tempfile.mkdtemp(prefix=TEMPORARY.format(process=os.getpid())))
    number = user()
    (folder / "passwd").write_text(
        f"root:x:0:0::/:/usr/sbin/nologin\nagent:x:{number}:{number}::/workspace:/bin/bash\n", encoding="ascii"
    )
    (folder / "group").write_text(f"root:x:0:\nagent:x:{number}:\n", encoding="ascii")
    for name in ("passwd", "group"):
        (folder / name).chmod(0o644)
    for layer in layers(spec):
        (folder / layer.name).symlink_to(layer.source)
        for part in ("upper", "work") if names_volumes else ():
            (folder / f"{layer.name}-{part}").mkdir(mode=0o755)
    if not names_volumes:
        (folder / "empty").symlink_to(empty())
    return folder


def remove_folder(folder: Path) -> None:
    """Remove it; what an engine left in it may be root's, then it stays for `coda-bench cleanup`."""
    shutil.rmtree(folder, ignore_errors=True)
