"""What the attempts of a run cost: turns, tokens, money, time, and how they ended."""

from collections import Counter
from statistics import fmean, median

from coda_bench.analyse.evidence import FinishedRun
from coda_bench.records.attempt import AttemptStatus
from coda_bench.records.record import Record


class Effort(Record):
    """The effort of one run; None where there is no attempt, or a price is not known."""

    attempts: int
    planned: int
    missing: int
    by_status: dict[AttemptStatus, int]
    machine_failures: int
    mean_turns: float | None
    mean_tokens: float | None
    """Input and output tokens of one attempt."""
    cost_usd: float | None
    """Sum over all attempts; None when the price of any is unknown."""
    unknown_costs: int
    median_seconds: float | None


def effort(run: FinishedRun) -> Effort:
    """Sum up the attempts of a run."""
    attempts = run.attempts
    by_status = Counter(attempt.status for attempt in attempts)
    costs = [attempt.usage.cost_usd for attempt in attempts]
    known = [cost for cost in costs if cost is not None]
    return Effort(
        attempts=len(attempts),
        planned=run.planned,
        missing=run.missing,
        by_status=dict(by_status),
        machine_failures=sum(n for status, n in by_status.items() if status.is_machine_failure),
        mean_turns=fmean(a.usage.turns for a in attempts) if attempts else None,
        mean_tokens=fmean(a.usage.input_tokens + a.usage.output_tokens for a in attempts) if attempts else None,
        cost_usd=sum(known) if attempts and len(known) == len(costs) else None,
        unknown_costs=len(costs) - len(known),
        median_seconds=median(a.wall_seconds for a in attempts) if attempts else None,
    )
