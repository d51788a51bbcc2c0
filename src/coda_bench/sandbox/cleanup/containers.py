"""Containers and volumes of harnesses that have ended, on the engines that answer."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from coda_bench.sandbox.cleanup.leftover import Leftover
from coda_bench.sandbox.cleanup.owner import Owner, mark

LABEL = "coda-bench.owner"
"""On every container and volume; its text is the owner's mark and the namespace that numbers its process."""
_ENGINES = ("docker", "podman")
_TEXT = re.compile(r"coda-bench-of:(\d+):(\d+):(\d+):(pid:\[\d+\])")
_LIST = {"container": ("ps", "--all"), "volume": ("volume", "ls")}
_REMOVE = {"container": ("rm", "--force", "--volumes"), "volume": ("volume", "rm", "--force")}
_NAME = {"container": "{{.Names}}", "volume": "{{.Name}}"}
_TIMEOUT_S = 30.0


def label() -> str:
    """Return the label that this harness's containers and volumes carry."""
    return f"{LABEL}={mark()}:{_numbering()}"


def _numbering() -> str:
    return str(Path("/proc/self/ns/pid").readlink())


def find() -> list[Leftover]:
    """Return what carries the mark of a harness that has ended; an engine that does not answer has nothing to say."""
    return [left for engine in _ENGINES if shutil.which(engine) for kind in _LIST for left in _left(engine, kind)]


def _left(engine: str, kind: str) -> Iterator[Leftover]:
    template = f'{_NAME[kind]} {{{{.Label "{LABEL}"}}}}'
    if engine == "podman" and kind == "volume":
        template = f'{_NAME[kind]} {{{{index .Labels "{LABEL}"}}}}'
    said = _said(engine, *_LIST[kind], "--filter", f"label={LABEL}", "--format", template)
    for line in said.splitlines():
        name, _, text = line.partition(" ")
        found = _TEXT.fullmatch(text.strip())
        if found is None or found[4] != _numbering():
            continue
        owner = Owner(*map(int, found.groups()[:3]))
        if owner.uid == os.geteuid() and not owner.is_alive():
            detail = f"of harness {owner.process}, which has ended"
            yield Leftover(kind=kind, where=f"{engine} {name}", detail=detail)


def _said(engine: str, *words: str) -> str:
    try:
        done = subprocess.run([engine, *words], capture_output=True, text=True, check=False, timeout=_TIMEOUT_S)  # noqa: S603 - the user's own engine
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def remove(leftover: Leftover) -> None:
    """Remove a container or volume.

    Raises:
        OSError: the engine refuses.
    """
    engine, name = leftover.where.split(" ", 1)
    done = subprocess.run(  # noqa: S603 - the user's own engine
        [engine, *_REMOVE[leftover.kind], name], capture_output=True, text=True, check=False, timeout=_TIMEOUT_S
    )
    if done.returncode:
        raise OSError(0, done.stderr.strip())
