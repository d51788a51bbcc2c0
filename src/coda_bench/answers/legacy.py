"""The public release's two matchers, verdict for verdict, so that scores can be set beside published ones.

They are known to be poor: `coda_exact` refuses `106;93` for `106; 93`, `coda_numeric` ignores every
word and accepts `Arsenal; 91` for `Juventus; 91`. Neither decides our EA.
"""

import re
from collections.abc import Iterator
from itertools import islice

NUMERIC_TOLERANCE = 1e-6
"""Absolute, whatever the size of the numbers."""

_TOKEN = re.compile(r"[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?")


def coda_exact(prediction: str, gold: str) -> bool:
    """Whether the texts agree after stripping, collapsing white space and lower-casing."""
    return _normal(prediction) == _normal(gold)


def coda_numeric(prediction: str, gold: str) -> bool:
    """Whether the answers agree exactly, or hold equally many numbers that agree pairwise within 1e-6.

    The hyphen of a range is read as a minus sign and a thousands separator splits a number, as in the
    released code. Numbers too large for a float become infinite and equal nothing.
    """
    if coda_exact(prediction, gold):
        return True
    wanted = list(_numbers(gold))
    # One more than needed decides; an answer may hold millions.
    found = list(islice(_numbers(prediction), len(wanted) + 1))
    return bool(found) and len(found) == len(wanted) and all(map(_close, found, wanted))


def _normal(text: str) -> str:
    return " ".join(text.split()).lower()


def _numbers(text: str) -> Iterator[float]:
    return (float(token[0]) for token in _TOKEN.finditer(text))


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= NUMERIC_TOLERANCE
