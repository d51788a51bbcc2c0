"""Near-duplicates: where the threshold lies, counted by hand, and which of several stays."""

import pytest

from coda_bench.construct.corpus.fold import folded


def words(number: int, *changed: int) -> str:
    """Return so many tokens, all different; those at the places named are others."""
    return " ".join(f"other{place}" if place in changed else f"a{place}" for place in range(number))


@pytest.mark.parametrize(("number", "is_folded"), [(98, False), (99, True), (100, True)])
def test_nine_tenths_is_the_threshold(number, is_folded):
    """N tokens have n - 4 runs of five; one changed in the middle takes 5: (n - 9) / (n + 1), 0.9 for n = 99."""
    repeats = folded({"a": words(number), "b": words(number, 50)})
    assert repeats == ({"b": "a"} if is_folded else {})


def test_the_first_by_name_stays_whatever_the_order():
    """So that a corpus read from another disk folds alike."""
    codes = {"c": words(20), "a": words(20), "b": words(20)}
    assert folded(codes) == folded(dict(sorted(codes.items()))) == {"b": "a", "c": "a"}


def test_likeness_is_to_one_that_stays():
    """B is like a, c is like b but not like a (two changes of 120 tokens: 106 / 126): c stays, no chain is drawn."""
    assert folded({"a": words(120), "b": words(120, 40), "c": words(120, 40, 80)}) == {"b": "a"}


def test_comments_and_layout_do_not_tell_notebooks_apart():
    """Nor does code that is too short for a run of five: equal is equal."""
    assert folded({"a": "x=1\n", "b": "# mine\nx = 1\n\n"}) == {"b": "a"}
    assert folded({"a": "x=1\n", "b": "x = 2"}) == {}


def test_notebooks_without_code_are_not_alike():
    """They have nothing in common but that."""
    assert folded({"a": "", "b": "# only a comment", "c": ""}) == {}


def test_above_one_nothing_is_folded():
    """Not even equal ones."""
    assert folded({"a": "x = 1", "b": "x = 1"}, similarity=1.1) == {}


@pytest.mark.parametrize("code", ["'''open", "print 'x'\nif", "\tx\n  y\n z", "0777 $ ?", "(" * 500])
def test_code_that_has_no_tokens_of_today_is_compared_by_words(code):
    """Two copies of it are still one."""
    assert folded({"a": code, "b": code}) == {"b": "a"}
