"""A spec in words, and answers near a gold with their verdicts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coda_bench.answers.examples import examples
from coda_bench.answers.explain import explain_answer, explain_field
from coda_bench.answers.verdict import judge, spec_of
from coda_bench.records.answer_spec import StatedSpec
from generation.golds import GOLDS


@pytest.mark.parametrize(
    ("gold", "guideline", "words"),
    [
        ("106; 93", "", "2 fields, separated by semicolons"),
        ("106; 93", "", "must be equal: no tolerance"),
        ("26.5", "Round to 1 decimal place.", "is rounded to 1 decimal (a half may go either way)"),
        ("2.3", "Truncated to one decimal place.", "is cut to 1 decimal, not rounded"),
        ("38%", "", "the fraction is wrong (percent_vs_fraction); the sign may be missing"),
        ("0.5%", "", "without the sign it could be a fraction: wrong"),
        ("$5", "", "the currency (USD) may be left out"),
        ("Male: 8%", "Format: 'Male: [Integer]%'.", "the label 'male' may be left out"),
        ("Male: 8%", "", "the label 'male' is needed"),
        ("Yes", "'Yes' or 'No'", "listed: yes, no"),
        ("Women", "Use 'Women' or 'Female' (both are acceptable).", "also right: female"),
        ("A; 5; B; 5", "Name1; Count1; Name2; Count2. Highest first. Format: 'Name1; Count1; Name2; Count2'", "tied"),
        ("1,200", "Formatted with commas (e.g., 10,000).", "thousands separators are asked for"),
        ("3.251", "Round to 2 decimal places.", "the gold breaks its own guideline: decimals"),
    ],
)
def test_what_decides_a_verdict_is_said(gold, guideline, words):
    """Arity, order, tolerance, units, labels, listed texts, ties, form and breaches each have their sentence."""
    spec = spec_of(gold, guideline)
    said = [*explain_answer(spec), *(text for field in spec.fields for text in explain_field(field, spec.rules))]
    assert any(words in text for text in said), said


def test_what_a_task_states_is_said():
    """Further answers, intervals and units."""
    stated = StatedSpec.model_validate({"accepted": ["7"], "fields": [{"interval": ["4", "6"], "unit": "days"}]})
    spec = spec_of("5", stated=stated)
    said = " ".join([*explain_answer(spec), *explain_field(spec.fields[0], spec.rules)])
    assert "also right: 7" in said
    assert "anything from 4 to 6 is right" in said
    assert "the unit days may be written or left out" in said


@pytest.mark.parametrize("gold", GOLDS, ids=lambda gold: gold.answer)
def test_examples_carry_the_verdicts_of_the_scorer(gold):
    """They are judged, not promised; some are right, some are wrong."""
    spec = spec_of(gold.answer, gold.guideline, question=gold.question)
    found = examples(spec)
    for example in found:
        assert example.verdict == judge(example.answer, gold.answer, gold.guideline, question=gold.question)
    assert {example.verdict.ea for example in found} == {True, False}


@given(st.text(max_size=60), st.text(max_size=60))
def test_every_spec_can_be_explained(gold, guideline):
    """No gold and no guideline raises."""
    spec = spec_of(gold, guideline)
    explain_answer(spec)
    examples(spec)
    assert all(explain_field(field, spec.rules) for field in spec.fields)
