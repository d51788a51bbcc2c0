"""The typed comparison of one answer with its gold."""

from typing import NamedTuple

from coda_bench.answers.legacy import coda_exact
from coda_bench.records.scores import Reason


class Verdict(NamedTuple):
    """What the comparison says."""

    ea: bool
    format_ok: bool
    reason: Reason


def judge(prediction: str, gold: str, guideline: str = "", *, question: str = "") -> Verdict:
    """Judge."""
    del guideline, question
    same = coda_exact(prediction, gold)
    return Verdict(same, same, Reason.MATCH if same else Reason.WRONG_VALUE)
