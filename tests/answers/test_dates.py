"""Dates that can be read in one way only."""

import pytest

from coda_bench.answers.dates import Date, match_date


@pytest.mark.parametrize(
    ("text", "year", "month", "day"),
    [
        ("2020-03-19", 2020, 3, 19),
        ("2020/3/9", 2020, 3, 9),
        ("2020-03-19 00:00:00", 2020, 3, 19),
        ("2020-03-19t00:00", 2020, 3, 19),
        ("2020-03", 2020, 3, None),
        ("march 19, 2020", 2020, 3, 19),
        ("mar. 19 2020", 2020, 3, 19),
        ("19 march 2020", 2020, 3, 19),
        ("19th of march, 2020", 2020, 3, 19),
        ("10th december", None, 12, 10),
        ("april 29", None, 4, 29),
        ("sept 2019", 2019, 9, None),
        ("may 2020", 2020, 5, None),
    ],
)
def test_notations_of_a_date(text, year, month, day):
    """Each notation is read whole."""
    date, end = match_date(text, 0)
    assert date[:3] == (year, month, day)
    assert end == len(text)


@pytest.mark.parametrize("text", ["03/04/2020", "2020", "2008-2014", "march", "2020-13-01", "2020-02-45", "marching 5"])
def test_what_is_no_date_beyond_doubt(text):
    """Ambiguous, impossible and partial forms are left to be read as text or numbers."""
    assert match_date(text, 0) is None


def test_notation_does_not_matter_for_equality():
    """The same day written in two ways is the same day; a day without a year is another thing."""
    assert Date(2020, 3, 19, "iso").same_as(Date(2020, 3, 19, "day month"))
    assert not Date(None, 3, 19, "iso").same_as(Date(2020, 3, 19, "iso"))
