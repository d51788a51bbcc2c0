"""`coda-bench report`: one HTML page from finished runs."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from coda_bench.analyse.effort import effort
from coda_bench.analyse.evidence import FinishedRun, read_evidence
from coda_bench.analyse.outcomes import Rate, rates
from coda_bench.analyse.report import ranked, write_page
from coda_bench.cli.console import console, guarded, print_json


@guarded
def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run directories.")],
    *,
    release: Annotated[Path, typer.Option(help="Release the runs were made on.")],
    out: Annotated[Path, typer.Option(help="HTML file to write; it needs nothing beside it.")] = Path("report.html"),
    without_golds: Annotated[
        bool, typer.Option("--without-golds", help="Leave out golds, target files and the agents' answers.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print path and rates as JSON.")] = False,
) -> None:
    """Write the report of finished runs: rates with intervals, every task, files opened, settings.

    Exit codes: 0 written, however bad the results; 2 a run or the release cannot be used.
    """
    evidence = ranked(read_evidence(runs, release))
    written = write_page(evidence, out, with_golds=not without_golds).resolve()
    if json:
        print_json({"report": str(written), "agents": [_row(run) for run in evidence.runs]})
        return
    console.print(_table(evidence.runs))
    console.print(Text(str(written)))


def _row(run: FinishedRun) -> dict[str, Any]:
    spent = effort(run)
    found = {name: None if rate is None else _rate_row(rate) for name, rate in rates(run).items()}
    return {
        "agent": run.label,
        "run": run.directory,
        "attempts": spent.attempts,
        "planned": spent.planned,
        "missing": spent.missing,
        "machine_failures": spent.machine_failures,
        "rates": found,
    }


def _rate_row(rate: Rate) -> dict[str, Any]:
    return {"correct": rate.correct, "n": rate.n, "share": rate.value, "wilson_95": rate.interval}


def _table(runs: tuple[FinishedRun, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("agent", overflow="fold")
    for heading in ("EA", "DA_solution", "DA_superset", "attempts", "failed", "missing"):
        table.add_column(heading, justify="right", no_wrap=True)
    for run in runs:
        spent, found = effort(run), rates(run)
        shares = [_share(found[name]) for name in ("ea", "da_solution", "da_superset")]
        counts = (f"{spent.attempts}/{spent.planned}", str(spent.machine_failures), str(spent.missing))
        table.add_row(Text(run.label), *shares, *counts)
    return table


def _share(rate: Rate | None) -> str:
    return "not measured" if rate is None or rate.value is None else f"{rate.correct}/{rate.n} {rate.value:4.0%}"
