"""`coda-bench profile`: what data files hold, told by their content."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from coda_bench.cli.console import EXIT_FINDINGS, console, errors, guarded, print_json, visible
from coda_bench.construct.environment.profiling.limits import Limits
from coda_bench.construct.environment.profiling.pool import Job, Outcome, Pool
from coda_bench.errors import BadInput
from coda_bench.records.environment import DataTable, FileProfile

_MOST_COLUMNS = 40


@guarded
def profile(
    files: Annotated[list[Path], typer.Argument(help="Data files; write -- before a name that begins with a dash.")],
    *,
    seconds: Annotated[float, typer.Option(min=0.1, help="Time for one small file; larger ones have more.")] = 120.0,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes that read; one a processor.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the profiles as JSON.")] = False,
) -> None:
    """Say what files hold: format by content, encoding, tables with rows and types, and what is wrong with them.

    Each file is read whole in a process with limits on memory and time; nothing in it is run.

    Exit codes: 0 profiled; 1 profiled, and a file has problems or could not be read; 2 a file is not there.
    """
    jobs = [Job(path.resolve(), os.fspath(path), _size(path)) for path in dict.fromkeys(files)]
    with Pool(
        n_workers=min(len(jobs), workers or len(jobs), os.cpu_count() or 1), limits=Limits(seconds=seconds)
    ) as pool:
        outcomes = {outcome.job.name: outcome for outcome in pool.profile(jobs)}
    found = [outcomes[job.name] for job in jobs]
    if json:
        print_json([one.profile.model_dump(mode="json", by_alias=True) for one in found if one.profile])
    else:
        _show(found)
    for one in found:
        if one.profile is None:
            errors.print(Text(visible(f"{one.job.name}: cannot be read ({one.error})")))
    if any(one.profile is None or one.profile.problems for one in found):
        raise typer.Exit(EXIT_FINDINGS)


def _size(path: Path) -> int:
    if not path.is_file():
        raise BadInput(f"{path}: no such file")
    try:
        os.fspath(path).encode("utf-8")
    except UnicodeEncodeError:
        raise BadInput(f"{os.fspath(path)!r}: its name is not UTF-8") from None
    return path.stat().st_size


def _show(found: Sequence[Outcome]) -> None:
    for one in found:
        if one.profile:
            console.print(Text(visible(_headline(one.profile)), style="bold"))
            for problem in one.profile.problems:
                console.print(Text(visible(f"  {problem.kind}: {problem.message}"), style="yellow"))
            for table in one.profile.tables:
                console.print(_table(table))


def _headline(profile: FileProfile) -> str:
    form = ".".join([profile.format, *reversed(profile.layers)])
    parts = [form, profile.encoding, f"{profile.bytes:,} bytes", f"sha256 {profile.sha256[:12]}…"]
    if profile.delimiter:
        parts.insert(2, f"delimiter {profile.delimiter!r}")
    if profile.n_members is not None:
        parts.append(f"{profile.n_members:,} members")
    return f"{profile.path}: {', '.join(part for part in parts if part)}"


def _table(table: DataTable) -> Table:
    rows = "rows not counted" if table.rows is None else f"{table.rows:,} rows"
    shown = Table(
        title=visible(f"{table.name or 'table'}: {rows}, {table.n_columns:,} columns"), box=None, pad_edge=False
    )
    shown.title_justify = "left"
    shown.add_column("column", overflow="fold")
    shown.add_column("type")
    for column in table.columns[:_MOST_COLUMNS]:
        shown.add_row(Text(visible(column.name)), Text(visible(column.type)))
    if table.n_columns > _MOST_COLUMNS:
        shown.add_row(Text("…"), Text(f"{table.n_columns - _MOST_COLUMNS} more"))
    return shown
