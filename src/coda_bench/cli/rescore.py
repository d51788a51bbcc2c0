"""`coda-bench rescore`: score finished runs or predictions anew, and say what changed."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from coda_bench.cli.console import EXIT_FINDINGS, console, guarded, print_json, visible
from coda_bench.cli.scoring import score_run
from coda_bench.errors import BadInput
from coda_bench.layout import Release, RunDirectory
from coda_bench.records.run import RunConfig
from coda_bench.records.scores import Change, Rescore, Scores
from coda_bench.records.storage import read_json, write_atomically
from coda_bench.score.evaluate import evaluate
from coda_bench.score.rescore import compare_scores


@guarded
def rescore(
    target: Annotated[Path, typer.Argument(metavar="RUN|PRED", help="Run directory, or predictions file.")],
    *,
    tasks: Annotated[Path | None, typer.Option(help="Task file; for a run, the one of its release by default.")] = None,
    old: Annotated[
        Path | None, typer.Option(help="Scores to compare with; for a run, its scores.json by default.")
    ] = None,
    release: Annotated[
        Path | None, typer.Option(help="Release of the run, when it no longer lies where the run found it.")
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="Replace the old scores file.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the changes as JSON.")] = False,
) -> None:
    """Score old answers with today's scorer; no agent runs. Prints every verdict that changed.

    Exit codes: 0 nothing changed; 1 something did; 2 a file cannot be used.
    """
    old_file = old or RunDirectory(target).scores_file if target.is_dir() else old
    if old_file is None:
        raise BadInput(f"{target}: name the scores to compare with (--old scores.json)")
    before = Scores.from_stored(read_json(old_file), where=str(old_file))
    after = _of_run(target, release, tasks) if target.is_dir() else _of_predictions(target, tasks)
    found = compare_scores(before, after)
    if write:
        write_atomically(old_file, after.model_dump_json(indent=2) + "\n")
    if json:
        print_json(found.model_dump(mode="json"))
    else:
        _show(found)
    if found.changes:
        raise typer.Exit(EXIT_FINDINGS)


def _of_run(root: Path, release: Path | None, tasks: Path | None) -> Scores:
    directory = RunDirectory(root)
    config = RunConfig.from_stored(read_json(directory.config_file), where=str(directory.config_file))
    return score_run(root, Release.open(release or config.release), task_file=tasks, store=False)


def _of_predictions(predictions: Path, tasks: Path | None) -> Scores:
    if tasks is None:
        raise BadInput(f"{predictions}: name the task file (--tasks coda_bench.json)")
    return evaluate(predictions, tasks)


def _show(found: Rescore) -> None:
    console.print(
        Text(
            f"scorer {found.scorer_version_before} -> {found.scorer_version_after}; "
            f"EA {found.ea_correct_before} of {found.n_gold_before} -> "
            f"{found.ea_correct_after} of {found.n_gold_after}; {found.n_specs_changed} answer specs changed"
        )
    )
    if not found.changes:
        console.print(Text("no verdict changed"))
        return
    console.print()
    console.print(_table(found.changes))


def _table(changes: tuple[Change, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("id", "what", "before", "after"):
        table.add_column(heading, justify="right" if heading == "id" else "left")
    for heading in ("prediction", "gold"):
        table.add_column(heading, max_width=36, no_wrap=True, overflow="ellipsis")
    for change in changes:
        texts = (change.what, change.before, change.after, change.prediction, change.gold)
        table.add_row(str(change.instance_id), *(Text(visible(" ".join(text[:200].split()))) for text in texts))
    return table
