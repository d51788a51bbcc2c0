"""What one line of a predictions file holds, and everything that can be wrong with it."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coda_bench.errors import BadInput
from coda_bench.score.lines import parse_line, read_lines


def kinds(raw, number=5):
    """Return the kinds of problem found in a line."""
    return [problem.kind.value for problem in parse_line(raw, number).problems]


GOOD = b'{"instance_id": 3, "prediction": "38%"}\n'


def test_a_good_line_is_a_prediction():
    """No problems, and the fields are there."""
    line = parse_line(GOOD, 1)
    assert line.problems == ()
    assert (line.prediction.instance_id, line.prediction.prediction, line.instance_id) == (3, "38%", 3)


def test_every_optional_field_is_kept():
    """Fields the document names and fields nobody names survive a round trip."""
    metadata = {
        "files_accessed": ["data/community_26/full_community/a/b.csv"],
        "execution_time_seconds": 12.5,
        "code_generated": "print(1)",
        "num_retries": 2,
        "confidence": 0.95,
        "temperature": 0.2,
    }
    row = {"instance_id": 3, "prediction": "38%", "method": "M", "metadata": metadata, "run": {"a": [1]}}
    assert parse_line(json.dumps(row).encode(), 1).prediction.to_row() == row


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'{"instance_id": 3, "prediction": "\xff"}\n', ["bad_utf8"]),
        (b"\xff\xfe{\x00", ["bad_utf8"]),
        (b"\n", ["blank_line"]),
        (b" \t \r\n", ["crlf", "blank_line"]),
        (b'{"instance_id": 3, "prediction": "x"}\r\n', ["crlf"]),
        (b'{"instance_id": 3', ["not_json"]),
        (b'{"instance_id": 3, "prediction": "x"} {}\n', ["not_json"]),
        (b"{'instance_id': 3}\n", ["not_json"]),
        (b'{"instance_id": ' + b"9" * 5000 + b"}\n", ["not_json"]),
        (b'{"instance_id": 3, "prediction": NaN}\n', ["nan_or_infinity"]),
        (b'{"instance_id": 3, "prediction": "x", "metadata": {"confidence": -Infinity}}\n', ["nan_or_infinity"]),
        (b'{"instance_id": 3, "instance_id": 4, "prediction": "x"}\n', ["duplicate_key"]),
        (b'{"instance_id": 3, "prediction": "x", "metadata": {"a": 1, "a": 1}}\n', ["duplicate_key"]),
        (b'{"instance_id": 3, "prediction": "\\ud800"}\n', ["lone_surrogate"]),
        (b'{"instance_id": 3, "prediction": "x", "\\uDFFF": 1}\n', ["lone_surrogate"]),
        (b'{"instance_id": 3, "prediction": "\\ud83d\\ude00"}\n', []),
        (b"[" * 100_000 + b"\n", ["nested_too_deep"]),
        (b'{"a":' * 100_000 + b"\n", ["nested_too_deep"]),
        (b"[1]\n", ["not_an_object"]),
        (b'"38%"\n', ["not_an_object"]),
        (b"null\n", ["not_an_object"]),
        (b"{}\n", ["missing_field", "missing_field"]),
        (b'{"instance_id": 3}\n', ["missing_field"]),
        (b'{"prediction": "x"}\n', ["missing_field"]),
        (b'{"instance_id": 3, "prediction": 38}\n', ["wrong_type"]),
        (b'{"instance_id": 3, "prediction": null}\n', ["wrong_type"]),
        (b'{"instance_id": true, "prediction": "x"}\n', ["wrong_type"]),
        (b'{"instance_id": "3", "prediction": "x"}\n', ["wrong_type"]),
        (b'{"instance_id": 3.0, "prediction": "x"}\n', ["wrong_type"]),
        (b'{"instance_id": null, "prediction": ["x"]}\n', ["wrong_type", "wrong_type"]),
        (b'{"instance_id": ' + b"9" * 50 + b', "prediction": "x"}\n', ["wrong_type"]),
        (b'{"instance_id": 3, "prediction": "x", "metadata": null}\n', ["wrong_type"]),
        (b'{"instance_id": 3, "prediction": "x", "metadata": {"confidence": 1}}\n', []),
        (b'{"instance_id": 3, "prediction": "x", "metadata": {"confidence": "0.9"}}\n', ["wrong_type"]),
        (
            b'{"instance_id": 3, "prediction": "x", "metadata": {"execution_time_seconds": 1e999}}\n',
            ["nan_or_infinity"],
        ),
        (b'{"instance_id": 3, "prediction": "x", "cost": 1e999}\n', ["nan_or_infinity"]),
        (b'{"instance_id": 3, "prediction": "x", "metadata": {"files_accessed": "a.csv"}}\n', ["wrong_type"]),
        (b'{"instance_id": 3, "prediction": "x", "metadata": {"files_accessed": ["a", 1]}}\n', ["wrong_type"]),
    ],
)
def test_what_is_wrong_is_named(raw, expected):
    """One problem a defect, and nothing else."""
    assert kinds(raw) == expected


def test_a_byte_order_mark_counts_on_the_first_line_only():
    """Elsewhere it is not JSON."""
    assert kinds(b"\xef\xbb\xbf" + GOOD, 1) == ["bom"]
    assert parse_line(b"\xef\xbb\xbf" + GOOD, 1).prediction is not None
    assert kinds(b"\xef\xbb\xbf" + GOOD, 2) == ["not_json"]


def test_messages_are_short_and_name_the_field():
    """A huge value does not flood the message."""
    (problem,) = parse_line(json.dumps({"instance_id": "9" * 10_000, "prediction": "x"}).encode(), 1).problems
    assert problem.message.startswith("instance_id: must be an integer, not string")
    assert len(problem.message) < 200


def test_the_id_is_known_even_where_another_field_is_wrong():
    """So that the finding can name its task, and the task is not reported missing besides."""
    assert parse_line(b'{"instance_id": 3, "prediction": 38}', 1).instance_id == 3


def test_every_defect_of_a_line_is_named_at_once():
    """What Python would read although it is not JSON does not hide the rest."""
    raw = b'{"instance_id": 3, "a": NaN, "b": {"c": 1, "c": 2, "d": 1, "d": 1}, "method": "\\ud800", "prediction": 5}'
    assert kinds(raw) == ["nan_or_infinity", "duplicate_key", "duplicate_key", "lone_surrogate", "wrong_type"]
    assert parse_line(raw, 1).prediction is None


@pytest.mark.parametrize(
    ("raw", "instance_id"),
    [
        (b'{"instance_id": 3, "prediction": NaN}', 3),
        (b'{"prediction": "\\ud800", "instance_id": 3}', 3),
        (b'{"instance_id": 3, "instance_id": 3, "prediction": "x"}', 3),
        (b'{"instance_id": 3, "instance_id": 4, "prediction": "x"}', None),
        (b'{"instance_id": 3, "prediction": "\xff"}', 3),
        (b'{"instance_id": 3, "prediction": "x"', 3),
        (b'{"instance_id": 33333333333333333333333333, "prediction": "x"', None),
        (b'{"prediction": "instance_id: 3"', None),
    ],
)
def test_malformed_lines_name_their_task(raw, instance_id):
    """Where the line says beyond doubt which one it is."""
    line = parse_line(raw, 1)
    assert line.prediction is None
    assert line.instance_id == instance_id


def test_a_line_too_long_is_skipped_unread(tmp_path):
    """The lines round it are read, and its true length is said."""
    path = tmp_path / "p.jsonl"
    path.write_bytes(GOOD + b'{"instance_id": 4, "prediction": "' + b"x" * 5000 + b'"}\n' + GOOD)
    lines = list(read_lines(path, longest_bytes=1000))
    assert [line.prediction is not None for line in lines] == [True, False, True]
    assert [line.number for line in lines] == [1, 2, 3]
    assert lines[1].problems[0].message == "line of 5,037 bytes; at most 1,000 are read"


def test_a_line_of_just_the_limit_is_read(tmp_path):
    """The limit counts the content, not the line break."""
    path = tmp_path / "p.jsonl"
    path.write_bytes(GOOD)
    assert next(read_lines(path, longest_bytes=len(GOOD) - 1)).prediction is not None
    assert next(read_lines(path, longest_bytes=len(GOOD) - 2)).prediction is None


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_what_cannot_be_read_is_bad_input(tmp_path, name):
    """A missing file and a directory are told apart from findings."""
    with pytest.raises(BadInput, match=r"cannot be read|directory"):
        list(read_lines(tmp_path / name))


def test_a_device_is_refused(tmp_path):
    """An endless device would never end."""
    link = tmp_path / "zero"
    link.symlink_to("/dev/zero")
    with pytest.raises(BadInput, match="no regular file"):
        list(read_lines(link))


@given(st.binary(max_size=300))
def test_any_bytes_give_lines_with_problems_or_a_prediction(data):
    """No content raises; a line without a prediction says why."""
    for number, raw in enumerate(io.BytesIO(data), 1):
        line = parse_line(raw, number)
        assert line.prediction is not None or line.problems


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["instance_id", "prediction", "method", "metadata", "x"]), json_values))
def test_any_object_is_a_prediction_or_has_problems(row):
    """Whatever the types of the fields: accepted rows come back as they were."""
    line = parse_line(json.dumps(row).encode(), 1)
    assert (line.prediction is None) is bool(line.problems)


@given(st.integers(-(2**62), 2**62), st.text(), st.dictionaries(st.text(min_size=1), json_values, max_size=3))
def test_predictions_come_back_as_they_were(instance_id, text, extra):
    """Unknown fields included, whatever they hold."""
    row = {**extra, "instance_id": instance_id, "prediction": text}
    row.pop("metadata", None)
    row.pop("method", None)
    assert parse_line(json.dumps(row).encode(), 2).prediction.to_row() == row
