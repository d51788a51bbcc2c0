"""Properties of the comparison on generated answers."""

from hypothesis import given
from hypothesis import strategies as st

from coda_bench.answers.verdict import judge
from coda_bench.records.scores import Reason
from generation.equivalents import TRANSFORMS

LETTERS = "abcdefghijklmnopqrstuvwxyz"
words = st.lists(st.text(LETTERS, min_size=2, max_size=8), min_size=1, max_size=3).map(" ".join).map("x{}".format)
integers = st.integers(-(10**9), 10**9).map(str)
decimals = st.decimals(-(10**6), 10**6, places=2, allow_nan=False, allow_infinity=False).map(str)
percents = st.decimals(1, 100, places=1, allow_nan=False, allow_infinity=False).map("{}%".format)
pairs = st.tuples(words, integers).map(": ".join)
fields = st.one_of(words, integers, decimals, percents, pairs)
golds = st.lists(fields, min_size=1, max_size=6).map("; ".join)
GUIDELINES = st.sampled_from(
    [
        "",
        "Answer must be a single integer.",
        "Format: Name; Count. List them in descending order.",
        "Round each value to 2 decimal places.",
        "List the labels separated by a semicolon.",
    ]
)


@given(golds, GUIDELINES)
def test_reflexive(gold, guideline):
    """A gold given back is right under every guideline."""
    assert judge(gold, gold, guideline).ea


@given(golds, GUIDELINES, st.sampled_from(sorted(TRANSFORMS)))
def test_insensitive_to_spelling(gold, guideline, name):
    """No transform that keeps the meaning changes the verdict."""
    assert judge(TRANSFORMS[name](gold), gold, guideline).ea


@given(st.one_of(integers, words), st.one_of(integers, words))
def test_symmetric_for_integers_and_texts(one, other):
    """Where no precision is given up, which of two is the gold makes no difference."""
    assert judge(one, other).ea is judge(other, one).ea


@given(st.lists(st.one_of(integers, words), min_size=2, max_size=4, unique=True), st.data())
def test_symmetric_for_tuples(parts, data):
    """The same holds for tuples, in this order and in another."""
    gold = "; ".join(parts)
    other = "; ".join(data.draw(st.permutations(parts)))
    assert judge(other, gold).ea is judge(gold, other).ea is (gold == other)


@given(golds, golds, GUIDELINES)
def test_the_reasons_of_the_fields_agree_with_the_verdict(prediction, gold, guideline):
    """A right answer has nothing but matches; a wrong one with fields has one that is none, or another order."""
    verdict = judge(prediction, gold, guideline)
    assert verdict.ea is (verdict.reason is Reason.MATCH)
    if verdict.ea:
        assert set(verdict.fields) == {Reason.MATCH}
    elif verdict.fields:
        assert set(verdict.fields) != {Reason.MATCH}


@given(golds, GUIDELINES, st.sampled_from(["", " ", "\n", "Not Applicable", "N/A", "null", "\u200b", "''"]))
def test_nothing_is_never_right(gold, guideline, nothing):
    """Blanks and stand-ins are abstentions, whatever was asked."""
    assert judge(nothing, gold, guideline).reason is Reason.ABSTAINED


@given(decimals, st.integers(1, 6), st.data())
def test_more_digits_are_right_exactly_when_they_round_to_the_gold(gold, further, data):
    """Within half a unit of the last decimal is right, beyond it is wrong."""
    digits = data.draw(st.integers(1, 10**further - 1))
    away = f"{gold}{digits:0{further}d}"
    assert judge(away, gold).ea is (digits <= 5 * 10 ** (further - 1))
