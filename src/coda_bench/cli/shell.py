"""`coda-bench shell`: the sandbox of a task, for a person."""

from pathlib import Path
from typing import Annotated

import typer

from coda_bench.cli.console import errors, guarded
from coda_bench.errors import BadInput
from coda_bench.layout import Release
from coda_bench.records.access import FileAccess
from coda_bench.records.run import LIMIT_PRESETS, Backend, Setting
from coda_bench.run.agents.agent import DESCRIPTION_FILE, RESULT_FILE
from coda_bench.run.prompt import task_prompt
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import find
from coda_bench.sandbox.spec import BACKEND_VARIABLE

_SHOWN_FILES = 20


@guarded
def shell(
    instance_id: Annotated[int, typer.Argument(help="Instance id of the task.", metavar="ID")],
    release: Annotated[Path, typer.Option(help="Release directory.")],
    *,
    environment: Annotated[str, typer.Option(help="Analysis environment: current or older.")] = "current",
    sandbox: Annotated[
        Backend, typer.Option(help="What holds the commands.", envvar=BACKEND_VARIABLE)
    ] = Backend.BUBBLEWRAP,
) -> None:
    """Open the sandbox of a task: what an agent sees, with the same limits but the clock."""
    opened = Release.open(release)
    task = next((task for task in opened.tasks() if task.instance_id == instance_id), None)
    if task is None:
        raise BadInput(f"{release}: no task {instance_id}; `coda-bench tasks list --release {release}` shows the ids")
    limits = LIMIT_PRESETS["paper"].model_copy(update={"time_s": 24 * 3600.0})
    spec = SandboxSpec(
        data=opened.community_directory(task.release_community),
        environment=find(environment),
        limits=limits,
        backend=sandbox,
    )
    prompt = task_prompt(task.question, task.answer_guidelines, setting=Setting.COMMUNITY)
    with Sandbox.start(spec) as room:
        room.write(DESCRIPTION_FILE, prompt.encode())
        _welcome(task.release_community)
        code = room.attach(["sh", "-c", "cd / && exec bash --norc -i"])
        _farewell(room.file_access())
    raise typer.Exit(code)


def _welcome(community: str) -> None:
    errors.print(
        f"/data                  files of {community}, read-only\n"
        f"{DESCRIPTION_FILE}  the task\n"
        f"{RESULT_FILE}  where an answer goes (here it is not kept)\n"
        "python3                the analysis environment; no network\n"
        "leave with exit or Ctrl-D",
        markup=False,
    )


def _farewell(access: FileAccess) -> None:
    if not access.complete:
        errors.print("files opened: not fully known (the tracker lost events or could not watch)")
    errors.print(f"files opened: {len(access.opened)}")
    for path in access.opened[:_SHOWN_FILES]:
        errors.print(f"  {path}", markup=False)
    if len(access.opened) > _SHOWN_FILES:
        errors.print(f"  … and {len(access.opened) - _SHOWN_FILES} more")
