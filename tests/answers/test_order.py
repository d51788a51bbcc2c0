"""What may change places: sets, ties and pairs in no stated order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coda_bench.answers.order import matching
from coda_bench.answers.verdict import judge
from coda_bench.records.scores import Reason

RANKED = "Format: Country1; Count1; Country2; Count2. List the country with the highest count first."
UNORDERED = "Format: Country1; Count1; Country2; Count2."
ALPHABETIC = "Format: Country1; Count1; Country2; Count2, in alphabetical order."
ROLES = "Format: Lowest State; Lowest Rate; Highest State; Highest Rate."


@pytest.mark.parametrize(
    ("prediction", "gold", "guideline", "right"),
    [
        ("B; 5; A; 5", "A; 5; B; 5", RANKED, True),
        ("B; 4; A; 5", "A; 5; B; 4", RANKED, False),
        ("B; 5; A; 5", "A; 5; B; 5", ALPHABETIC, False),
        ("B; 5; A; 5", "A; 5; B; 5", ROLES, False),
        ("B; 4; A; 5", "A; 5; B; 4", UNORDERED, True),
        ("B; 5; A; 4", "A; 5; B; 4", UNORDERED, False),
        ("A; 5; A; 5", "A; 5; B; 5", RANKED, False),
        ("b: 2%; a: 2%; c: 1%", "a: 2%; b: 2%; c: 1%", "In descending order.", True),
        ("c: 1%; a: 2%; b: 2%", "a: 2%; b: 2%; c: 1%", "In descending order.", False),
        ("3; 2; 1", "1; 2; 3", "Three integers, in any order.", True),
        ("3; 2; 2", "1; 2; 3", "Three integers, in any order.", False),
    ],
)
def test_ties_and_unordered_blocks_may_change_places(prediction, gold, guideline, right):
    """Equal neighbours of a ranking tie; blocks without a stated order permute; values stay with their names."""
    verdict = judge(prediction, gold, guideline)
    assert verdict.ea is right
    assert verdict.reason is Reason.MATCH if right else verdict.reason is not Reason.MATCH


@given(st.permutations(range(6)), st.integers(0, 5))
def test_a_matching_is_found_exactly_where_there_is_one(order, hole):
    """A permutation is found; taking all partners from one thing leaves none."""
    assert matching(6, lambda one, other: order[one] == other)
    assert not matching(6, lambda one, other: one != hole and order[one] == other)
