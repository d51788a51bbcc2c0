"""`coda-bench targets`: the files that reference programs read, for tasks that come without."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from coda_bench.cli.console import EXIT_FINDINGS, console, errors, guarded, print_json, visible
from coda_bench.errors import BadInput, CommunityMissing
from coda_bench.layout import Release, file_sha256
from coda_bench.records.storage import write_atomically
from coda_bench.records.targets import DataFile, ResolvedTargets, TargetStatus
from coda_bench.records.task import Task, load_tasks
from coda_bench.sandbox.analysis_env import find
from coda_bench.tasks.targets.observe import observe
from coda_bench.tasks.targets.resolve import resolve

_SHOWN = 20


@guarded
def targets_command(
    *,
    tasks: Annotated[Path, typer.Option(help="Task file, with reference programs.")],
    out: Annotated[Path, typer.Option(help="Targets file to write, one line a task.")],
    communities: Annotated[
        Path | None, typer.Option(help="Release whose communities to look files up in; others are taken as they are.")
    ] = None,
    run: Annotated[bool, typer.Option("--run", help="Run the programs too, and see which files they open.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print counts and unresolved tasks as JSON.")] = False,
) -> None:
    """Find the target files of tasks in their reference programs, for `coda-bench evaluate --targets`.

    Programs are read, and run only with `--run`, in sandboxes. Exit codes: 0 all are known; 1 some are not; 2 unusable
    input or machine.
    """
    if run and communities is None:
        raise BadInput("--run needs --communities: a program is run over its community")
    rows = list(_resolved(load_tasks(tasks), communities, run=run))
    write_atomically(out, "".join(f"{row.model_dump_json()}\n" for row in rows))
    unknown = [row for row in rows if not row.target_files]
    if as_json:
        counts = Counter(str(row.status) for row in rows)
        print_json({"counts": counts, "unresolved": [row.model_dump(mode="json") for row in unknown], "file": str(out)})
    else:
        _print(rows, unknown, out)
    if unknown:
        raise typer.Exit(EXIT_FINDINGS)


def _resolved(tasks: list[Task], communities: Path | None, *, run: bool) -> Iterator[ResolvedTargets]:
    manifest_of = _manifests(communities)
    environment = find() if run else None
    for number, task in enumerate(tasks, 1):
        data, manifest = manifest_of(task.release_community)
        row = resolve(task.instance_id, task.reference_code, manifest)
        if environment is not None and data is not None and manifest is not None:
            row = observe(row, task.reference_code, data, manifest, environment)
            errors.print(f"run {number}/{len(tasks)}: task {task.instance_id} {row.status}", style="dim", markup=False)
        yield row


def _manifests(communities: Path | None) -> Callable[[str], tuple[Path | None, list[DataFile] | None]]:
    """Return a function that gives the folder and the files of a community, read once."""
    known: dict[str, tuple[Path | None, list[DataFile] | None]] = {}

    def manifest_of(name: str) -> tuple[Path | None, list[DataFile] | None]:
        if communities is None:
            return None, None
        if name not in known:
            release = Release(communities.resolve())
            try:
                data = release.community_directory(name)
                known[name] = data, release.manifest(name) or _listed(data)
            except CommunityMissing as missing:
                errors.print(f"{missing}; its tasks are taken by their text alone", style="yellow", markup=False)
                known[name] = None, None
        return known[name]

    return manifest_of


def _listed(data: Path) -> list[DataFile]:
    """Return the files of a community that has no manifest."""
    files = (path for path in sorted(data.rglob("*")) if path.is_file() and not path.is_symlink())
    return [
        DataFile(path=path.relative_to(data).as_posix(), bytes=path.stat().st_size, sha256=file_sha256(path))
        for path in files
    ]


def _print(rows: list[ResolvedTargets], unknown: list[ResolvedTargets], out: Path) -> None:
    counts = Counter(row.status for row in rows)
    table = Table(box=None, pad_edge=False)
    for name in ("status", "tasks"):
        table.add_column(name, justify="right" if name == "tasks" else "left")
    for status in TargetStatus:
        if counts[status]:
            table.add_row(str(status), str(counts[status]))
    console.print(table)
    for row in unknown[:_SHOWN]:
        console.print(visible(f"task {row.instance_id}: {row.why}"), markup=False, soft_wrap=True)
    if len(unknown) > _SHOWN:
        console.print(f"… and {len(unknown) - _SHOWN} more")
    console.print(f"targets: {out}", markup=False, soft_wrap=True)
