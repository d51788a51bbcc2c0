"""Validation: every finding of a predictions file at once, and the strict reader built on the same checks."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from coda_bench.errors import BadInput
from coda_bench.records.findings import Finding, FindingKind, ValidationReport
from coda_bench.records.prediction import Prediction
from coda_bench.records.task import load_tasks
from coda_bench.score.lines import LONGEST_LINE_BYTES, Line, read_lines

MOST_LISTED = 10_000
"""Findings listed in a report; the rest is counted."""


class _Collector:
    """Findings by kind, all counted, the first ones kept."""

    def __init__(self) -> None:
        self.counts: Counter[FindingKind] = Counter()
        self.findings: list[Finding] = []

    def add(self, kind: FindingKind, message: str, *, line: int | None = None, instance_id: int | None = None) -> None:
        self.counts[kind] += 1
        if len(self.findings) < MOST_LISTED:
            finding = Finding(kind=kind, severity=kind.severity, line=line, instance_id=instance_id, message=message)
            self.findings.append(finding)


def validate(
    pred_path: str | Path, gold_path: str | Path, *, longest_line_bytes: int = LONGEST_LINE_BYTES
) -> ValidationReport:
    """Check a predictions file against the task file it answers.

    The six checks of the data format document (valid JSONL, valid JSON, required fields, ids that match
    the gold, no repeated ids, no extra ids) and what else keeps a reader from reading it as it was meant.
    Memory does not grow with the file.

    Raises:
        BadInput: one of the files cannot be read, or the gold file is no task file.
    """
    gold_ids = {task.instance_id for task in load_tasks(gold_path)}
    found = _Collector()
    first_lines: dict[int, int] = {}
    n_lines = n_valid = 0
    is_array = False
    for line in read_lines(Path(pred_path), longest_bytes=longest_line_bytes):
        n_lines = line.number
        n_valid += line.prediction is not None
        is_array = is_array or line.is_array
        _add_line(found, line)
        _check_id(found, line, gold_ids, first_lines)
    if not n_lines:
        found.add(FindingKind.EMPTY_FILE, "the file is empty")
    if not is_array:
        for instance_id in sorted(gold_ids - first_lines.keys()):
            found.add(FindingKind.MISSING_ID, "no prediction; counts as wrong", instance_id=instance_id)
    return _report(found, pred_path, gold_path, n_lines=n_lines, n_gold=len(gold_ids), n_valid=n_valid)


def _add_line(found: _Collector, line: Line) -> None:
    if line.is_array:
        message = "the file is a JSON array; write one object a line (JSONL)"
        found.add(FindingKind.JSON_ARRAY, message, line=line.number)
        return
    for kind, message in line.problems:
        found.add(kind, message, line=line.number, instance_id=line.instance_id)


def _check_id(found: _Collector, line: Line, gold_ids: set[int], first_lines: dict[int, int]) -> None:
    id_ = line.instance_id
    if id_ is None:
        return
    if id_ not in gold_ids:
        found.add(FindingKind.UNKNOWN_ID, "no task of the gold file has this id", line=line.number, instance_id=id_)
    elif id_ in first_lines:
        message = f"id stands already in line {first_lines[id_]}; the last line counts"
        found.add(FindingKind.DUPLICATE_ID, message, line=line.number, instance_id=id_)
    else:
        first_lines[id_] = line.number


def _report(
    found: _Collector, pred_path: str | Path, gold_path: str | Path, *, n_lines: int, n_gold: int, n_valid: int
) -> ValidationReport:
    n_findings = found.counts.total()
    return ValidationReport(
        predictions_file=str(pred_path),
        gold_file=str(gold_path),
        n_lines=n_lines,
        n_gold=n_gold,
        n_valid=n_valid,
        counts=dict(sorted(found.counts.items())),
        findings=tuple(found.findings),
        n_findings=n_findings,
        n_not_listed=n_findings - len(found.findings),
    )


def load_predictions(path: str | Path) -> list[Prediction]:
    """Read a predictions file, every optional field kept; repeated ids are kept too, in file order.

    Untidiness that leaves one reading only (BOM, CR LF, blank lines) is accepted.

    Raises:
        BadInput: the file cannot be read, or some line holds no well-formed prediction; the message names
            the first such line and how many there are.
    """
    predictions: list[Prediction] = []
    first, n_bad = "", 0
    for line in read_lines(Path(path)):
        if line.prediction is not None:
            predictions.append(line.prediction)
        bad = next(_blocking(line), None)
        if bad is not None:
            n_bad += 1
            first = first or bad
    if n_bad:
        lines = "1 line is" if n_bad == 1 else f"{n_bad:,} lines are"
        raise BadInput(
            f"{path}: {lines} not a well-formed prediction; the first: {first}. coda-bench-validate lists them all."
        )
    return predictions


def _blocking(line: Line) -> Iterator[str]:
    if line.is_array:
        yield f"line {line.number}: the file is a JSON array; write one object a line (JSONL)"
    task = "" if line.instance_id is None else f" (instance_id {line.instance_id})"
    for kind, message in line.problems:
        if kind.blocks_scoring:
            yield f"line {line.number}{task}: {message}"
