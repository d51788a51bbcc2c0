"""The outcome of every agent at every task, and the rates that are counted from them."""

from enum import StrEnum

from coda_bench.analyse.evidence import Evidence, FinishedRun
from coda_bench.intervals import wilson_interval
from coda_bench.records.attempt import Attempt, AttemptStatus
from coda_bench.records.record import Record
from coda_bench.records.scores import InstanceScore, Reason


class Outcome(StrEnum):
    """What became of one task with one agent; a machine failure is never a wrong value."""

    RIGHT = "right"
    WRONG = "wrong value"
    NO_ANSWER = "no answer"
    MACHINE_FAILURE = "machine failure"
    MISSING = "missing"
    UNSCORED = "answered, not scored"
    OUTSIDE = "not in this run"


class Cell(Record):
    """One agent at one task."""

    outcome: Outcome
    answer: str = ""
    status: AttemptStatus | None = None
    error: str | None = None
    reason: Reason | None = None
    """Why the scorer refused the answer."""
    used_targets: bool | None = None
    """Whether exactly the target files were read by the final computation; None: not measured."""


class Rate(Record):
    """A proportion with its 95 % Wilson interval."""

    correct: int
    n: int

    @property
    def value(self) -> float | None:
        """The proportion, None of nothing."""
        return self.correct / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % Wilson score interval."""
        return wilson_interval(self.correct, self.n)


RATE_NAMES = ("ea", "da_solution", "da_superset", "da_touched", "ea_paper", "exact", "numeric", "format_ok")
"""Names in `scores.json`, in the order shown."""


def cells(run: FinishedRun) -> dict[int, Cell]:
    """Return the outcome of every task that the run planned, attempted or scored, by instance id.

    With several epochs the first one stands for the task, as in `predictions.jsonl`, which is what is scored.
    """
    attempts = {attempt.instance_id: attempt for attempt in run.attempts if attempt.epoch == 1}
    rows = {row.instance_id: row for row in run.scores.per_instance} if run.scores else {}
    ids = {*run.config.instances, *attempts, *rows}
    return {id_: _cell(attempts.get(id_), rows.get(id_)) for id_ in sorted(ids)}


def _cell(attempt: Attempt | None, row: InstanceScore | None) -> Cell:
    return Cell(
        outcome=_outcome(attempt, row),
        answer=attempt.answer if attempt else row.prediction if row else "",
        status=attempt.status if attempt else None,
        error=attempt.error if attempt else None,
        reason=row.reason if row else None,
        used_targets=row.da_solution if row else None,
    )


def _outcome(attempt: Attempt | None, row: InstanceScore | None) -> Outcome:
    if row and row.ea:
        return Outcome.RIGHT
    if attempt and attempt.status.is_machine_failure:
        return Outcome.MACHINE_FAILURE
    answer = attempt.answer if attempt else row.prediction if row else None
    if answer is None:
        return Outcome.MISSING
    if not answer.strip():
        return Outcome.NO_ANSWER
    return Outcome.WRONG if row else Outcome.UNSCORED


def rates(run: FinishedRun) -> dict[str, Rate | None]:
    """Return the rates of a run by name; None where the scores do not have one."""
    return {name: _rate(run, name) for name in RATE_NAMES}


def _rate(run: FinishedRun, name: str) -> Rate | None:
    scores = run.scores
    if scores is None or (name.startswith("da_") and not scores.da_n):
        return None
    return Rate(correct=getattr(scores, f"{name}_correct"), n=scores.da_n if name.startswith("da_") else scores.n_gold)


def hard_rates(run: FinishedRun, evidence: Evidence) -> dict[str, Rate | None]:
    """Return EA and DA_solution over the tasks of the Hard subset that were scored, missing ones as wrong.

    DA counts tasks with known targets whose file access was measured, and missing ones.
    """
    scores, hard = run.scores, evidence.hard_ids
    if scores is None or hard is None:
        return {"ea": None, "da_solution": None}
    rows = [row for row in scores.per_instance if row.instance_id in hard]
    missing = hard.intersection(scores.missing_ids)
    known = [row for row in rows if row.da_solution is not None]
    lost = missing & evidence.targets.keys() - set(scores.da_unusable_target_ids)
    da_n = len(known) + len(lost)
    return {
        "ea": Rate(correct=sum(row.ea for row in rows), n=len(rows) + len(missing)),
        "da_solution": Rate(correct=sum(row.da_solution is True for row in known), n=da_n) if scores.da_n else None,
    }
