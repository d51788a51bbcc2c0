"""Validation: every finding at once, with its place."""

import json

import pytest

from coda_bench import load_predictions, validate
from coda_bench.errors import BadInput
from coda_bench.records.findings import FindingKind, Severity, ValidationReport
from coda_bench.score.validate import MOST_LISTED

THREE = [{"instance_id": n, "prediction": "x"} for n in range(3)]


def places(report):
    """Return kind, line and id of each finding."""
    return [(finding.kind.value, finding.line, finding.instance_id) for finding in report.findings]


def test_a_clean_file_has_no_findings(pred_file, gold_file):
    """Every id once, and the counts are right."""
    report = validate(pred_file(THREE), gold_file)
    assert report.is_clean
    assert (report.n_lines, report.n_valid, report.n_gold, report.n_errors) == (3, 3, 3, 0)


def test_all_findings_come_at_once_with_line_and_id(pred_file, gold_file):
    """One pass over a file with many defects names them all."""
    content = (
        b'\xef\xbb\xbf{"instance_id": 0, "prediction": "x"}\r\n'
        b"\n"
        b'{"instance_id": 0, "prediction": "y"}\n'
        b'{"instance_id": 7, "prediction": "z"}\n'
        b'{"instance_id": 1, "prediction": 5}\n'
        b"{not json}\n"
    )
    report = validate(pred_file(content), gold_file)
    assert places(report) == [
        ("bom", 1, 0),
        ("crlf", 1, 0),
        ("blank_line", 2, None),
        ("duplicate_id", 3, 0),
        ("unknown_id", 4, 7),
        ("wrong_type", 5, 1),
        ("not_json", 6, None),
        ("missing_id", None, 2),
    ]
    assert report.n_valid == 3


def test_errors_and_warnings_are_told_apart(pred_file, gold_file):
    """Untidiness and missing ids warn; what breaks the document's rules is an error."""
    report = validate(pred_file(b'{"instance_id": 0, "prediction": "x"}\r\n'), gold_file)
    assert {finding.severity for finding in report.findings} == {Severity.WARNING}
    assert report.n_errors == 0
    assert not report.is_clean


def test_an_empty_file_is_a_finding(pred_file, gold_file):
    """With every id missing besides."""
    report = validate(pred_file(b""), gold_file)
    assert report.counts == {FindingKind.EMPTY_FILE: 1, FindingKind.MISSING_ID: 3}


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(THREE),
        json.dumps(THREE, indent=2),
        "\ufeff" + json.dumps(THREE, indent=2),
        "\n\n" + json.dumps(THREE),
    ],
)
def test_an_array_instead_of_lines_is_one_finding(pred_file, gold_file, content):
    """Compact or indented: said once, not once a line."""
    report = validate(pred_file(content), gold_file)
    assert report.counts[FindingKind.JSON_ARRAY] == 1
    assert report.counts.keys() <= {FindingKind.JSON_ARRAY, FindingKind.BLANK_LINE}


def test_a_list_in_a_later_line_is_no_array_file(pred_file, gold_file):
    """The file goes on being read."""
    rows = [THREE[0], [THREE[1]], THREE[2]]
    report = validate(pred_file(rows), gold_file)
    assert places(report) == [("not_an_object", 2, None), ("missing_id", None, 1)]


def test_the_list_of_findings_is_bounded_and_the_counts_are_not(pred_file, gold_file):
    """Beyond ten thousand, findings are counted only."""
    report = validate(pred_file(b"\n" * (MOST_LISTED + 500)), gold_file)
    assert len(report.findings) == MOST_LISTED
    assert report.counts == {FindingKind.BLANK_LINE: MOST_LISTED + 500, FindingKind.MISSING_ID: 3}
    assert report.n_not_listed == 503


def test_a_report_survives_storage(pred_file, gold_file):
    """What `--json` prints reads back equal."""
    report = validate(pred_file(b"x\n"), gold_file)
    assert ValidationReport.from_stored(json.loads(report.model_dump_json()), where="here") == report


@pytest.mark.parametrize("content", ["[]", "{}", "x", "", '[{"instance_id": 0}]', "[1]"])
def test_a_gold_file_that_is_none_is_bad_input(pred_file, tmp_path, content):
    """The message names the file."""
    gold = tmp_path / "gold.json"
    gold.write_text(content)
    with pytest.raises(BadInput, match=r"gold\.json"):
        validate(pred_file(THREE), gold)


def test_load_predictions_accepts_what_reads_in_one_way(pred_file):
    """BOM, CR LF, blank lines and repeated ids stop nobody; all lines come back in order."""
    content = b'\xef\xbb\xbf{"instance_id": 5, "prediction": "a"}\r\n\n{"instance_id": 5, "prediction": "b"}'
    assert [one.prediction for one in load_predictions(pred_file(content))] == ["a", "b"]


def test_load_predictions_names_the_first_bad_line_and_the_count(pred_file):
    """With the id, and where to see the rest."""
    rows = [THREE[0], {"instance_id": 1, "prediction": 5}, {}]
    with pytest.raises(BadInput, match=r"2 lines are not .*line 2 \(instance_id 1\): prediction: must be a string"):
        load_predictions(pred_file(rows))


def test_load_predictions_refuses_an_array(pred_file):
    """Even though Python could read it."""
    with pytest.raises(BadInput, match="JSON array"):
        load_predictions(pred_file(json.dumps(THREE)))


def test_load_predictions_of_an_empty_file_is_empty(pred_file):
    """Every task then counts as missing."""
    assert load_predictions(pred_file(b"")) == []
