"""Containers and volumes of harnesses that have ended, on the engines that answer."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from coda_bench.errors import SandboxUnavailable
from coda_bench.records.run import Backend
from coda_bench.sandbox.cleanup.leftover import Leftover
from coda_bench.sandbox.cleanup.owner import Owner, mark
from coda_bench.sandbox.container import engine as engines

LABEL = "coda-bench.owner"
"""On every container and volume; its text is the owner's mark and the namespace that numbers its process."""
_ENGINES = (Backend.DOCKER, Backend.PODMAN)
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
    return [left for engine in _answering() for kind in _LIST for left in _left(engine, kind)]


def _answering() -> Iterator[engines.Engine]:
    for name in _ENGINES:
        with suppress(SandboxUnavailable):
            yield engines.find(name)


def _left(engine: engines.Engine, kind: str) -> Iterator[Leftover]:
    template = f'{_NAME[kind]} {{{{.Label "{LABEL}"}}}}'
    if engine.name is Backend.PODMAN and kind == "volume":
        template = f'{_NAME[kind]} {{{{index .Labels "{LABEL}"}}}}'
    words = (*_LIST[kind], "--filter", f"label={LABEL}", "--format", template)
    try:
        said = engine.run(*words, timeout_s=_TIMEOUT_S)
    except SandboxUnavailable:
        return
    for line in said.splitlines():
        name, _, text = line.partition(" ")
        found = _TEXT.fullmatch(text.strip())
        if found is None or found[4] != _numbering():
            continue
        owner = Owner(*map(int, found.groups()[:3]))
        if owner.uid == os.geteuid() and not owner.is_alive():
            detail = f"of harness {owner.process}, which has ended"
            yield Leftover(kind=kind, where=f"{engine.name} {name}", detail=detail)


def remove(leftover: Leftover) -> None:
    """Remove a container or volume.

    Raises:
        OSError: the engine refuses.
    """
    engine, name = leftover.where.split(" ", 1)
    try:
        engines.find(Backend(engine)).run(*_REMOVE[leftover.kind], name, timeout_s=_TIMEOUT_S)
    except SandboxUnavailable as refused:
        raise OSError(0, str(refused)) from refused
