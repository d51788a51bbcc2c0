"""`coda-bench replay`: saved solutions, run again."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from coda_bench.cli.console import EXIT_FINDINGS, console, errors, guarded, print_json, visible
from coda_bench.layout import RunDirectory
from coda_bench.run.replay import Replay, replay, replays


@guarded
def replay_command(
    run: Annotated[Path, typer.Argument(help="Run directory.", metavar="RUN")],
    *,
    instance: Annotated[list[int] | None, typer.Option(help="Only this instance id; may be repeated.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Run each attempt's saved solution in a fresh sandbox: the same answer, from the files recorded as used?

    Exit code 1 when one of them differs, fails, or was not saved.
    """
    found = []
    for attempt, _, spec in replays(RunDirectory(run), tuple(instance or ())):
        found.append(replay(attempt, spec))
        if not as_json:
            errors.print(f"replayed instance {attempt.instance_id}, epoch {attempt.epoch}", markup=False)
    if as_json:
        print_json([{**one.model_dump(mode="json"), "holds": one.holds} for one in found])
    else:
        _print(found)
    if not all(one.holds for one in found):
        raise typer.Exit(EXIT_FINDINGS)


def _print(found: list[Replay]) -> None:
    table = Table(title=f"{sum(one.holds for one in found)} of {len(found)} proven")
    for name in ("instance", "epoch", "answer", "files", "opened now", "note"):
        table.add_column(name)
    for one in found:
        table.add_row(
            str(one.instance_id),
            str(one.epoch),
            "-" if one.problem else "same" if one.same_answer else "differs",
            "-" if one.problem else "same" if one.same_files else "differ",
            visible(", ".join(one.opened[:3]) + (" …" if len(one.opened) > 3 else "")),  # noqa: PLR2004 - room
            visible(one.problem or ("" if one.complete else "file access not known completely")),
        )
    console.print(table)
