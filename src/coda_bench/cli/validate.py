"""`coda-bench-validate` and `coda-bench validate`: everything wrong with a predictions file, at once."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from coda_bench.cli.console import EXIT_FINDINGS, console, guarded, print_json
from coda_bench.records.findings import Finding, FindingKind, Severity, ValidationReport
from coda_bench.score.validate import validate as check

MOST_SHOWN_OF_A_KIND = 10
"""Lines of the table a kind of finding may take; `--json` has them all."""


@guarded
def validate(
    pred: Annotated[Path, typer.Option(help="Predictions file (JSONL).")],
    gold: Annotated[Path, typer.Option(help="Task file the predictions answer, such as coda_bench.json.")],
    json: Annotated[bool, typer.Option("--json", help="Print the whole report as JSON.")] = False,
) -> None:
    """Check a predictions file and show every finding with its line number and instance id.

    Exit codes: 0 nothing found; 1 findings; 2 a file cannot be used at all.
    """
    report = check(pred, gold)
    if json:
        print_json(report.model_dump(mode="json"))
    else:
        _show(report)
    if not report.is_clean:
        raise typer.Exit(EXIT_FINDINGS)


def _show(report: ValidationReport) -> None:
    if report.findings:
        console.print(_table(report))
    summary = f"{report.n_valid:,} predictions in {report.n_lines:,} lines for {report.n_gold:,} tasks: "
    warnings = report.n_findings - report.n_errors
    if report.is_clean:
        console.print(Text(f"{summary}no findings.", style="green"))
    else:
        console.print(Text(f"{summary}{report.n_errors:,} errors, {warnings:,} warnings.", style="bold"))


def _table(report: ValidationReport) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading, justify in (("line", "right"), ("id", "right"), ("severity", "left"), ("finding", "left")):
        table.add_column(heading, justify="right" if justify == "right" else "left")
    table.add_column("message", overflow="fold")
    shown: Counter[FindingKind] = Counter()
    for finding in report.findings:
        if shown[finding.kind] < MOST_SHOWN_OF_A_KIND:
            table.add_row(*_cells(finding))
        shown[finding.kind] += 1
    for kind, count in report.counts.items():
        if count > MOST_SHOWN_OF_A_KIND:
            table.add_row("", "", "", kind.value, f"… {count - MOST_SHOWN_OF_A_KIND:,} more (--json lists them)")
    return table


def _cells(finding: Finding) -> list[Text]:
    line = "" if finding.line is None else str(finding.line)
    instance_id = "" if finding.instance_id is None else str(finding.instance_id)
    style = "red" if finding.severity is Severity.ERROR else "yellow"
    return [
        Text(line),
        Text(instance_id),
        Text(finding.severity, style=style),
        Text(finding.kind),
        Text(finding.message),
    ]


def main() -> None:
    """Entry point of `coda-bench-validate`."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(validate)
    app()
