"""Proof: every reference program is run in a sandbox and must compute its gold from exactly its targets."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

from coda_bench.demo.homes import HomedTask
from coda_bench.demo.tasks import DemoTask
from coda_bench.errors import GoldMismatch
from coda_bench.layout import counts_for_discovery
from coda_bench.sandbox import CommandResult, Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import AnalysisEnvironment

PROGRAM = "/workspace/reference.py"
SHOWN_CHARACTERS = 300
"""Of what a failed program printed, in the message."""


class Proof(NamedTuple):
    """What running one reference program showed."""

    problems: list[str]
    watched: bool
    """Whether the files it opened were seen; where nothing can watch, they go unchecked."""


def prove_golds(
    tasks: Sequence[HomedTask],
    communities: Path,
    environment: AnalysisEnvironment,
    *,
    progress: Callable[[str], None],
    at_once: int = 2,
) -> None:
    """Run all reference programs, `at_once` at a time, each in a sandbox of its own.

    Where this machine cannot watch files, the answers are checked alone and `progress` says so.

    Raises:
        GoldMismatch: a program failed, printed something else than the gold, or opened other files than
            the targets; all such tasks are named.
        SandboxError: the machine could not run a program.
    """
    started = time.monotonic()
    proofs: list[Proof] = []
    with ThreadPoolExecutor(at_once) as pool:
        pending = [pool.submit(_prove, task, communities, environment) for task in tasks]
        try:
            for done, future in enumerate(as_completed(pending), 1):
                proofs.append(future.result())
                remaining_s = (time.monotonic() - started) / done * (len(pending) - done)
                progress(f"golds {done}/{len(pending)}, about {remaining_s:.0f} s left")
        finally:
            pool.shutdown(cancel_futures=True)
    problems = sorted(problem for proof in proofs for problem in proof.problems)
    if problems:
        raise GoldMismatch("\n".join(problems))
    unwatched = sum(not proof.watched for proof in proofs)
    if unwatched:
        progress(f"golds agree; opened files of {unwatched} programs could not be watched on this machine")


def _prove(homed: HomedTask, communities: Path, environment: AnalysisEnvironment) -> Proof:
    task, data = homed.task, communities / homed.community / "full_community"
    with Sandbox.start(SandboxSpec(data=data, environment=environment)) as sandbox:
        sandbox.write(PROGRAM, task.code.encode())
        result = sandbox.execute(["python3", PROGRAM])
    problems = [f"task {task.theme}/{task.program}: {problem}" for problem in _problems(task, result)]
    return Proof(problems, watched=result.access is not None and result.access.complete)


def _problems(task: DemoTask, result: CommandResult) -> list[str]:
    printed = result.stdout.decode("utf-8", "replace").strip()
    if result.exit_code != 0:
        trouble = result.stderr.decode("utf-8", "replace").strip()[-SHOWN_CHARACTERS:]
        return [f"the reference program ended by {result.ended_by} with exit code {result.exit_code}: {trouble}"]
    problems = []
    if printed != task.answer:
        problems.append(
            f"the reference program computed {printed[-SHOWN_CHARACTERS:]!r}, checked in is {task.answer!r}; "
            f"compare the installed versions of the demo's packages with those of pyproject.toml"
        )
    if result.access and result.access.complete:
        opened = {path for path in result.access.opened if counts_for_discovery(path)}
        if opened != set(task.targets):
            problems.append(f"the reference program opened {sorted(opened)}, targets are {sorted(task.targets)}")
    return problems
