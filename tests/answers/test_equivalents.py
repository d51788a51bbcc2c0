"""Spellings that mean the same are accepted, for every released gold and for invented ones of every kind."""

from pathlib import Path

import pytest

from coda_bench.answers.verdict import judge
from coda_bench.records.task import load_tasks
from generation.equivalents import TRANSFORMS, equivalents
from generation.golds import GOLDS

TASK_FILE = Path(__file__).parents[3] / "shared" / "upstream" / "coda_bench.json"


@pytest.mark.parametrize("gold", GOLDS, ids=lambda gold: gold.answer)
def test_every_spelling_of_an_invented_gold_is_accepted(gold):
    """Blanks, dashes, case, zeros, separators, wrappers and Unicode forms change no verdict."""
    refused = [
        (name, text)
        for name, text in equivalents(gold.answer)
        if not judge(text, gold.answer, gold.guideline, question=gold.question).ea
    ]
    assert refused == []


def test_every_transform_is_exercised():
    """No transform is dead: each changes at least one invented gold."""
    assert {name for gold in GOLDS for name, _ in equivalents(gold.answer)} == set(TRANSFORMS)


@pytest.mark.skipif(not TASK_FILE.is_file(), reason="the released task file is not on this machine")
def test_every_spelling_of_a_released_gold_is_accepted():
    """At least 18,000 spellings of the 1,009 golds, none refused."""
    n, refused = 0, []
    for task in load_tasks(TASK_FILE):
        for name, text in equivalents(task.answer):
            n += 1
            if not judge(text, task.answer, task.answer_guidelines, question=task.question).ea:
                refused.append((task.instance_id, name, text))
    assert n > 18_000
    assert refused == []
