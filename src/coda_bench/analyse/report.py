"""From run directories and their release to one HTML page."""

from collections.abc import Sequence
from pathlib import Path

from coda_bench.analyse.evidence import Evidence, FinishedRun, read_evidence
from coda_bench.analyse.outcomes import rates
from coda_bench.analyse.page.document import document
from coda_bench.records.storage import write_atomically


def write_report(runs: Sequence[Path], release: Path, out: Path, *, with_golds: bool = True) -> Path:
    """Read finished runs (`run.json`, `attempts.jsonl`, `scores.json`) and write their report.

    Runs without scores, and runs that are not complete, are shown as what they are.

    Args:
        runs: run directories.
        release: the release they ran on: tasks, Hard subset, targets, manifests.
        out: the HTML file; it needs nothing beside it.
        with_golds: False leaves out gold answers, target files and the agents' answers, which may equal golds.

    Returns:
        `out`.

    Raises:
        BadInput: a run or the release cannot be read.
        MissingExtra: matplotlib is not installed.
    """
    return write_page(ranked(read_evidence(runs, release)), out, with_golds=with_golds)


def write_page(evidence: Evidence, out: Path, *, with_golds: bool = True) -> Path:
    """Write the report of evidence that has been read, its runs in their order."""
    write_atomically(out, document(evidence, with_golds=with_golds))
    return out


def ranked(evidence: Evidence) -> Evidence:
    """Return the evidence with the run of most right answers first, then by files found, then by label."""
    return evidence.model_copy(update={"runs": tuple(sorted(evidence.runs, key=_rank))})


def _rank(run: FinishedRun) -> tuple[float, float, str]:
    found = rates(run)
    ea, da = (rate.value if rate and rate.value is not None else -1.0 for rate in (found["ea"], found["da_solution"]))
    return -ea, -da, run.label
