"""One spelling for what a reader takes for the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coda_bench.answers.text import canonical, canonical_name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  A \t b\n", "a b"),
        ("−5", "-5"),
        ("80–125", "80-125"),
        ("“x” ‘y’", "\"x\" 'y'"),
        ("３８％", "38%"),
        ("38\u00a0%", "38 %"),
        ("1\u202f234\u00a0567", "1,234,567"),
        ("1’234", "1,234"),
        ("12\u00a034", "12 34"),
        ("Sa\u0303o", "são"),
        ("m²", "m^2"),
        ("10²", "10^2"),
        (r"28\% \$5", "28% $5"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("2013/14", "2013/2014"),
        ("2013/15", "2013/15"),
        ("1999/00", "1999/2000"),
        ("Straße", "strasse"),
        ("≥5", ">=5"),
    ],
)
def test_spellings_become_one(text, expected):
    """Unicode forms, dashes, quotes, blanks between thousands, seasons, escapes and case."""
    assert canonical(text) == expected


@given(st.text(max_size=100))
def test_a_canonical_text_has_no_white_space_to_spare(text):
    """Blanks are single and never at an edge, whatever came in."""
    result = canonical(text)
    assert "  " not in result
    assert result == result.strip()


@pytest.mark.parametrize("name", ["us", "united states", "united states of america"])
def test_countries_have_one_name(name):
    """The table is small and whole names only."""
    assert canonical_name(name) == "usa"
    assert canonical_name(f"{name} virgin islands") == f"{name} virgin islands"
