"""Execute: cells of a notebook, or some of their statements, in a sandbox; what they displayed comes back as values."""

import json
import re
import tempfile
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from coda_bench.errors import SandboxFileError
from coda_bench.records.anchor import StatementId
from coda_bench.records.run import Limits
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import AnalysisEnvironment
from coda_bench.tasks.execution.bundle import bundle
from coda_bench.tasks.execution.results import Ran, ran
from coda_bench.tasks.execution.room import KAGGLE, Room

KERNEL = "/tmp/kernel.pyz"  # noqa: S108 - the sandbox's own
MOST_RESULT_BYTES = 64 << 20
_LIBRARIES = {
    "numpy": "numpy|pandas",
    "pandas": "pandas",
    "matplotlib.pyplot": "matplotlib|pylab",
    "seaborn": "seaborn",
    "scipy.stats": "scipy",
    "statsmodels.api": "statsmodels",
}
_BEGIN_S = 30.0
"""To start the interpreter and load the usual libraries."""


class CellSource(NamedTuple):
    """A cell of code."""

    number: int
    """From 1, among all cells of the notebook."""
    source: str
    error: str = ""
    """The name of the error that the notebook stored below it: after just this one its author went on."""


class Job(NamedTuple):
    """What one process runs: cells in their order, or only some of their statements."""

    name: str
    """A file name; no two jobs of a call share one."""
    cells: Sequence[CellSource]
    keep: Collection[StatementId] | None = None
    """The statements to run; None for all."""
    perturb: str = ""
    """`rows`, `few` or `values`: how tables are changed as they are read (see `kernel.conditions`)."""


class Conditions(NamedTuple):
    """What else decides how a run comes out, each of which a sound result does not depend on."""

    hash_seed: int = 0
    threads: int = 1
    clock_s: float = 0.0
    """By how much the clock is put forward, in seconds."""
    folder: str = "work"
    """Where in `/workspace` the jobs' folders are."""


class Executed(NamedTuple):
    """What a call of `execute` saw."""

    jobs: dict[str, Ran]
    opened: frozenset[str]
    """Files below `/data` that were opened, relative to it; of all jobs together."""
    watched: bool
    """Whether the files were watched; if not, `opened` is empty."""


def execute(
    jobs: Sequence[Job],
    room: Room,
    environment: AnalysisEnvironment,
    conditions: Conditions | None = None,
    *,
    limit_s: float = 120.0,
    limits: Limits | None = None,
) -> Executed:
    """Run jobs one after the other in one fresh sandbox without a network, each in a process of its own.

    A job ends at its first error, or when its time is up; what it did until then is there.

    Args:
        jobs: what to run.
        room: where.
        environment: by which Python with which libraries.
        conditions: what else decides.
        limit_s: seconds that each job may take.
        limits: of the sandbox; its time is made long enough for all jobs.

    Raises:
        SandboxError: this machine cannot run them.
    """
    conditions = conditions or Conditions()
    total_s = _BEGIN_S + limit_s * len(jobs)
    with tempfile.TemporaryDirectory(prefix="coda-bench-room-") as folder:
        shown = Path(folder, "kaggle")
        room.write_kaggle(shown)
        spec = SandboxSpec(
            data=room.data,
            environment=environment,
            limits=(limits or Limits()).model_copy(update={"time_s": total_s}),
            readonly=((shown, KAGGLE),),
        )
        with Sandbox.start(spec) as sandbox:
            sandbox.write(KERNEL, bundle())
            request = json.dumps(_request(jobs, room, conditions, limit_s)).encode()
            done = sandbox.execute(
                ["python3", KERNEL], stdin=request, timeout_s=total_s, env=_variables(conditions), counted=True
            )
            found = {job.name: ran(_result(sandbox, job), done, _errors(job)) for job in jobs}
    access = done.access
    complete = access is not None and access.complete
    return Executed(found, frozenset(access.opened) if access and complete else frozenset(), complete)


def _request(jobs: Sequence[Job], room: Room, conditions: Conditions, limit_s: float) -> dict[str, Any]:
    return {
        "jobs": [_as_json(job, room, f"/workspace/{conditions.folder}/{job.name}") for job in jobs],
        "clock": conditions.clock_s,
        "libraries": _libraries(jobs),
        "limit_s": limit_s,
    }


def _as_json(job: Job, room: Room, root: str) -> dict[str, Any]:
    return {
        "name": job.name,
        "cwd": f"{root}/{room.folder}",
        "links": room.links(root),
        "cells": [list(cell) for cell in _needed(job)],
        "keep": None if job.keep is None else sorted(list(one) for one in job.keep),
        "perturb": job.perturb,
    }


def _libraries(jobs: Sequence[Job]) -> list[str]:
    """Return what to load before the jobs part: the usual libraries that any of them imports."""
    text = "\n".join(cell.source for job in jobs for cell in _needed(job))
    return [name for name, word in _LIBRARIES.items() if re.search(rf"\b{word}\b", text)]


def _needed(job: Job) -> Iterator[CellSource]:
    """Yield the cells that any statement is kept of."""
    kept = None if job.keep is None else {one.cell for one in job.keep}
    yield from (cell for cell in job.cells if kept is None or cell.number in kept)


def _variables(conditions: Conditions) -> dict[str, str]:
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "POLARS_MAX_THREADS")
    threads = dict.fromkeys(names, str(conditions.threads))
    return threads | {"PYTHONHASHSEED": str(conditions.hash_seed), "MPLCONFIGDIR": "/tmp", "MPLBACKEND": "Agg"}  # noqa: S108 - the sandbox's own


def _errors(job: Job) -> dict[int, str]:
    return {cell.number: cell.error for cell in job.cells if cell.error}


def _result(sandbox: Sandbox, job: Job) -> bytes:
    try:
        return sandbox.read(f"/workspace/.results/{job.name}.jsonl", limit_bytes=MOST_RESULT_BYTES)
    except SandboxFileError:
        return b""
