"""`coda-bench tasks`: list and show tasks; golds and reference programs stay hidden unless asked for."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from coda_bench.cli.console import console, guarded, print_json
from coda_bench.errors import BadInput
from coda_bench.layout import Release
from coda_bench.records.task import Task, load_tasks

app = typer.Typer(no_args_is_help=True, add_completion=False, help="List and show tasks.")

_SECRET = ("answer", "reference_code")
ReleaseOption = Annotated[Path | None, typer.Option(help="Release directory.")]
GoldOption = Annotated[Path | None, typer.Option(help="A task file, instead of a release.")]
HardOption = Annotated[bool, typer.Option("--hard", help="The Hard subset, with ids of its own.")]
WithGold = Annotated[bool, typer.Option("--with-gold", help="Also gold answer and reference program.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


@app.command("list")
@guarded
def list_tasks(
    release: ReleaseOption = None,
    gold: GoldOption = None,
    community: Annotated[str | None, typer.Option(help="Only tasks of this community.")] = None,
    *,
    hard: HardOption = False,
    with_gold: WithGold = False,
    as_json: AsJson = False,
) -> None:
    """List tasks, one a line."""
    tasks = [task for task in _load(release, gold, hard=hard) if community in (None, task.release_community)]
    if not tasks:
        raise BadInput(f"no task of community {community}; `coda-bench tasks list` without --community shows all")
    if as_json:
        print_json([_row(task, with_gold=with_gold) for task in tasks])
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("id", "community", "question", *(["gold"] if with_gold else [])):
        table.add_column(heading, justify="right" if heading == "id" else "left", overflow="fold")
    for task in tasks:
        shown = (str(task.instance_id), task.release_community, task.question, *([task.answer] if with_gold else []))
        table.add_row(*map(Text, shown))  # not markup: questions contain brackets
    console.print(table)
    console.print(f"{len(tasks)} tasks")


@app.command()
@guarded
def show(
    instance_id: Annotated[int, typer.Argument(help="Instance id.", metavar="ID")],
    release: ReleaseOption = None,
    gold: GoldOption = None,
    *,
    hard: HardOption = False,
    with_gold: WithGold = False,
    as_json: AsJson = False,
) -> None:
    """Show one task."""
    task = next((task for task in _load(release, gold, hard=hard) if task.instance_id == instance_id), None)
    if task is None:
        raise BadInput(f"no task {instance_id} here; `coda-bench tasks list` shows the ids")
    row = _row(task, with_gold=with_gold)
    if as_json:
        print_json(row)
        return
    for name, value in row.items():
        separator = "\n" if "\n" in str(value) else " "
        console.print(f"{name}:{separator}{value}", markup=False, soft_wrap=True)
    if not with_gold:
        console.print("(gold answer and reference program are hidden; --with-gold shows them)", style="dim")


def _load(release: Path | None, gold: Path | None, *, hard: bool) -> list[Task]:
    if (release is None) == (gold is None):
        raise BadInput("give either --release DIR or --gold FILE")
    if gold:
        return load_tasks(gold)
    opened = Release.open(release or Path())
    if hard and not opened.hard_file.is_file():
        raise BadInput(f"{opened.hard_file}: this release has no Hard subset")
    return load_tasks(opened.hard_file) if hard else opened.tasks()


def _row(task: Task, *, with_gold: bool) -> dict[str, Any]:
    return {name: value for name, value in task.to_row().items() if with_gold or name not in _SECRET}
