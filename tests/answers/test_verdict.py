"""The typed comparison: a table of answers with the verdicts a careful person would give."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coda_bench.answers.verdict import judge
from coda_bench.records.scores import Reason

YEARS = "Answer must be an integer followed by the word 'years'."
LABELS = "Format: 'Male: [Integer]%; Female: [Integer]%'."
SHARE = "A percentage rounded to 2 decimal places."
NEAREST = "An integer percentage, rounded to the nearest whole number."
TRUNCATE = "Truncated to one decimal place."
STATE = "The state name (or abbreviation). Format: State (Abbreviation)."
TWO_LABELS = "List the two labels separated by a semicolon."

RIGHT = [
    ("38%", "38%", ""),
    ("38 %", "38%", ""),
    ("38.0%", "38%", ""),
    ("38", "38%", ""),
    ("38 percent", "38%", ""),
    (r"38\%", "38%", ""),
    ("57.07%", "57.07", SHARE),
    ("0", "0%", ""),
    ("38.4%", "38%", NEAREST),
    ("1234", "1,234", ""),
    ("1,234", "1234", ""),
    ("1 234 567", "1234567", ""),
    ("12,34,567", "1234567", ""),
    ("5e3", "5000", ""),
    ("4,87", "4.87", ""),
    ("1.234,56", "1234.56", ""),
    (".59", "0.59", ""),
    ("26.54", "26.5", ""),
    ("26.55", "26.5", ""),
    ("2.39", "2.3", TRUNCATE),
    ("1,500,000", "1.5M", ""),
    ("1.5 million", "1.5M", ""),
    ("122,068", "122.07K", ""),
    ("100.0", "100", ""),
    ("0.0003201525277652", "0.00032015252776520446", ""),
    ("-0", "0", ""),
    ("−5", "-5", ""),
    ("$160,000", "160000", ""),
    ("160000", "$160,000", ""),
    ("46.99 USD", "$46.99", ""),
    ("9 hrs", "9 hours", ""),
    ("3", "3 years", YEARS),
    ("80 to 125", "80-125", ""),
    ("24-78%", "24% to 78%", ""),
    ("March 19, 2020", "2020-03-19", ""),
    ("April 29", "29 April", ""),
    ("2013/14", "2013/2014", ""),
    ("Sept.; Sat", "September; Saturday", ""),
    ("(1,200, 3)", "1200; 3", ""),
    ("['O; K', 91]", "O; K; 91", ""),
    ("bobcat.", "Bobcat", ""),
    ("X and Y", "X & Y", ""),
    ("Right skewed", "Right-skewed", ""),
    ("UK; 5", "United Kingdom; 5", ""),
    ("CA", "California (CA)", STATE),
    ("California", "California (CA)", STATE),
    ("88%; 12%", "Male: 88%; Female: 12%", LABELS),
    ("B; A", "A; B", TWO_LABELS),
    ("Y and X", "X and Y", TWO_LABELS),
    ("A, B", "A; B", ""),
    ("1\n2", "1; 2", ""),
    ("- A\n- B", "A; B", ""),
    ('["A", "B"]', "A; B", ""),
    ('{"answer": "38%"}', "38%", ""),
    ("The answer is: **38%**.", "38%", ""),
    ('{"x": [1.0, 2]}', '{"x": [1, 2]}', ""),
    ('{"n": "3.0"}', '{"n": 3}', ""),
    ("[true, null, {}]", "[true, null, {}]", ""),
    ("Not Applicable", "Not Applicable", ""),
    ("none", "None", ""),
    ("...", "...", ""),
]

WRONG = [
    ("0.38", "38%", "", Reason.PERCENT_VS_FRACTION),
    ("44%", "0.44", "", Reason.PERCENT_VS_FRACTION),
    ("0.5", "0.5%", "", Reason.UNIT_MISMATCH),
    ("0.44%", "0.44", SHARE, Reason.UNIT_MISMATCH),
    ("5%", "5", "", Reason.UNIT_MISMATCH),
    ("-5", "5", "", Reason.SIGN),
    ("5", "-5", "", Reason.SIGN),
    ("26.6", "26.5", "", Reason.ROUNDING),
    ("26.5", "26.54", "", Reason.ROUNDING),
    ("2.29", "2.3", TRUNCATE, Reason.ROUNDING),
    ("38.6%", "38%", NEAREST, Reason.WRONG_VALUE),
    ("3.4", "3", "", Reason.WRONG_VALUE),
    ("999950", "1000000", "", Reason.WRONG_VALUE),
    ("0.00017", "0.00012", "", Reason.WRONG_VALUE),
    ("1.5B", "1.5M", "", Reason.UNIT_MISMATCH),
    ("€46.99", "$46.99", "", Reason.UNIT_MISMATCH),
    ("$2020.00", "2020", "", Reason.UNIT_MISMATCH),
    ("9 days", "9 hours", "", Reason.UNIT_MISMATCH),
    ("3", "3 years", "", Reason.UNIT_MISMATCH),
    ("3 full months", "3 years", "Full years or months.", None),
    ("80-126", "80-125", "", Reason.WRONG_VALUE),
    ("2020-03-18", "2020-03-19", "", Reason.WRONG_VALUE),
    ("29 April 2020", "29 April", "", Reason.WRONG_VALUE),
    ("Arsenal; 91", "Juventus; 91", "", Reason.WRONG_LABEL),
    ("No, 5", "Yes, 5", "", Reason.WRONG_LABEL),
    ("mastercard visa", "visa", "", Reason.WRONG_LABEL),
    (">5", "5", "", Reason.WRONG_LABEL),
    ("~42", "42", "", Reason.WRONG_LABEL),
    ("Ma", "March", "", Reason.WRONG_LABEL),
    ("Mar", "May", "", Reason.WRONG_LABEL),
    ("Mars", "March", "", Reason.WRONG_LABEL),
    ("['Arsenal', 91]", "Juventus; 91", "", Reason.WRONG_LABEL),
    ("2; 1", "1; 2", "", Reason.WRONG_ORDER),
    ("B; A", "A; B", "Answer format: Winner; Loser.", Reason.WRONG_ORDER),
    ("Female: 12%; Male: 88%", "Male: 88%; Female: 12%", LABELS, Reason.WRONG_ORDER),
    ("f; e; d; c; b; a", "a; b; c; d; e; f", "", Reason.WRONG_ORDER),
    ("1", "1; 2", "", Reason.WRONG_ARITY),
    ("1; 2; 3", "1; 2", "", Reason.WRONG_ARITY),
    ("1,2", "1; 2", "", Reason.WRONG_ARITY),
    ("2020s", "2020", "", Reason.UNPARSABLE),
    ("forty-two", "42", "", Reason.UNPARSABLE),
    ("1e400000", "5", "", Reason.UNPARSABLE),
    ("", "5", "", Reason.ABSTAINED),
    ("  \n", "5", "", Reason.ABSTAINED),
    ("NaN", "0", "", Reason.ABSTAINED),
    ("Not Applicable", "5", "", Reason.ABSTAINED),
    ("**N/A**", "5", "", Reason.ABSTAINED),
    ("I cannot determine the answer.", "5", "", Reason.ABSTAINED),
    ("", "", "", Reason.ABSTAINED),
    ("nan", "nan", "", Reason.ABSTAINED),
    ("5", "nan", "", Reason.WRONG_VALUE),
    ("Error: could not converge after 7 iterations", "7", "", Reason.NOT_AN_ANSWER),
    ("After looking at the data, it is 7", "7", "", Reason.NOT_AN_ANSWER),
    ("38%\n\nExplanation:\nrows", "38%", "", Reason.NOT_AN_ANSWER),
    ("1234 or 5678", "1234", "", Reason.WRONG_VALUE),
    ('{"n": 3.9}', '{"n": 3}', "", None),
    ("[1, 2]", "[1, 1, 2]", "", None),
    ("[0]", "[false]", "", None),
    ("[1", "[1]", "", None),
    ("", "...", "", None),
    ("'", '"', "", None),
]


@pytest.mark.parametrize(("prediction", "gold", "guideline"), RIGHT)
def test_right_answers_are_accepted(prediction, gold, guideline):
    """Notation is forgiven where the meaning is beyond doubt."""
    assert judge(prediction, gold, guideline).reason is Reason.MATCH
    assert judge(prediction, gold, guideline).ea


@pytest.mark.parametrize(("prediction", "gold", "guideline", "reason"), WRONG)
def test_wrong_answers_are_refused_with_a_reason(prediction, gold, guideline, reason):
    """Nothing wrong passes, and the reason names the difference."""
    verdict = judge(prediction, gold, guideline)
    assert not verdict.ea
    assert reason is None or verdict.reason is reason


HOSTILE = {
    "digits": "9" * 10_000_000,
    "decimals": "0." + "3" * 10_000_000,
    "deep array": "[" * 1900,
    "deep object": '{"a":' * 390,
    "very deep array": "[" * 1_000_000,
    "groups": "1," * 1000,
    "lakhs": "11," * 650,
    "versions": "1." * 1000,
    "hyphens": "a-" * 1000,
    "minus signs": "-" * 2000,
    "bold": "** " * 650,
    "backticks": "`" * 2000,
    "labels": "answer: " * 240,
    "months": "jan " * 490,
    "exponents": "1e" * 1000,
    "huge exponent": "1e999999999",
    "ligatures": "\ufdfa" * 1900,
    "lone surrogate": "\ud800",
    "nul": "\x00",
    "seasons": "2013/14" * 280,
    "ranges": "1-" * 1000,
    "refusal": "sorry " * 330,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("gold", ["38%", "1; 2; 3; 4; 5", "[1]", "a"])
def test_hostile_predictions_get_a_verdict(name, gold):
    """No prediction raises, and none of these is right."""
    assert not judge(HOSTILE[name], gold, "List the values.").ea


@given(st.text(max_size=200), st.text(max_size=30), st.text(max_size=30))
def test_every_text_gets_a_verdict(prediction, gold, guideline):
    """No pair of texts raises, and the reason agrees with the verdict."""
    verdict = judge(prediction, gold, guideline, question=guideline)
    assert verdict.ea is (verdict.reason is Reason.MATCH)


words = st.text("abcdefghijklmnopqrstuvwxyz ", min_size=1, max_size=12).filter(lambda text: text.strip())
numbers = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=2).map(str)
fields = st.one_of(words.map("x{}".format), numbers, numbers.map("{}%".format), st.integers(-(10**9), 10**9).map(str))
golds = st.lists(fields, min_size=1, max_size=5).map("; ".join)


@given(golds)
def test_a_gold_is_its_own_right_answer_in_its_own_form(gold):
    """Whatever its fields, a gold given back is right, also quoted, fenced or labelled."""
    assert judge(gold, gold)[:3] == (True, True, Reason.MATCH)
    for wrapped in (f'"{gold}"', f"```\n{gold}\n```", f"Answer: {gold}", f"  {gold}.\n"):
        assert judge(wrapped, gold).ea


@given(golds, fields)
def test_a_further_field_is_wrong(gold, field):
    """An answer with a field too many, or one too few, never passes."""
    assert not judge(f"{gold}; {field}", gold).ea
    assert not judge(gold, f"{gold}; {field}").ea


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_integers_are_equal_only_to_themselves(one, other):
    """Counts have no tolerance."""
    assert judge(str(one), str(other)).ea is (one == other)


@given(st.integers(-(10**6), 10**6), st.integers(0, 4), st.integers(-400, 400))
def test_decimals_tolerate_half_a_unit_of_the_golds_last_digit(digits, decimals, hundredths):
    """Off by at most half a unit is right, by more is wrong."""
    gold = f"{digits / 10**4:.4f}"
    prediction = f"{(digits * 100 + hundredths) / 10**6:.6f}"
    del decimals
    assert judge(prediction, gold).ea is (abs(hundredths) <= 50)
