"""The audit of a task file: every detector over every task, then over the file as a whole.

Input: tasks, and where it is known their provenance. Output: an `Audit`. Nothing of a task is run.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from coda_bench.records.audit import Audit, AuditFinding, DefectClass
from coda_bench.records.task import Task
from coda_bench.tasks.audit.code import check_code
from coda_bench.tasks.audit.duplicates import check_together
from coda_bench.tasks.audit.finding import Detector, finding
from coda_bench.tasks.audit.golds import check_gold
from coda_bench.tasks.audit.wording import check_wording

AUDIT_VERSION = "1"
"""Raised whenever any finding may change."""

DETECTORS: tuple[Detector, ...] = (check_gold, check_wording, check_code)


def audit_tasks(
    tasks: Sequence[Task],
    targets: Mapping[int, Sequence[str]] | None = None,
    *,
    progress: Callable[[int], None] = lambda _: None,
) -> Audit:
    """Find what is doubtful about tasks.

    Args:
        tasks: of one task file.
        targets: target paths by instance id, where provenance is at hand: a task without any is a finding.
        progress: called with the number of tasks looked at so far.

    Returns:
        The findings, by severity, class and id.
    """
    found = [*_each(tasks, progress), *check_together(tasks)]
    if targets is not None:
        lacking = (task for task in tasks if not targets.get(task.instance_id))
        found += [finding(DefectClass.MISSING_TARGETS, task, "no target file") for task in lacking]
    order = {defect: place for place, defect in enumerate(DefectClass)}
    found.sort(key=lambda one: (order[one.defect], one.instance_ids))
    return Audit(audit_version=AUDIT_VERSION, n_tasks=len(tasks), findings=tuple(found))


def _each(tasks: Sequence[Task], progress: Callable[[int], None]) -> Iterator[AuditFinding]:
    for n, task in enumerate(tasks, 1):
        for detector in DETECTORS:
            yield from detector(task)
        progress(n)
