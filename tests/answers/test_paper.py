"""The paper's normalisation: white space, case, rounding, nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coda_bench.answers.paper import LONGEST_ANSWER, ea_paper


@pytest.mark.parametrize(
    ("prediction", "gold", "expected"),
    [
        ("106;93", "106; 93", True),
        ("JAPAN; 5", "Japan;5", True),
        ("26.54%", "26.5%", True),
        ("26.55%", "26.5%", False),
        ("26.45%", "26.5%", True),
        ("26.45%", "26.4%", True),
        ("38", "38.0", True),
        ("38.4", "38", True),
        ("38.6", "38", False),
        ("Arsenal; 91", "Juventus; 91", False),
        ("-5", "5", False),
        ("1,234", "1234", False),
        ("80–125", "80-125", False),
        ("", "", False),
        ("", "0", False),
    ],
)
def test_numbers_are_rounded_to_the_decimals_of_the_gold(prediction, gold, expected):
    """Words, signs and separators must agree as they stand; halves may go either way."""
    assert ea_paper(prediction, gold) is expected


def test_long_numbers_are_compared_to_their_last_digit():
    """More digits than the default decimal context holds are not rounded away."""
    assert ea_paper("1" * 50 + ".04", "1" * 50 + ".0")
    assert not ea_paper("1" * 49 + "2", "1" * 50)


def test_texts_longer_than_any_answer_are_refused_at_once():
    """An answer of megabytes is no answer, whatever its first characters."""
    assert not ea_paper("5" + " " * LONGEST_ANSWER, "5")
    assert not ea_paper("9" * 10_000_000, "9")


@given(st.text(max_size=80).filter(lambda text: text.strip()))
def test_every_text_equals_itself(text):
    """A gold given as prediction is right."""
    assert ea_paper(text, text)
