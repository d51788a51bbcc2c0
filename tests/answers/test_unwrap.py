"""Wrappers round a whole answer come off; nothing is looked for inside prose."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coda_bench.answers.refusals import has_no_value, is_abstention
from coda_bench.answers.unwrap import list_lines
from coda_bench.answers.unwrap import unwrapped as readings


@pytest.mark.parametrize(
    "wrapped",
    [
        "106; 93",
        "**106; 93**",
        '"106; 93"',
        "'106; 93'",
        "`106; 93`",
        "```\n106; 93\n```",
        "```text\n106; 93\n```",
        "Answer: 106; 93",
        "The final answer is 106; 93",
        "**Answer:** 106; 93",
        "**Answer: 106; 93**",
        "So, the answer is: **106; 93**",
        '{"answer": "106; 93"}',
        '{"answer": [106, 93]}',
        '["106", 93]',
        '```json\n{"answer": "106; 93"}\n```',
        '"\\"106; 93\\""',
        r"\boxed{106; 93}",
        "  (106; 93)  ",
    ],
)
def test_one_wrapper_after_the_other_comes_off(wrapped):
    """The last reading is the bare answer."""
    assert list(readings(wrapped))[-1] == "106; 93"


@pytest.mark.parametrize(
    "text",
    [
        "I think the answer is 5",
        '{"answer": "5", "confidence": 1}',
        '{"x": 5}',
        '{"answer": [[5]]}',
        "[]",
        "[5, null]",
        '{"answer": null}',
        '{"answer": true}',
        '"a" and "b"',
        "(a) or (b)",
        "Answers vary",
    ],
)
def test_what_is_no_wrapper_stays(text):
    """A sentence, an object with more in it, quotes of parts: only one reading."""
    assert list(readings(text)) == [text]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\n\n b", ["a", "b"]),
        ("- a\n- b", ["a", "b"]),
        ("* 1\n* 2", ["1", "2"]),
        ("1. a\n2. b", ["a", "b"]),
        ("1) 5\n2) 6", ["5", "6"]),
        ("- 5\n- 6", ["- 5", "- 6"]),
        ("1. a\nb", ["1. a", "b"]),
        ("1.5\n2.5", ["1.5", "2.5"]),
    ],
)
def test_bullets_come_off_where_every_line_has_one(text, lines):
    """A hyphen before a number may be its sign, and stays."""
    assert list_lines(text) == lines


def test_numbers_in_json_keep_their_decimals():
    """The number is what was written, not what a float prints."""
    assert list(readings('{"answer": 2.50}'))[-1] == "2.50"


def test_wrappers_are_taken_off_a_bounded_number_of_times():
    """A text of nothing but wrappers ends."""
    assert len(list(readings("Answer: " * 50 + "5"))) <= 7


@given(st.text(max_size=80).filter(lambda text: text.strip() == text and text))
def test_a_json_string_gives_its_content(text):
    """Whatever a JSON string holds is among the readings."""
    assert text.strip() in [reading.strip() for reading in readings(json.dumps(text))]


@given(st.text(max_size=500))
def test_any_text_has_a_first_reading(text):
    """No text raises; the first reading is the stripped text itself."""
    assert next(readings(text)) == text.strip()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "n/a",
        "na",
        "not applicable",
        "not applicable.",
        "null",
        "none",
        "nan",
        "-inf",
        "unknown",
        "i don't know",
        "i cannot determine this from the data",
        "sorry, no file was found",
        "unable to answer",
        "(no response for this id)",
    ],
)
def test_declining_is_recognised(text):
    """Blanks, stand-ins and refusals are abstentions."""
    assert is_abstention(text)


@pytest.mark.parametrize(
    "text", ["0", "no", "nancy", "nonesuch", "information", "unknown pleasures", "5; not applicable"]
)
def test_answers_are_no_abstention(text):
    """Words that begin like one are answers."""
    assert not is_abstention(text)


def test_a_gold_without_value_is_recognised():
    """A gold of NaN or nothing could never be met; `none` may be a label."""
    assert all(map(has_no_value, ("", "nan", "null", "-inf")))
    assert not has_no_value("none")
