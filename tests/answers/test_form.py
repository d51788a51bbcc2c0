"""The form asked for, be the value right or wrong."""

import pytest

from coda_bench.answers.form import has_form
from coda_bench.answers.spec import compile_spec

COMMAS = "Integers formatted with commas (e.g., 10,000)."
PLAIN = "An integer without commas."
TWO_DECIMALS = "Rounded to 2 decimal places."


@pytest.mark.parametrize(
    ("prediction", "gold", "guideline"),
    [
        ("17%", "38%", ""),
        ("**17%**", "38%", ""),
        ('"17%"', "38%", ""),
        ("17\u00a0%", "38%", ""),
        ("Arsenal; 4", "Juventus; 91", ""),
        ("Arsenal;4", "Juventus; 91", ""),
        ("1,234", "1234", "An integer."),
        ("999", "1,234", COMMAS),
        (".50", "0.25", TWO_DECIMALS),
        ("0.3", "0.25", "Round to 2 decimals (trailing zeros may be omitted)."),
        ("1.23e-05", "6.5e-07", ""),
        ("1-2", "80–125", ""),
        ("2021-01-01", "2020-03-19", ""),
        ("no", "Yes", ""),
        ("3 years", "5 years", ""),
        ("$1.20", "$46.99", ""),
        ("Female: 1%", "Male: 88%", ""),
    ],
)
def test_wrong_values_in_the_right_form(prediction, gold, guideline):
    """Form is judged apart from value; typography does not count against it."""
    assert has_form(prediction, compile_spec(gold, guideline))


@pytest.mark.parametrize(
    ("prediction", "gold", "guideline"),
    [
        ("38", "38%", ""),
        ("38 percent", "38%", ""),
        ("38.0%", "38%", ""),
        ("$100", "100", ""),
        ("100", "$100", ""),
        ("1.5 million", "1.5M", ""),
        ("1234", "1,234", COMMAS),
        ("1,234", "1234", PLAIN),
        ("0.251", "0.25", TWO_DECIMALS),
        ("2.5e-01", "0.25", TWO_DECIMALS),
        ("80 to 125", "80-125", ""),
        ("80-125", "80-125 minutes", ""),
        ("9 hrs", "9 hours", ""),
        ("March 19, 2020", "2020-03-19", ""),
        ("maybe", "Yes", ""),
        ("1, 2", "1; 2", ""),
        ("1; 2;", "1; 2", ""),
        ("1\n2", "1; 2", ""),
        ("Answer: 5", "5", ""),
        ('{"answer": "5"}', "5", ""),
        ("", "5", ""),
        ("Not Applicable", "5", ""),
        ("; 5", "Juventus; 91", ""),
        ("word " * 40, "Bobcat", ""),
    ],
)
def test_right_or_wrong_values_in_another_form(prediction, gold, guideline):
    """Decorations, decimals, separators and notation are held to the letter."""
    assert not has_form(prediction, compile_spec(gold, guideline))
