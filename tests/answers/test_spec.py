"""What gold and guideline ask of an answer."""

import pytest

from coda_bench.answers.spec import FieldType, compile_spec


@pytest.mark.parametrize(
    ("gold", "types"),
    [
        ("7", ["integer"]),
        ("1,234", ["integer"]),
        ("0.613", ["decimal"]),
        ("6.5e-07", ["decimal"]),
        ("38%", ["percent"]),
        ("$46.99; 4.1", ["currency", "decimal"]),
        ("9 hours", ["number_with_unit"]),
        ("80-125 minutes", ["range"]),
        ("March 2017 to March 2018", ["range"]),
        ("2020-03-19", ["date"]),
        ("29 April; 10452", ["date", "integer"]),
        ("0.000; Yes", ["decimal", "yes_no"]),
        ("Juventus; 91", ["text", "integer"]),
        ("TV-14", ["text"]),
        ("Accepted: 360 (85%)", ["mixed"]),
    ],
)
def test_the_gold_gives_the_type_of_each_field(gold, types):
    """Fields are cut at semicolons and typed by what they hold."""
    assert [field.type for field in compile_spec(gold).fields] == [FieldType(name) for name in types]


def test_a_separator_at_the_end_makes_no_field():
    """`12;` has one field."""
    assert len(compile_spec("12;").fields) == 1


@pytest.mark.parametrize(
    ("guideline", "rule", "expected"),
    [
        ("List the two labels in alphabetical order.", "states_order", True),
        ("List the two labels, separated by a semicolon.", "states_order", False),
        ("", "states_order", True),
        ("The rate, rounded.", "speaks_of_percent", True),
        ("A count.", "speaks_of_percent", False),
        ("Format with commas (e.g., 10,000).", "needs_thousands", True),
        ("An integer without commas.", "needs_thousands", False),
        ("An integer without commas.", "forbids_thousands", True),
        ("With or without thousand separators, e.g. 120,000.", "needs_thousands", False),
        ("With or without thousand separators.", "forbids_thousands", False),
        ("Round to 2 decimal places.", "fixes_decimals", True),
        ("Round to 2 decimals (trailing zeros may be omitted).", "fixes_decimals", False),
        ("The value.", "fixes_decimals", False),
        ("State name (or abbreviation).", "allows_abbreviation", True),
    ],
)
def test_the_guideline_gives_the_rules(guideline, rule, expected):
    """Each rule is read from the guideline's own words."""
    assert getattr(compile_spec("A; B", guideline).rules, rule) is expected


def test_lists_may_permute_only_where_nothing_states_an_order():
    """A list of texts without an order, and a question without one."""
    guideline = "List the two exact labels, separated by a semicolon."
    assert compile_spec("A; B", guideline).rules.fields_may_permute
    assert not compile_spec("A; B", guideline, "Rank them in order.").rules.fields_may_permute
    assert not compile_spec("A; 5", guideline).rules.fields_may_permute
    assert not compile_spec("A; B", "Answer format: Winner; Loser.").rules.fields_may_permute


def test_a_label_counts_as_given_away_only_when_the_guideline_has_it():
    """`Male: 88%` may come as `88%` where the guideline spells the label."""
    assert compile_spec("Male: 88%", "Format: 'Male: [Integer]%'").fields[0].label
    assert not compile_spec("Male: 88%", "Format: 'Gender: Percentage'").fields[0].label
