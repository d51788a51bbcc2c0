"""Which fields are rounded, cut or exact."""

import pytest

from coda_bench.answers.verdict import judge, spec_of
from coda_bench.records.answer_spec import Rounding

MIXED = (
    "The average value followed by the median, separated by a semicolon (e.g., '2.3 million; 4.56 million'). The"
    " average should be truncated to one decimal place, and the median should be rounded to two decimal places."
)
RATE = "Answer format: Count; Rate. The count must be an integer. The rate must be rounded to the nearest integer."


@pytest.mark.parametrize(
    ("gold", "guideline", "expected"),
    [
        ("26.5", "", [Rounding.HALF]),
        ("26", "", [Rounding.EXACT]),
        ("26", "Round to the nearest integer.", [Rounding.HALF]),
        ("26%", "Use the floor of the value, not rounding.", [Rounding.TRUNCATE]),
        ("26", "An integer rounded down to the nearest integer.", [Rounding.TRUNCATE]),
        ("295000", "Round the result to the nearest thousand.", [Rounding.EXACT]),
        ("5; 29%", "Percentages must be rounded to the nearest whole number.", [Rounding.EXACT, Rounding.HALF]),
        ("1.6 million; 1.12 million", MIXED, [Rounding.TRUNCATE, Rounding.HALF]),
        ("40; 29", RATE, [Rounding.EXACT, Rounding.HALF]),
        ("2011; 7", "Format: Year; Mean. Values rounded to the nearest integer.", [Rounding.EXACT, Rounding.HALF]),
    ],
)
def test_each_clause_of_a_guideline_meets_its_fields(gold, guideline, expected):
    """Decimals are rounded values, integers are exact, unless the guideline says otherwise of that field."""
    assert [field.rounding for field in spec_of(gold, guideline).fields] == expected


@pytest.mark.parametrize(
    ("prediction", "gold", "guideline", "right"),
    [
        ("1.69 million; 1.119 million", "1.6 million; 1.12 million", MIXED, True),
        ("1.58 million; 1.12 million", "1.6 million; 1.12 million", MIXED, False),
        ("1.6 million; 1.129 million", "1.6 million; 1.12 million", MIXED, False),
        ("40; 29.4", "40; 29", RATE, True),
        ("40.4; 29", "40; 29", RATE, False),
        ("-2.39", "-2.3", "Truncated to one decimal place.", True),
        ("2.39", "-2.3", "Truncated to one decimal place.", False),
        ("294812", "295000", "Round to the nearest thousand.", False),
    ],
)
def test_more_digits_are_brought_to_the_golds(prediction, gold, guideline, right):
    """Rounding and truncation are applied to the field they are asked for, and to no other."""
    assert judge(prediction, gold, guideline).ea is right
