"""The table of rules of docs/guide/answers.md, executed row by row."""

import re
from pathlib import Path

import pytest

from coda_bench.answers.verdict import judge

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "answers.md"
QUESTIONS = {"what is counted (`How many states …?`) may follow a single number": "How many states are there?"}


def rows():
    """Yield the cells of each rule; a code span gives its text."""
    for line in PAGE.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and len(cells) == 5 and cells[2].startswith("`"):
            rule, guideline, *answers = cells
            yield pytest.param(rule, guideline, *(re.fullmatch("`(.*)`", answer)[1] for answer in answers), id=rule)


@pytest.mark.parametrize(("rule", "guideline", "gold", "right", "wrong"), list(rows()))
def test_the_rules_hold_as_written(rule, guideline, gold, right, wrong):
    """What the page calls right is accepted, what it calls wrong is refused."""
    question = QUESTIONS.get(rule, "")
    assert judge(gold, gold, guideline, question=question).ea
    assert judge(right, gold, guideline, question=question).ea
    assert not judge(wrong, gold, guideline, question=question).ea


def test_the_table_is_read():
    """All rules are there: an empty table would pass above."""
    assert len(list(rows())) > 40
