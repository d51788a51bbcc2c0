"""Numbers in stored outputs: which there are, and whether one of them is a value at the digits shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coda_bench.tasks.anchors.grid import read_grid
from coda_bench.tasks.anchors.shown import agree, is_shown, numbers, without_noise


def texts(line):
    return [one.text for one in numbers(line)]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("mean: 3.50 of 1,234 rows", ["3.50", "1,234"]),
        ("-4 and \u22124.5", ["-4", "\u22124.5"]),
        ("2.5e-03 1E6", ["2.5e-03", "1E6"]),
        ("array([1., 2.5])", ["1.", "2.5"]),
        ("v1.2.3 x7 q3", []),
        ("Q1 2020-01-05", ["2020", "01", "05"]),
        ("1,2,3", ["1", "2", "3"]),
        ("75%", ["75"]),
        ("no digits", []),
    ],
)
def test_numbers_of_a_text_are_those_that_stand_by_themselves(line, found):
    assert [one.lstrip("-") if line.startswith("Q1") else one for one in texts(line)] == found


@pytest.mark.parametrize(
    ("value", "text", "verdict"),
    [
        (("f", 0.38461), "0.38", False),
        (("f", 0.38461), "0.39", None),
        (("f", 0.38461), "38.5%", True),
        (("f", 38.461), "38.5%", False),
        (("i", 3), "3", False),
        (("i", 3), "3.0", False),
        (("i", 3), "4", None),
        (("f", 1234.5), "1,234.5", False),
        (("f", 0.004), "0", None),
        (("f", 0.0), "0.00", False),
        (("f", 2.5e-7), "2.5e-07", False),
        (("s", "3"), "3", None),
        (("b", True), "1", None),
    ],
)
def test_a_number_shows_a_value_that_rounds_to_it(value, text, verdict):
    assert is_shown(value, next(numbers(text))) is verdict


@given(st.floats(-1e9, 1e9, allow_nan=False), st.integers(0, 8))
def test_every_value_is_shown_by_its_own_rounding(value, decimals):
    text = f"{value:.{decimals}f}"
    shown = list(numbers(text))
    if float(text) != 0 or value == 0:
        assert [is_shown(("f", value), one) for one in shown] == [False]


@given(st.floats(-1e6, 1e6, allow_nan=False), st.integers(1, 6))
def test_no_value_is_shown_by_the_rounding_of_one_a_unit_away(value, decimals):
    other = value + 1.2 * 10.0**-decimals
    assert is_shown(("f", value), next(numbers(f"{other:.{decimals}f}"))) is None


def test_outputs_agree_word_for_word_but_for_types_lengths_and_the_last_digit():
    assert agree("a  1.50\nName: x, dtype: int64", "a 1.50\nName: x, Length: 1, dtype: int32")
    assert agree("0.333333", "0.33333333")
    assert agree("[np.float64(1.5)]", "[1.5]")
    assert not agree("a 1.50", "b 1.50")
    assert not agree("a 1.50", "a 1.51")
    assert not agree("12", "13")
    assert not agree("1 2", "1 2 3")


def test_dtype_and_size_lines_are_noise():
    assert without_noise("x\ndtype: float64\n[5 rows x 3 columns]\ny").split() == ["x", "y"]


HTML = """
<table border="1" class="dataframe"><thead>
<tr><th></th><th></th><th colspan="2">mass</th><th>n</th></tr>
<tr><th></th><th></th><th>mean</th><th>max</th><th></th></tr></thead>
<tbody><tr><th rowspan="2">Adelie</th><th>Dream</th><td>3800.0</td><td>3900</td><td>2</td></tr>
<tr><th>Biscoe</th><td>3475.0</td><td>3550</td><td>2</td></tr></tbody></table>
"""


def test_a_stored_table_is_a_grid_by_all_levels_of_its_labels():
    grid = read_grid(HTML)
    assert grid.at(["Adelie", "Dream"], ["mass", "mean"]) == "3800.0"
    assert grid.at(["Adelie", "Biscoe"], ["mass", "max"]) == "3550"
    assert grid.at(["Adelie", "Biscoe"], ["n"]) == "2"
    assert grid.at(["Gentoo", "Biscoe"], ["n"]) is None


def test_labels_that_stand_twice_name_no_cell():
    row = "<tr><th>a</th><td>1</td></tr>"
    assert read_grid(f"<table><tr><th></th><th>x</th></tr>{row}{row}</table>").at(["a"], ["x"]) is None


@given(st.text(alphabet="<>/tabledhr =\"'0123456789\n", max_size=200))
def test_any_html_is_read_without_an_error(text):
    read_grid(text)


def test_a_table_that_claims_to_be_endless_costs_no_more_than_its_text():
    assert read_grid('<table><tr><td rowspan="9999" colspan="9999">1</td></tr></table>').cells == {}
