"""How detectors say what they found."""

from collections.abc import Callable, Iterable, Iterator

from coda_bench.records.audit import AuditFinding, DefectClass
from coda_bench.records.task import Task

Detector = Callable[[Task], Iterator[AuditFinding]]
_LONGEST_EVIDENCE = 300


def finding(defect: DefectClass, tasks: Task | Iterable[Task], evidence: str) -> AuditFinding:
    """Return a finding; its evidence is put on one line and cut to 300 characters."""
    concerned = [tasks] if isinstance(tasks, Task) else list(tasks)
    text = " ".join(evidence.split())
    short = text if len(text) <= _LONGEST_EVIDENCE else text[: _LONGEST_EVIDENCE - 1] + "…"
    return AuditFinding(defect=defect, instance_ids=tuple(task.instance_id for task in concerned), evidence=short)
