"""Replaying saved solutions: the proof of which files an answer was computed from."""

import ast

from coda_bench.errors import BadInput, SandboxFileError
from coda_bench.layout import Release, RunDirectory
from coda_bench.records.attempt import Attempt, latest_attempts, read_journal
from coda_bench.records.record import Record
from coda_bench.records.run import RunConfig, Setting
from coda_bench.records.storage import read_json
from coda_bench.records.task import Task
from coda_bench.run.agents.agent import RESULT_FILE
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import find

_SCRIPT = "/workspace/solution"
_ANSWER_BYTES = 1 << 20
_TELLING = (ast.Import, ast.ImportFrom, ast.Assign, ast.Call, ast.FunctionDef, ast.With, ast.For)


class Replay(Record):
    """One saved solution, run again in a fresh sandbox."""

    instance_id: int
    epoch: int
    problem: str = ""
    """Why there is nothing to compare: no saved solution, or it failed."""
    exit_code: int | None = None
    answer: str = ""
    same_answer: bool = False
    """Up to white space."""
    opened: tuple[str, ...] = ()
    """What it opened now."""
    used: tuple[str, ...] = ()
    """What the attempt's record says was used."""
    same_files: bool = False
    complete: bool = False

    @property
    def holds(self) -> bool:
        """Whether the record of `used` is proven: the same answer from the same files."""
        return self.complete and self.same_answer and self.same_files


def replays(directory: RunDirectory, instance_ids: tuple[int, ...] = ()) -> "list[tuple[Attempt, Task, SandboxSpec]]":
    """Return the attempts of a run that count, each with its task and a sandbox like its own.

    Args:
        directory: the run.
        instance_ids: only these; empty for all.

    Raises:
        BadInput: the run or its release cannot be read, or an instance is not in it.
    """
    config = RunConfig.from_stored(read_json(directory.config_file), where=str(directory.config_file))
    attempts = latest_attempts(read_journal(directory.journal_file))
    missing = set(instance_ids) - {instance for instance, _ in attempts}
    if missing:
        raise BadInput(f"{directory.root}: no attempt of instance {min(missing)}")
    release = Release.open(config.release)
    tasks = {task.instance_id: task for task in release.tasks()}
    chosen = [attempt for key, attempt in sorted(attempts.items()) if not instance_ids or key[0] in instance_ids]
    return [
        (attempt, tasks[attempt.instance_id], _spec(config, release, tasks[attempt.instance_id])) for attempt in chosen
    ]


def _spec(config: RunConfig, release: Release, task: Task) -> SandboxSpec:
    data = None if config.setting is Setting.NO_DATA else release.community_directory(task.release_community)
    return SandboxSpec(data=data, environment=find(config.environment), limits=config.limits, backend=config.sandbox)


def replay(attempt: Attempt, spec: SandboxSpec) -> Replay:
    """Run an attempt's saved solution in a fresh sandbox and compare answer and files with the record.

    A solution is a Python program or a shell command line, whichever it reads as. One that needs files the
    attempt had made before it in `/workspace` fails here: then its `used` is not proven.
    """
    used = attempt.file_access.used if attempt.file_access else ()
    found = Replay(instance_id=attempt.instance_id, epoch=attempt.epoch, used=used)
    code = (attempt.code_generated or "").strip()
    if not code:
        return found.model_copy(update={"problem": "no solution was saved"})
    with Sandbox.start(spec) as sandbox:
        suffix, interpreter = (".py", "python3") if is_python(code) else (".sh", "bash")
        sandbox.write(_SCRIPT + suffix, code.encode())
        result = sandbox.execute([interpreter, _SCRIPT + suffix])
        answer = _answer(sandbox) or result.stdout.decode(errors="replace").strip()
        access = sandbox.file_access()
    last_line = result.stderr.decode(errors="replace").strip().rpartition("\n")[2]
    return found.model_copy(
        update={
            "problem": "" if result.exit_code == 0 else f"the solution failed ({result.ended_by}): {last_line}"[:500],
            "exit_code": result.exit_code,
            "answer": answer,
            "same_answer": result.exit_code == 0 and answer.split() == attempt.answer.split(),
            "opened": access.opened,
            "same_files": set(access.opened) == set(used),
            "complete": access.complete,
        }
    )


def _answer(sandbox: Sandbox) -> str:
    try:
        return sandbox.read(RESULT_FILE, limit_bytes=_ANSWER_BYTES).decode(errors="replace").strip()
    except SandboxFileError:
        return ""


def is_python(code: str) -> bool:
    """Whether a saved solution reads as a Python program; `ls -l` does too, but computes nothing."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(isinstance(node, _TELLING) for node in ast.walk(tree))
