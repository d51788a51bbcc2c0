"""Reading runs and their release."""

import pytest

from coda_bench.analyse.evidence import read_evidence
from coda_bench.errors import BadInput, UnknownFormat


def test_reads_a_run_with_its_release(bench):
    """Tasks, Hard ids of the full file, targets, hashes, attempts and scores are there."""
    release = bench.write_release(hard=[4, 1])
    run = bench.write_run("keyword", [bench.attempt(0), bench.attempt(1)])
    evidence = read_evidence([run], release)
    assert evidence.hard_ids == {4, 1}
    assert evidence.targets[1] == ("set1/table1.csv", "set2/table2.csv")
    assert len(evidence.hashes["farms"]) == 40
    assert [attempt.instance_id for attempt in evidence.runs[0].attempts] == [0, 1]
    assert evidence.runs[0].scores.ea_correct == 2
    assert (evidence.runs[0].planned, evidence.runs[0].missing) == (6, 4)


def test_public_release_without_targets_or_data(bench):
    """A release of task files alone can be reported on."""
    release = bench.write_release(hard=(), targets=False, manifest=False)
    evidence = read_evidence([bench.write_run("a", [bench.attempt(0)], scores=False)], release)
    assert (evidence.hard_ids, evidence.targets, evidence.hashes) == (None, {}, {})


def test_line_cut_short_by_a_kill_is_counted_and_skipped(bench):
    """A torn line is no attempt; the ones around it are kept."""
    release = bench.write_release()
    run = bench.write_run("a", [bench.attempt(0)])
    journal = run / "attempts.jsonl"
    journal.write_text('{"instance_id": 3, "ag\n' + journal.read_text())
    found = read_evidence([run], release).runs[0]
    assert found.unreadable_lines == 1
    assert [attempt.instance_id for attempt in found.attempts] == [0]


def test_repeated_attempt_overrules_the_failed_one(bench):
    """After a resume the last line of a task counts."""
    release = bench.write_release()
    run = bench.write_run("a", [bench.attempt(0, status="sandbox_lost", answer=""), bench.attempt(0)])
    assert [attempt.status for attempt in read_evidence([run], release).runs[0].attempts] == ["answered"]


def test_run_killed_before_its_first_attempt(bench):
    """A run directory with nothing but its settings has no attempts and all missing."""
    release = bench.write_release()
    run = bench.write_run("a", [], scores=False)
    (run / "attempts.jsonl").unlink()
    found = read_evidence([run], release).runs[0]
    assert (found.attempts, found.missing, found.scores) == ((), 6, None)


def test_runs_of_one_agent_are_told_apart(bench):
    """Equal labels get their directory; the same directory given twice gets a number."""
    release = bench.write_release()
    one = bench.write_run("one", [], agent="react", model="m")
    two = bench.write_run("two", [], agent="react", model="m")
    other = bench.write_run("other", [], agent="react", model="m", setting="oracle")
    labels = [run.label for run in read_evidence([one, two, other, two], release).runs]
    assert labels[0] == "react (m) [one]"
    assert labels[1] == "react (m) [two] #2"
    assert labels[2] == "react (m), oracle"
    assert len(set(labels)) == 4


def test_no_run_named(bench):
    """A report of nothing is refused."""
    with pytest.raises(BadInput, match="at least one"):
        read_evidence([], bench.write_release())


def test_directory_that_is_no_run(bench, tmp_path):
    """The message names the directory and what it lacks."""
    with pytest.raises(BadInput, match=r"not a run directory \(no run.json"):
        read_evidence([tmp_path], bench.write_release())


def test_scores_of_a_newer_release(bench):
    """A format this release does not know is refused, not guessed."""
    release = bench.write_release()
    run = bench.write_run("a", [])
    (run / "scores.json").write_text('{"format_version": 99}')
    with pytest.raises(UnknownFormat, match=r"scores\.json"):
        read_evidence([run], release)


def test_malformed_attempt_is_named_by_line(bench):
    """A journal line of the wrong shape is an error with file and line."""
    release = bench.write_release()
    run = bench.write_run("a", [bench.attempt(0)])
    with (run / "attempts.jsonl").open("a") as stream:
        stream.write('{"format_version": 1, "instance_id": "x"}\n')
    with pytest.raises(BadInput, match=r"attempts\.jsonl:2"):
        read_evidence([run], release)
