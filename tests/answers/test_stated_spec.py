"""What a task may state about its answer beyond gold and guideline."""

import pytest
from pydantic import ValidationError

from coda_bench.answers.verdict import judge, spec_of
from coda_bench.records.answer_spec import StatedSpec


@pytest.mark.parametrize(
    ("stated", "gold", "prediction", "right"),
    [
        ({"accepted": ["7; B"]}, "5; A", "7; b", True),
        ({"accepted": ["7; B"]}, "5; A", "7; a", False),
        ({"fields": [{}, {"accepted": ["Women"]}]}, "5; Female", "5; women", True),
        ({"fields": [{"interval": ["0.80", "0.84"]}]}, "0.82", "0.805", True),
        ({"fields": [{"interval": ["0.80", "0.84"]}]}, "0.82", "0.85", False),
        ({"fields": [{"interval": ["80", "84"]}]}, "82%", "0.82", False),
        ({"fields": [{"interval": ["80", "84"]}]}, "82%", "80.5%", True),
        ({"order": "set"}, "1; 2", "2; 1", True),
        ({"order": "list"}, "A; B", "B; A", False),
        ({"ties": [[[0], [1]]]}, "1; 2; 3", "2; 1; 3", True),
        ({"ties": [[[0], [1]]]}, "1; 2; 3", "3; 2; 1", False),
        ({"separator": ","}, "1, 2", "1; 2", True),
        ({"fields": [{"unit": "loans"}]}, "12", "12 loans", True),
        ({"fields": [{"unit": "loans"}]}, "12", "12 people", False),
        ({"fields": [{"rounding": "exact"}]}, "12.5", "12.51", False),
    ],
)
def test_a_stated_spec_goes_before_what_is_read(stated, gold, prediction, right):
    """Further answers, intervals, order, ties, separator, units and rounding are as stated."""
    spec = StatedSpec.model_validate(stated)
    guideline = "List the two labels separated by a semicolon."
    assert judge(prediction, gold, guideline, stated=spec).ea is right


@pytest.mark.parametrize(
    "stated",
    [
        {"format_version": 2},
        {"unknown": 1},
        {"ties": [[[0], [1, 2]]]},
        {"ties": [[[0], [0]]]},
        {"ties": [[]]},
        {"ties": [[[-1], [0]]]},
        {"fields": [{"interval": ["2", "1"]}]},
        {"fields": [{"interval": ["NaN", "1"]}]},
        {"accepted": [""]},
        {"order": "bag"},
    ],
)
def test_a_malformed_spec_is_refused(stated):
    """Nothing is guessed about a spec that cannot be read."""
    with pytest.raises(ValidationError):
        StatedSpec.model_validate(stated)


def test_the_hash_changes_with_all_that_decides_a_verdict():
    """Gold, guideline, question and what is stated enter; equal specs hash alike."""
    base = spec_of("5", "An integer.", question="How many?")
    assert base.sha256 == spec_of("5", "An integer.", question="How many?").sha256
    others = [
        spec_of("6", "An integer.", question="How many?"),
        spec_of("5", "One integer.", question="How many?"),
        spec_of("5", "An integer.", question="How few?"),
        spec_of("5", "An integer.", question="How many?", stated=StatedSpec(accepted=("7",))),
        spec_of(
            "5", "An integer.", question="How many?", stated=StatedSpec.model_validate({"fields": [{"unit": "m"}]})
        ),
    ]
    assert len({base.sha256, *(spec.sha256 for spec in others)}) == 6
