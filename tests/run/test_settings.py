"""Settings and limits: what the agent is told, given and allowed."""

import json

import pytest

from coda_bench.errors import BadInput
from coda_bench.records.attempt import AttemptStatus
from coda_bench.records.run import Limits, Setting

TELL = "cp /workspace/task_description.txt /workspace/result.txt; ls /data >> /workspace/result.txt"


def test_community_setting_names_no_file(runs):
    """The prompt has question, guideline and deadline, and only /data and /workspace/result.txt as paths."""
    runs("command", agent_args={"run": TELL}, instances=(2,))
    told = runs.answers()[2]
    assert "What is the total length in km of the rivers?" in told
    assert "A whole number." in told
    assert "10 minutes" in told
    assert "rivers.csv" not in told
    assert told.endswith("cities\ncities-archive\nrivers")


def test_oracle_setting_gives_the_exact_paths(runs):
    """Every target's path inside the sandbox stands in the prompt."""
    runs("command", agent_args={"run": TELL}, instances=(4,), setting=Setting.ORACLE)
    assert "- /data/lakes/fish.csv\n- /data/weather/days.csv" in runs.answers()[4]


def test_oracle_setting_needs_known_targets(runs, release):
    """Tasks without targets are named, not run without the hint."""
    rows = [
        row for row in (release / "provenance.jsonl").read_text().splitlines() if json.loads(row)["instance_id"] > 1
    ]
    (release / "provenance.jsonl").write_text("\n".join(rows))
    with pytest.raises(BadInput, match=r"1 tasks are not known \(first: \[1\]\)"):
        runs("nothing", setting=Setting.ORACLE)


def test_no_data_setting_shows_an_empty_directory(runs):
    """The question alone: /data exists and is empty."""
    runs("command", agent_args={"run": TELL}, instances=(1,), setting=Setting.NO_DATA)
    assert "/data is empty" in runs.answers()[1]
    assert "rivers" not in runs.answers()[1]


def test_the_agent_starts_in_the_root_directory(runs):
    """Commands begin in `/`, so that nothing about the data is given away by the place."""
    runs("command", agent_args={"run": "pwd > /workspace/result.txt"}, instances=(1,))
    assert runs.answers() == {1: "/"}


def test_at_the_time_limit_the_answer_written_before_still_counts(runs):
    """Status limit_time with configured and actual seconds; answer and file access are read all the same."""
    line = "cat /data/rivers/rivers.csv; echo 52 > /workspace/result.txt; sleep 300"
    runs("command", agent_args={"run": line}, instances=(2,), limits=Limits(time_s=2))
    attempt = runs.attempts()[2, 1]
    assert (attempt.status, attempt.answer) == (AttemptStatus.LIMIT_TIME, "52")
    assert attempt.error.startswith("time limit: configured 2, actual ")
    assert attempt.file_access.opened == ("rivers/rivers.csv",)
    assert attempt.wall_seconds < 60


def test_answers_that_are_not_utf8_are_kept_readable(runs):
    """Bytes that are no UTF-8 are replaced; white space around the answer is stripped."""
    runs("command", agent_args={"run": r"printf ' caf\351 \n' > /workspace/result.txt"}, instances=(1,))
    assert runs.answers() == {1: "caf\ufffd"}


def test_a_directory_or_pipe_in_place_of_the_answer_is_no_answer(runs):
    """Whatever stands at result.txt, reading it neither hangs nor fails the run."""
    runs("command", agent_args={"run": "mkfifo /workspace/result.txt"}, instances=(1,))
    assert runs.attempts()[1, 1].status is AttemptStatus.NO_ANSWER


def test_epochs_have_predictions_of_their_own(runs, tmp_path):
    """The first epoch is predictions.jsonl, the others stand beside it."""
    summary = runs("command", agent_args={"run": "echo 1 > /workspace/result.txt"}, instances=(1, 2), epochs=3)
    assert summary.progress.done == 6
    for name in ("predictions.jsonl", "predictions.epoch-2.jsonl", "predictions.epoch-3.jsonl"):
        assert len((tmp_path / "run" / name).read_text().splitlines()) == 2
