"""Lists, tuples and dictionaries as they are printed, read and never evaluated."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coda_bench.answers.literals import flat_literal
from coda_bench.answers.verdict import judge


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("['106', 93]", ("106", "93")),
        ("('India', 5)", ("India", "5")),
        ("[('India', 5), ('USA', 3)]", ("India", "5", "USA", "3")),
        ("{'India': 5}", ("India", "5")),
        ("np.float64(3.14)", ("3.14",)),
        ("[np.int64(3), np.float64(-2.5e-07)]", ("3", "-2.5e-07")),
        ("Timestamp('2020-01-05 00:00:00')", ("2020-01-05",)),
        ("Timestamp('2020-01-05 07:30:00')", ("2020-01-05 07:30:00",)),
        ("['it\\'s', \"a\"]", ("it's", "a")),
        ("[38%, .5]", ("38%", ".5")),
    ],
)
def test_printed_values_are_read_flat(text, items):
    """Texts and numbers come out as written, in order."""
    found = flat_literal(text)
    assert found is not None
    assert found.items == items


@pytest.mark.parametrize(
    "text", ["", "5", "[5", "5]", "[5)", "[a]", "f(5)", "[]", "{'a': 1, 'b'}", "[1] and [2]", "[__import__('os')]"]
)
def test_anything_else_is_no_literal(text):
    """Words, calls, unbalanced brackets and empty lists are left alone."""
    assert flat_literal(text) is None


@given(st.recursive(st.text(max_size=5) | st.integers(-99, 99), lambda inner: st.lists(inner, min_size=1, max_size=3)))
def test_what_python_prints_is_read_back(value):
    """Every nested list of texts and integers yields its leaves."""

    def leaves(one):
        return [leaf for part in one for leaf in leaves(part)] if isinstance(one, list) else [str(one)]

    if isinstance(value, list) and all(text.isprintable() and "\\" not in text for text in leaves(value)):
        found = flat_literal(repr(value))
        assert found is not None
        assert list(found.items) == leaves(value)


@pytest.mark.parametrize(
    ("prediction", "gold", "guideline", "right"),
    [
        ("[('India', 5), ('USA', 3)]", "India; 5; USA; 3", "", True),
        ('{"India": 5, "USA": 3}', "India; 5; USA; 3", "", True),
        ('{"country": "India", "count": 5}', "India; 5", "Format: Country; Count.", True),
        ('{"loser": "A", "winner": "B"}', "A; B", "Format: Winner; Loser.", False),
        ('{"winner": "A", "loser": "B"}', "A; B", "Format: Winner; Loser.", True),
        ('{"Male": "88%", "Female": "12%"}', "Male: 88%; Female: 12%", "", True),
        ('{"Female": "88%", "Male": "12%"}', "Male: 88%; Female: 12%", "", False),
        ("[1, 2]", "12", "", False),
    ],
)
def test_literals_are_answers_when_their_keys_agree(prediction, gold, guideline, right):
    """Keys are labels: contradicting the guideline's names they refuse the answer."""
    assert judge(prediction, gold, guideline).ea is right
    assert judge(json.dumps(prediction), gold, guideline).ea is right
