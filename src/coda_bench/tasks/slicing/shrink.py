"""Shrink: leaving out of a set of statements what can be left out, by trying (Zeller's ddmin, 2002)."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from coda_bench.records.anchor import StatementId

Kept = frozenset[StatementId]


def shrink(kept: Kept, holds: Callable[[Kept], bool], *, required: Kept, most_runs: int) -> Kept:
    """Return a subset that still holds and of which, within the runs allowed, no single statement can be left out.

    Args:
        kept: a set that holds.
        holds: tells whether a smaller one does; each answer may cost a run.
        required: what is never left out.
        most_runs: how often `holds` may be asked.
    """
    best, spare = kept, sorted(kept - required)
    parts, runs = 2, 0
    while spare and runs < most_runs:
        for part in _split(spare, parts):
            if runs == most_runs:
                return best
            runs += 1
            tried = best - frozenset(part)
            if holds(tried):
                best, spare, parts = tried, [one for one in spare if one in tried], max(parts - 1, 2)
                break
        else:
            if parts >= len(spare):
                return best
            parts = min(2 * parts, len(spare))
    return best


def _split(items: Sequence[StatementId], parts: int) -> list[Sequence[StatementId]]:
    parts = min(parts, len(items))
    ends = [round(number * len(items) / parts) for number in range(parts + 1)]
    return [items[start:end] for start, end in pairwise(ends) if end > start]
