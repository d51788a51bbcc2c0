"""Targets, predictions, attempts, access and scores as records."""

import pytest
from pydantic import ValidationError

from coda_bench.errors import BadInput
from coda_bench.records.access import CommandAccess, CommandEnd, file_access, final_computation
from coda_bench.records.attempt import Attempt, AttemptStatus
from coda_bench.records.findings import FindingKind, Severity
from coda_bench.records.prediction import Prediction
from coda_bench.records.run import Limits, RunConfig
from coda_bench.records.targets import load_targets


def command(index, opened=(), *, exit_code=0, complete=True):
    """Return a command that opened the files given."""
    return CommandAccess(
        index=index,
        command="python x.py",
        started_s=index,
        seconds=1,
        exit_code=exit_code,
        ended_by=CommandEnd.EXIT,
        complete=complete,
        listed=(f"d{index}",),
        opened=tuple(opened),
    )


@pytest.fixture
def targets_file(tmp_path):
    def write(*lines):
        path = tmp_path / "targets.jsonl"
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


def test_targets_are_read_from_plain_rows_and_from_provenance(targets_file):
    """Paths alone or with hash and size; other keys are ignored; no files means not known."""
    path = targets_file(
        '{"instance_id": 1, "target_files": ["a/x.csv"]}',
        '{"instance_id": 2, "target_files": [{"path": "b/y.csv", "sha256": "0", "bytes": 1}], "derivation": "d"}',
        '{"instance_id": 3, "target_files": []}',
    )
    assert load_targets(path) == {1: ("a/x.csv",), 2: ("b/y.csv",)}


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("[]", "targets.jsonl:1"),
        ('{"instance_id": "1", "target_files": []}', "instance_id"),
        ('{"instance_id": 1}', "target_files: Field required"),
        ('{"instance_id": 1, "target_files": "a.csv"}', "target_files"),
        ('{"instance_id": 1, "target_files": [5]}', "target_files.0"),
    ],
)
def test_malformed_targets_are_placed(targets_file, line, fault):
    """File, line and field."""
    with pytest.raises(BadInput, match=fault):
        load_targets(targets_file(line))


def test_repeated_targets_are_refused(targets_file):
    """Which of the two would count?"""
    row = '{"instance_id": 1, "target_files": ["a/x.csv"]}'
    with pytest.raises(BadInput, match=r":2: instance_id 1 stands more than once"):
        load_targets(targets_file(row, row))


def test_a_prediction_keeps_what_it_was_given():
    """Fields that were absent stay absent; unknown ones stay."""
    row = {"instance_id": 1, "prediction": "x", "metadata": {"files_accessed": ["a"], "model": "m"}, "note": None}
    assert Prediction.model_validate(row).to_row() == row
    assert Prediction(instance_id=1, prediction="x").to_row() == {"instance_id": 1, "prediction": "x"}


def test_records_are_frozen():
    """A record is a value."""
    prediction = Prediction(instance_id=1, prediction="x")
    with pytest.raises(ValidationError, match="frozen"):
        prediction.prediction = "y"


def test_the_final_computation_is_the_last_that_read_data_and_succeeded():
    """Commands that opened nothing, or failed, do not count while another did both."""
    commands = (command(0, ["a"]), command(1, ["b"]), command(2, ["c"], exit_code=1), command(3))
    assert final_computation(commands).index == 1
    assert final_computation(commands[2:]).index == 2
    assert final_computation(commands[3:]) is None


def test_access_of_an_attempt_is_the_union_of_its_commands():
    """In order of first opening; used files are those of the final computation."""
    access = file_access("overlay_inotify", (command(0, ["b", "a"]), command(1, ["a", "c"])))
    assert (access.opened, access.used, access.listed) == (("b", "a", "c"), ("a", "c"), ("d0", "d1"))
    assert access.complete


def test_lost_events_or_no_tracker_make_access_incomplete():
    """Discovery is then not measured."""
    assert not file_access("overlay_inotify", (command(0, complete=False), command(1))).complete
    assert not file_access("none", ()).complete


def test_machine_failures_are_told_apart_from_answers():
    """Four of the statuses are the machine's."""
    failures = {status for status in AttemptStatus if status.is_machine_failure}
    assert failures == {"model_failed", "sandbox_lost", "harness_failed", "cancelled"}


def test_an_attempt_is_known_by_task_and_epoch():
    """Whatever else it holds."""
    attempt = Attempt(instance_id=3, epoch=2, agent="nothing", setting="community", status=AttemptStatus.ANSWERED)
    assert attempt.key == (3, 2)


def test_the_identity_of_a_run_leaves_versions_and_place_out():
    """The same experiment may go on in a moved release, with a newer program."""
    settings = {"tasks_sha256": "0", "data_sha256": None, "agent": "keyword"}
    one = RunConfig(release="/a", versions={"coda_bench": "1"}, **settings)
    assert one.identity() == RunConfig(release="/b", **settings).identity()
    other = RunConfig(release="/a", limits=Limits(time_s=5), **settings)
    assert one.identity() != other.identity()


def test_what_blocks_scoring_is_always_an_error():
    """Warnings never keep a file from being scored; of the errors, only ambiguous lines do."""
    for kind in FindingKind:
        assert not kind.blocks_scoring or kind.severity is Severity.ERROR
    assert not FindingKind.DUPLICATE_ID.blocks_scoring
    assert FindingKind.DUPLICATE_KEY.blocks_scoring
