"""The released matchers, as their rules are known: their faults are part of the specification."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coda_bench.answers.legacy import coda_exact, coda_numeric

texts = st.text(st.characters(codec=None), max_size=60)


@pytest.mark.parametrize(
    ("prediction", "gold", "exact", "numeric"),
    [
        ("38%", "38%", True, True),
        ("  38%\n", "38%", True, True),
        ("New\t  York", "new york", True, True),
        ("106;93", "106; 93", False, True),
        ("Arsenal; 91", "Juventus; 91", False, True),
        ("38", "38%", False, True),
        ("0.38", "38%", False, False),
        ("1,234", "1234", False, False),
        ("80–125", "80-125", False, False),
        ("1.00-1.01", "1.00 - 1.01", False, False),
        ("3.0000009", "3", False, True),
        ("3.000002", "3", False, False),
        ("1e3", "1000", False, True),
        (".5", "0.5", False, True),
        ("yes", "Yes", True, True),
        ("no", "Yes", False, False),
        ("", "", True, True),
        ("", "5", False, False),
        ("5 6", "5", False, False),
        ("+5", "5", False, True),
        ("-5", "5", False, False),
    ],
)
def test_verdicts_of_the_released_matchers(prediction, gold, exact, numeric):
    """Words are ignored by the numeric matcher, blanks and signs are not by the exact one."""
    assert coda_exact(prediction, gold) is exact
    assert coda_numeric(prediction, gold) is numeric


def test_numbers_too_large_for_a_float_equal_nothing_but_their_own_text():
    """Infinity less infinity is not within any tolerance; the same text still matches exactly."""
    long = "9" * 5000
    assert not coda_numeric(long, long + "0")
    assert coda_numeric(long, long)


def test_ten_megabytes_of_digits_get_a_verdict():
    """The size of a prediction neither raises nor hangs."""
    assert not coda_numeric("7" * 10_000_000, "7")
    assert not coda_numeric("0." + "7" * 1_000_000, "0.7")


@given(texts, texts)
def test_numeric_accepts_whatever_exact_accepts(prediction, gold):
    """The numeric verdict is never stricter, and no text makes either raise."""
    assert coda_numeric(prediction, gold) or not coda_exact(prediction, gold)


@given(texts, st.sampled_from([" ", "\t", "\n", "\u00a0", "  "]))
def test_white_space_and_case_do_not_matter_to_exact(text, blank):
    """A text equals itself with other blanks round it and in lower case."""
    assert coda_exact(f"{blank}{text}{blank}", text.lower()) or text.lower().lower() != text.lower()


def test_an_answer_of_a_million_numbers_is_refused_after_a_few():
    """One number more than the gold has decides."""
    assert not coda_numeric("1 " * 1_000_000, "1; 1")
    assert coda_numeric("1 1", "1; 1")
