"""`coda-bench-evaluate` and `coda-bench evaluate`: score a predictions file."""

import json as json_format
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from coda_bench.cli.console import console, guarded, print_json, visible
from coda_bench.cli.scoring import classes_of
from coda_bench.errors import BadInput
from coda_bench.layout import Release
from coda_bench.records.audit import Audit
from coda_bench.records.scores import AccessSource, InstanceScore, Interval, Reason, Scores
from coda_bench.records.storage import read_json, write_atomically
from coda_bench.records.task import Task, load_tasks
from coda_bench.score.evaluate import evaluate as score
from coda_bench.tasks.audit.audit import audit_tasks

MOST_IDS_SHOWN = 12
SOUND = "sound"


@guarded
def evaluate(
    *,
    pred: Annotated[Path, typer.Option(help="Predictions file (JSONL).")],
    gold: Annotated[Path, typer.Option(help="Task file with the golds, such as coda_bench.json.")],
    out: Annotated[Path | None, typer.Option(help="Write the scores as JSON to this file.")] = None,
    targets: Annotated[
        Path | None,
        typer.Option(help="Target files (rows instance_id, target_files), or a provenance.jsonl: scores discovery."),
    ] = None,
    release: Annotated[
        Path | None,
        typer.Option(
            help="Release directory: its manifests make copies of a target count, its provenance gives targets."
        ),
    ] = None,
    view: Annotated[
        list[str] | None,
        typer.Option(
            help="Report a further score: `sound` leaves out tasks with fatal findings of `audit`; or a stored audit."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the scores as JSON.")] = False,
    show_rows: Annotated[bool, typer.Option("--show-rows", help="Show the verdict on every prediction.")] = False,
    wrong: Annotated[bool, typer.Option("--wrong", help="Show the wrong ones.")] = False,
) -> None:
    """Score predictions: EA beside the released matchers and, with targets, discovery accuracy (DA).

    Exit codes: 0 scored; 2 a file cannot be used (nothing is written then).
    """
    tasks = load_tasks(gold)
    opened = Release.open(release) if release else None
    if targets is None and opened is not None and opened.provenance_file.is_file():
        targets = opened.provenance_file
    classes = classes_of(opened, tasks) if opened else None
    scores = score(pred, tasks, targets, content_classes=classes, views=_views(view or (), tasks))
    row = scores.to_row()
    if out is not None:
        _store(out, row)
    if json:
        print_json(row)
        return
    _show(scores)
    if show_rows or wrong:
        console.print(_row_table([one for one in scores.per_instance if show_rows or not one.ea]))


def _views(names: Iterable[str], tasks: Sequence[Task]) -> dict[str, frozenset[int]]:
    """Return the ids that each view leaves out: those of an audit made now, or of one stored by `audit --out`."""
    views = {}
    for name in names:
        if name == SOUND:
            views[name] = audit_tasks(tasks).fatal_ids
        else:
            stored = Audit.from_stored(read_json(Path(name)), where=name)
            views[Path(name).stem] = stored.fatal_ids
    return views


def _store(out: Path, row: dict[str, Any]) -> None:
    try:
        write_atomically(out, json_format.dumps(row, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
    except OSError as error:
        raise BadInput(f"--out {out}: cannot be written ({error.strerror})") from error


def _show(scores: Scores) -> None:
    console.print(rate_table(scores))
    console.print()
    console.print(_reason_line(scores))
    if scores.access_source is not None:
        console.print(_discovery_line(scores, scores.access_source))
    for text, ids in (
        ("missing (counted as wrong)", scores.missing_ids),
        ("ids without a task (ignored)", scores.extra_ids),
        ("predicted more than once (the last line counts)", scores.duplicate_ids),
        ("discovery not measured", scores.da_not_measured_ids),
        ("targets outside the community (left out of discovery)", scores.da_unusable_target_ids),
        ("targets of ids without a task (are these the targets of this task file?)", scores.da_unknown_target_ids),
        ("reported paths outside the community", tuple(scores.da_unmapped)),
        *((f"left out by the view {view.name}", view.excluded_ids) for view in scores.views),
    ):
        if ids:
            console.print(Text(f"{text}: {len(ids)}: {_some(ids)}"))
    if len(scores.per_community) > 1:
        console.print()
        console.print(_community_table(scores))


def rate_table(scores: Scores) -> Table:
    """Return the rates with numerator, denominator, interval and macro average."""
    table = Table(box=None, pad_edge=False)
    for heading in ("score", "correct", "of", "percent", "95 % interval", "macro"):
        table.add_column(heading, justify="left" if heading == "score" else "right")
    for name, title, macro in (
        ("ea", "EA", scores.macro_ea_accuracy),
        ("ea_strict", "EA in the form asked for", None),
        ("ea_paper", "EA, paper's normalisation", scores.macro_ea_paper_accuracy),
        ("exact", "exact (released matcher)", scores.macro_exact_accuracy),
        ("numeric", "numeric (released matcher)", scores.macro_numeric_accuracy),
        ("format_ok", "form asked for, right or wrong", None),
    ):
        correct, interval = getattr(scores, f"{name}_correct"), getattr(scores, f"{name}_interval")
        table.add_row(title, *_figures(correct, scores.n_gold, interval, macro))
    if scores.access_source is not None:
        _add_discovery(table, scores)
    for view in scores.views:
        title = f"EA, {view.name} tasks only"
        table.add_row(title, *_figures(view.ea_correct, view.n_gold, view.ea_interval, None))
    return table


def _add_discovery(table: Table, scores: Scores) -> None:
    for name, title, macro in (
        ("da_solution", "DA: used = targets", scores.macro_da_solution_accuracy),
        ("da_superset", "DA superset: targets among opened", None),
        ("da_touched", "DA touched: opened = targets", None),
    ):
        correct, interval = getattr(scores, f"{name}_correct"), getattr(scores, f"{name}_interval")
        table.add_row(title, *_figures(correct, scores.da_n, interval, macro))


def _discovery_line(scores: Scores, source: AccessSource) -> Text:
    measured = f"measured for {scores.da_n} of {scores.da_known_targets} tasks with known targets"
    text = f"file access {source.replace('_', '-')}, {measured}"
    if scores.da_n < scores.da_known_targets and scores.da_solution_bounds:
        low, high = scores.da_solution_bounds
        text += f"; over all of them DA lies between {100 * low:.1f} and {100 * high:.1f} %"
    if scores.da_file_precision is not None and scores.da_file_recall is not None:
        text += f"; mean file precision {scores.da_file_precision:.2f}, recall {scores.da_file_recall:.2f}"
    return Text(text)


def _figures(correct: int, n: int, interval: Interval, macro: float | None) -> tuple[str, str, str, str, str]:
    share = f"{100 * correct / n:.1f}" if n else "-"
    limits = f"{100 * interval[0]:.1f} to {100 * interval[1]:.1f}" if interval else "-"
    return str(correct), str(n), share, limits, "" if macro is None else f"{100 * macro:.1f}"


def _reason_line(scores: Scores) -> Text:
    counts = sorted(scores.reasons.items(), key=lambda item: -item[1])
    return Text("reasons: " + ", ".join(f"{reason} {n}" for reason, n in counts))


def _community_table(scores: Scores) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("community", "tasks", "EA", "exact", "DA", "of"):
        table.add_column(heading, justify="left" if heading == "community" else "right")
    for one in scores.per_community:
        discovery = (str(one.da_solution_correct), str(one.da_n)) if one.da_n else ("-", "-")
        table.add_row(
            Text(visible(one.release_community)),
            str(one.n_gold),
            str(one.ea_correct),
            str(one.exact_correct),
            *discovery,
        )
    return table


def _row_table(rows: list[InstanceScore]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("id", "EA", "form"):
        table.add_column(heading, justify="right" if heading == "id" else "left", no_wrap=True)
    table.add_column("reason, by field", min_width=16, max_width=60, overflow="fold")
    table.add_column("prediction", max_width=40, min_width=12, no_wrap=True, overflow="ellipsis")
    table.add_column("gold", max_width=40, min_width=12, no_wrap=True, overflow="ellipsis")
    for row in rows:
        texts = [Text(visible(" ".join(text[:200].split()))) for text in (row.prediction, row.gold)]
        table.add_row(str(row.instance_id), _mark(row.ea), _mark(row.format_ok), _by_field(row), *texts)
    return table


def _by_field(row: InstanceScore) -> str:
    """Return the reasons field by field, a match as a dot; that of the whole where the fields do not tell it."""
    if row.ea or len(row.fields) < 2 or row.reason not in row.fields:  # noqa: PLR2004 one field is the whole
        return row.reason
    return " ".join("·" if reason is Reason.MATCH else reason for reason in row.fields)


def _mark(value: bool) -> str:
    return "yes" if value else "no"


def _some(ids: tuple[int, ...]) -> str:
    more = ", …" if len(ids) > MOST_IDS_SHOWN else ""
    return ", ".join(map(str, ids[:MOST_IDS_SHOWN])) + more


def main() -> None:
    """Entry point of `coda-bench-evaluate`."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(evaluate)
    app()
