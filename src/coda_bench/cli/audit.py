"""`coda-bench audit`: what is doubtful about the tasks of a file."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from coda_bench.cli.console import EXIT_FINDINGS, console, errors, guarded, print_json, visible
from coda_bench.errors import BadInput
from coda_bench.records.audit import Audit, AuditFinding, AuditSeverity, DefectClass
from coda_bench.records.storage import write_atomically
from coda_bench.records.targets import load_targets
from coda_bench.records.task import Task, load_tasks
from coda_bench.tasks.audit.audit import audit_tasks
from coda_bench.tasks.audit.page import audit_page

_SEVERITIES = list(AuditSeverity)


@guarded
def audit(
    *,
    tasks: Annotated[Path, typer.Option(help="Task file to look at.")],
    provenance: Annotated[
        Path | None, typer.Option(help="provenance.jsonl or a targets file: finds tasks without targets.")
    ] = None,
    classes: Annotated[
        list[DefectClass] | None, typer.Option("--class", help="Show every finding of this class; may be repeated.")
    ] = None,
    min_severity: Annotated[AuditSeverity, typer.Option(help="Leave out what is less severe.")] = AuditSeverity.NOTE,
    out: Annotated[Path | None, typer.Option(help="Store the whole audit as JSON, for `evaluate --view`.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write the findings with their tasks to this page.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Find defects of tasks by rule: golds, wording, code, duplicates. Nothing of a task is run; golds are shown.

    Exit codes: 0 nothing serious; 1 fatal or serious findings; 2 a file cannot be used.
    """
    loaded = load_tasks(tasks)
    targets = load_targets(provenance) if provenance else None
    full = _with_progress(loaded, targets)
    wanted = _SEVERITIES[: _SEVERITIES.index(min_severity) + 1]
    kept = [one for one in full.findings if one.severity in wanted and (not classes or one.defect in classes)]
    found = full.model_copy(update={"findings": tuple(kept)})
    if out is not None:
        _write(out, full.model_dump_json(indent=2) + "\n")
    if html is not None:
        _write(html, audit_page(found, loaded, title=f"Audit of {tasks.name}"))
    if json:
        print_json(_row(found))
    else:
        _show(found, every=bool(classes), page=html)
    if any(one.severity in {AuditSeverity.FATAL, AuditSeverity.SERIOUS} for one in found.findings):
        raise typer.Exit(EXIT_FINDINGS)


def _with_progress(tasks: Sequence[Task], targets: dict[int, tuple[str, ...]] | None) -> Audit:
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as progress:
        bar = progress.add_task("audit", total=len(tasks))
        return audit_tasks(tasks, targets, progress=lambda n: progress.update(bar, completed=n))


def _write(path: Path, page: str) -> None:
    try:
        write_atomically(path, page)
    except OSError as error:
        raise BadInput(f"{path}: cannot be written ({error.strerror})") from error


def _row(found: Audit) -> dict[str, Any]:
    findings = [{**one.model_dump(mode="json"), "severity": one.severity.value} for one in found.findings]
    counts = {defect.value: len(found.ids_of(defect)) for defect in DefectClass if found.ids_of(defect)}
    head = found.model_dump(mode="json", exclude={"findings"})
    return {**head, "n_tasks_by_class": counts, "fatal_ids": sorted(found.fatal_ids), "findings": findings}


def _show(found: Audit, *, every: bool, page: Path | None) -> None:
    by_class: dict[DefectClass, list[AuditFinding]] = defaultdict(list)
    for one in found.findings:
        by_class[one.defect].append(one)
    console.print(_finding_table(found.findings) if every else _class_table(found, by_class))
    n_fatal = len(found.fatal_ids)
    console.print(Text(f"\n{found.n_tasks} tasks, {len(found.findings)} findings, {n_fatal} tasks with a fatal one"))
    if page is not None:
        console.print(Text(str(page.resolve())))
    elif not every and found.findings:
        console.print(Text("see every finding of a class with --class NAME, all with their tasks with --html FILE"))


def _class_table(found: Audit, by_class: dict[DefectClass, list[AuditFinding]]) -> Table:
    table = Table(box=None, pad_edge=False, expand=True)
    table.add_column("class", no_wrap=True, min_width=24)
    table.add_column("severity", no_wrap=True, min_width=8)
    table.add_column("tasks", justify="right", no_wrap=True, min_width=5)
    table.add_column("for example", no_wrap=True, overflow="ellipsis", ratio=1)
    for defect, findings in by_class.items():
        first = findings[0]
        example = f"{first.instance_ids[0]}: {first.evidence}"
        table.add_row(defect.value, defect.severity.value, str(len(found.ids_of(defect))), Text(visible(example)))
    return table


_MOST_IDS = 6


def _finding_table(findings: Sequence[AuditFinding]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("class", "severity", "ids", "evidence"):
        table.add_column(heading, overflow="fold")
    for one in findings:
        ids = ", ".join(map(str, one.instance_ids[:_MOST_IDS])) + (", …" if len(one.instance_ids) > _MOST_IDS else "")
        table.add_row(one.defect.value, one.severity.value, ids, Text(visible(one.evidence)))
    return table
