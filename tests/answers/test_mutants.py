"""Wrong answers near a gold are refused, for every released gold and for invented ones of every kind."""

import re
from pathlib import Path

import pytest

from coda_bench.answers.verdict import judge
from coda_bench.records.scores import Reason
from coda_bench.records.task import load_tasks
from generation.golds import GOLDS
from generation.mutants import mutants

TASK_FILE = Path(__file__).parents[3] / "shared" / "upstream" / "coda_bench.json"
CATEGORIES = ("Zanzibar", "Household Goods")

RIGHT_AFTER_ALL = {
    (86, "AgeGroup_25-29; AgeGroup_70+"): "two labels, no order stated",
    (261, "S Ravi; 131; AK Chaudhary; 131"): "both umpires have 131 matches",
    (819, "US; 23%; Brazil; 13%; Mexico; 7%; United Kingdom; 7%; Italy; 5%"): "both countries have 7 %",
    (936, "California; 74"): "the guideline allows the state without its abbreviation",
}
"""Changes that leave the answer right, by task and text."""

REASONS = {
    "sign": {Reason.SIGN, Reason.WRONG_VALUE},
    "field added": {Reason.WRONG_ARITY, Reason.NOT_AN_ANSWER},
    "refusal": {Reason.ABSTAINED},
    "percent to fraction": {Reason.PERCENT_VS_FRACTION},
    "fraction to percent": {Reason.PERCENT_VS_FRACTION},
}


@pytest.mark.parametrize("gold", GOLDS, ids=lambda gold: gold.answer)
def test_every_mutant_of_an_invented_gold_is_refused(gold):
    """A changed sign, digit, magnitude, label, order, arity, date or category, and a gold in prose, are wrong."""
    accepted = [
        (kind, text)
        for kind, text in mutants(gold.answer, CATEGORIES, gold.guideline)
        if judge(text, gold.answer, gold.guideline, question=gold.question).ea
    ]
    assert accepted == []


@pytest.mark.parametrize("kind", REASONS)
def test_the_reason_names_what_was_changed(kind):
    """Of single-number golds, the mutants of one kind are refused for that reason."""
    for gold in GOLDS:
        if not re.fullmatch(r"-?[0-9.]+%?", gold.answer):
            continue
        for name, text in mutants(gold.answer, CATEGORIES):
            if name == kind:
                assert judge(text, gold.answer, gold.guideline).reason in REASONS[kind], (gold.answer, text)


@pytest.mark.skipif(not TASK_FILE.is_file(), reason="the released task file is not on this machine")
def test_every_mutant_of_a_released_gold_is_refused():
    """Of more than 32,000 wrong answers those accepted are exactly the ones that are right after all."""
    tasks = load_tasks(TASK_FILE)
    fields = [field.strip() for task in tasks for field in task.answer.split(";")]
    categories = [field for field in fields if re.fullmatch(r"[A-Za-z' ]{3,25}", field)]
    n, accepted = 0, set()
    for place, task in enumerate(tasks):
        others = [*categories[place % len(categories) :], *categories]
        for _, text in mutants(task.answer, others, task.answer_guidelines):
            n += 1
            if judge(text, task.answer, task.answer_guidelines, question=task.question).ea:
                accepted.add((task.instance_id, text))
    assert n > 32_000
    assert accepted == set(RIGHT_AFTER_ALL)
