"""The kernel: one interpreter with the usual libraries loaded, from which every job is forked.

Standard input holds `{"jobs": [...], "libraries": [name], "clock": seconds, "limit_s": seconds}`. A job is
`{"name", "cwd", "links": [[place, target]], "cells": [[number, source]], "keep": null | [[cell, position]],
"perturb": "" | "rows" | "few" | "values"}` and leaves `/workspace/.results/<name>.jsonl`: one line for each cell that
was begun and ended, and a last one about the whole.
"""

import contextlib
import importlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

from coda_bench.tasks.execution.kernel import places
from coda_bench.tasks.execution.kernel.conditions import Perturbation, shift_clock
from coda_bench.tasks.execution.kernel.running import Job

RESULTS = "/workspace/.results"
_POLL_S = 0.005


def main() -> None:
    """Run all jobs, one after the other."""
    request = json.load(sys.stdin)
    os.makedirs(RESULTS, exist_ok=True)
    os.environ.setdefault("MPLBACKEND", "Agg")
    for name in request["libraries"]:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for job in request["jobs"]:
        _run(request, job)


def _run(request: dict[str, Any], job: dict[str, Any]) -> None:
    """Run a job in a process of its own, for so long as it may take."""
    started, path = time.monotonic(), os.path.join(RESULTS, f"{job['name']}.jsonl")
    child = os.fork()
    if child == 0:
        _be(request, job, path)
    status, cpu_s = _waited(child, started + request["limit_s"])
    ended = {"ended": "timeout" if status is None else "exit", "status": status, "cpu_s": round(cpu_s, 4)}
    with open(path, "a", encoding="utf-8") as results:
        results.write("\n" + json.dumps(ended) + "\n")


def _be(request: dict[str, Any], job: dict[str, Any], path: str) -> None:
    code = 1
    try:
        os.setsid()
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - for as long as the process lives
        with open(path, "w", encoding="utf-8") as results:
            Job(job, results, _prepare(request, job)).run()
        code = 0
    finally:
        os._exit(code)


def _prepare(request: dict[str, Any], job: dict[str, Any]) -> Callable[[], int]:
    """Go where the job's files are, under the conditions asked for; return what tells how many tables were changed."""
    places.furnish(job["links"])
    os.makedirs(job["cwd"], exist_ok=True)
    os.chdir(job["cwd"])
    sys.path.insert(0, job["cwd"])
    if request.get("clock"):
        shift_clock(request["clock"])
    perturbation = Perturbation(job["perturb"]) if job["perturb"] else None
    if perturbation:
        perturbation.install()
    return lambda: perturbation.reached if perturbation else 0


def _waited(child: int, deadline: float) -> tuple[int | None, float]:
    """Return a child's exit status, or None when its time was up, and its CPU seconds; its own children end with it."""
    while not (found := os.wait4(child, os.WNOHANG))[0] and time.monotonic() < deadline:
        time.sleep(_POLL_S)
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    status = found[1] if found[0] else None
    usage = found[2] if found[0] else os.wait4(child, 0)[2]
    return status, usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
