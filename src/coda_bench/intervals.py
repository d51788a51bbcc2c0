"""Confidence intervals of a rate."""

from math import sqrt
from statistics import NormalDist


def wilson_interval(successes: int, n: int, *, confidence: float = 0.95) -> tuple[float, float] | None:
    """Return the Wilson score interval of a proportion, without continuity correction.

    Unlike the normal interval it stays within 0 and 1 and is honest at 0 of n and n of n.

    Args:
        successes: number of successes, 0 to n.
        n: number of trials.
        confidence: two-sided confidence level.

    Returns:
        Lower and upper limit, or None for no trials.

    Source: E. B. Wilson, JASA 22 (1927) 209-212.
    """
    if n == 0:
        return None
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    rate, spread = successes / n, z * z / n
    centre = rate + spread / 2
    half = z * sqrt(rate * (1 - rate) / n + spread / (4 * n))
    low, high = (centre - half) / (1 + spread), (centre + half) / (1 + spread)
    return (0.0 if successes == 0 else low, 1.0 if successes == n else high)
