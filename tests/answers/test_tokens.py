"""Fields as tokens: numbers with their decorations, codes whose digits are none."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coda_bench.answers.text import canonical
from coda_bench.answers.tokens import Mark, Number, Range, Word, tokenise


def tokens_of(text):
    """Return the tokens of a text as an agent wrote it."""
    return tokenise(canonical(text))


@pytest.mark.parametrize(
    ("text", "value", "decimals"),
    [
        ("5", "5", 0),
        ("-5", "-5", 0),
        ("+5", "5", 0),
        ("5.0", "5.0", 1),
        (".59", "0.59", 2),
        ("1,234", "1234", 0),
        ("12,34,567", "1234567", 0),
        ("1,234.50", "1234.50", 2),
        ("3.2e-04", "0.00032", 1),
        ("122.07K", "122070", 2),
        ("1.5 million", "1500000", 1),
        ("$46.99", "46.99", 2),
        ("-$5", "-5", 0),
        ("$-5", "-5", 0),
        ("46.99 USD", "46.99", 2),
        ("38 percent", "38", 0),
    ],
)
def test_a_number_is_one_token(text, value, decimals):
    """Sign, separators, exponent, currency, suffix and percent sign belong to the number."""
    (number,) = tokens_of(text)
    assert number.value == Decimal(value)
    assert number.decimals == decimals


@pytest.mark.parametrize(
    "text", ["2020s", "10th", "3DS", "TV-14", "X360", "v1.2.3", "AgeGroup_25-29", "COVID-19", "1.2.3"]
)
def test_a_code_is_a_word(text):
    """Digits within a code are no number to be rounded or compared by size."""
    assert not any(isinstance(token, Number) for token in tokens_of(text))


def test_range_signs_are_no_minus():
    """A dash or `to` between two quantities is a range, whatever the blanks."""
    for text in ("80-125", "80 - 125", "80–125", "80 to 125"):
        low, sign, high = tokens_of(text)
        assert (low.value, type(sign), high.value) == (80, Range, 125)


def test_a_range_may_have_negative_ends():
    """The dash after a range sign is a minus."""
    low, _, high = tokens_of("-5 to -3")
    assert (low.value, high.value) == (-5, -3)


def test_a_list_is_not_a_number():
    """Commas that do not cut groups of three separate numbers."""
    assert [token.value for token in tokens_of("12,34") if isinstance(token, Number)] == [12, 34]
    assert Mark(",") in tokens_of("1, 2")


def test_ampersand_hyphen_and_initials():
    """`&` is `and`, a hyphen between letters is a blank, full stops of initials fall away."""
    assert tokens_of("X & Y") == tokens_of("X and Y")
    assert tokens_of("right-skewed") == tokens_of("Right skewed")
    assert tokens_of("U.S.A.") == tokens_of("United States") == (Word("usa"),)


def test_units_have_one_name_after_a_number_only():
    """`9 hrs` is `9 hours`; the word alone stays as it is."""
    assert tokens_of("9 hrs") == tokens_of("9 hours")
    assert tokens_of("hrs") == (Word("hrs"),)


@given(st.text(max_size=300))
def test_any_text_can_be_cut(text):
    """No text raises, and the tokens of equal texts are equal."""
    assert tokens_of(text) == tokens_of(f"  {text} ")


@given(st.integers(-(10**12), 10**12))
def test_integers_are_read_with_and_without_separators(number):
    """The separators are decoration."""
    assert tokens_of(f"{number:,}")[0].value == tokens_of(str(number))[0].value == number


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-1000, max_value=1000, places=4))
def test_decimals_are_read_exactly(number):
    """No binary float lies between the text and the value."""
    assert tokens_of(f"{number:f}")[0].value == number
