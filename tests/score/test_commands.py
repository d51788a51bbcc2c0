"""The two commands of the data format document, as a user runs them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from coda_bench import evaluate, validate

HEAVY = {"inspect_ai", "pandas", "numpy", "matplotlib", "anyio"}
GOOD = [
    {"instance_id": 0, "prediction": "38%"},
    {"instance_id": 1, "prediction": "106;93"},
    {"instance_id": 2, "prediction": "Otter"},
]


def command(name, *arguments, umbrella=False, encoding="utf-8"):
    """Run a command in a process of its own; the last line of its error stream lists the loaded modules."""
    module = "coda_bench.cli.main" if umbrella else f"coda_bench.cli.{name}"
    words = [name, *map(str, arguments)] if umbrella else list(map(str, arguments))
    code = (
        f"import atexit, sys; sys.argv[1:] = {words!r}\n"
        "atexit.register(lambda: print(*{m.partition('.')[0] for m in sys.modules}, file=sys.stderr))\n"
        f"from {module} import main; main()"
    )
    env = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "PYTHONIOENCODING": encoding}
    run = [sys.executable, "-c", code]
    return subprocess.run(run, capture_output=True, text=True, encoding=encoding, env=env, check=False)


def run_both(name, *arguments):
    """Run a command under both of its names and check that they agree."""
    alone, inside = command(name, *arguments), command(name, *arguments, umbrella=True)
    assert (alone.returncode, alone.stdout) == (inside.returncode, inside.stdout)
    assert "Traceback" not in alone.stderr + inside.stderr
    return alone


def test_validate_of_a_clean_file_exits_zero(pred_file, gold_file):
    """And says what it read."""
    done = run_both("validate", "--pred", pred_file(GOOD), "--gold", gold_file)
    assert done.returncode == 0
    assert "3 predictions in 3 lines for 3 tasks: no findings" in done.stdout


def test_validate_with_findings_exits_one(pred_file, gold_file):
    """Each finding with line, id and severity."""
    done = run_both("validate", "--pred", pred_file(b'{"instance_id": 1, "prediction": 5}\n'), "--gold", gold_file)
    assert done.returncode == 1
    assert "prediction: must be a string, not integer 5" in done.stdout
    assert "1 errors, 2 warnings" in done.stdout


def test_repeated_findings_are_cut_on_screen_and_counted(pred_file, gold_file):
    """The table stays short, the JSON has them all."""
    path = pred_file(b"\n" * 60)
    assert "50 more (--json lists them)" in command("validate", "--pred", path, "--gold", gold_file).stdout
    report = json.loads(command("validate", "--pred", path, "--gold", gold_file, "--json").stdout)
    assert report == validate(path, gold_file).model_dump(mode="json")
    assert len(report["findings"]) == 63


def test_markup_in_a_file_is_shown_as_it_is(pred_file, gold_file):
    """Square brackets and control characters of untrusted text do no harm."""
    rows = [{"instance_id": "[red]x[/nope]\x1b[2J", "prediction": "x"}]
    done = command("validate", "--pred", pred_file(rows), "--gold", gold_file)
    assert done.returncode == 1
    assert "[red]x[/nope]" in done.stdout
    assert "\x1b[2J" not in done.stdout


def test_answers_cannot_steer_the_terminal(pred_file, gold_file):
    """Escapes and direction marks are shown as unknown letters."""
    rows = [{"instance_id": 2, "prediction": "a\x1b[31mb\u009b2J\u202ec"}]
    done = command("evaluate", "--pred", pred_file(rows), "--gold", gold_file, "--wrong")
    assert "a\ufffd[31mb\ufffd2J\ufffdc" in done.stdout


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_without_unicode_shows_what_it_can(pred_file, gold_file, encoding):
    """JSON stays JSON and says the same; tables show escapes."""
    path = pred_file([{"instance_id": 2, "prediction": "\u6f22 caf\u00e9"}])
    arguments = ("--pred", path, "--gold", gold_file)
    done = command("evaluate", *arguments, "--json", encoding=encoding)
    assert json.loads(done.stdout) == evaluate(path, gold_file).to_row()
    assert "\\u6f22 caf" in command("evaluate", *arguments, "--wrong", encoding=encoding).stdout


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="this system has no /dev/full")
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_full_disk_is_said_in_one_line(pred_file, gold_file, options):
    """The output cannot be written: exit code 2."""
    words = ["--pred", str(pred_file(GOOD)), "--gold", str(gold_file), *options]
    code = f"import sys; sys.argv[1:] = {words!r}; from coda_bench.cli.evaluate import main; main()"
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([sys.executable, "-c", code], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "error: output: No space left on device\n"


@pytest.mark.parametrize("name", ["validate", "evaluate"])
def test_unusable_input_exits_two_with_one_line(name, pred_file, gold_file, tmp_path):
    """Missing files, directories and wrong gold files: no traceback."""
    good = pred_file(GOOD)
    for pred, gold in ((tmp_path / "none", gold_file), (tmp_path, gold_file), (good, tmp_path), (good, good)):
        done = command(name, "--pred", pred, "--gold", gold)
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.startswith("error: ")
        assert "Traceback" not in done.stderr


def test_evaluate_writes_what_it_prints(pred_file, gold_file, tmp_path):
    """The file, the JSON on screen and the function agree."""
    path, out = pred_file(GOOD), tmp_path / "new" / "scores.json"
    done = run_both("evaluate", "--pred", path, "--gold", gold_file, "--out", out, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == json.loads(out.read_text("utf-8")) == evaluate(path, gold_file).to_row()


def test_evaluate_shows_rates_with_their_denominators(pred_file, gold_file):
    """Numerator, denominator, percent and interval; reasons; missing ids."""
    done = command("evaluate", "--pred", pred_file(GOOD[:2]), "--gold", gold_file, "--wrong")
    assert re.search(r"^EA +2 +3 +66\.7 +20\.8 to 93\.9 +50\.0$", done.stdout, re.MULTILINE)
    assert "missing (counted as wrong): 1: 2" in done.stdout
    assert "reasons: match 2, missing 1" in done.stdout


def test_rows_are_shown_all_or_only_the_wrong_ones(pred_file, gold_file):
    """`--show-rows` and `--wrong`."""
    arguments = ("--pred", pred_file(GOOD), "--gold", gold_file)
    rows = re.compile(r"^ *([0-9]+) +(yes|no) +(?:yes|no) +[a-z_]+ ", re.MULTILINE)
    shown = rows.findall(command("evaluate", *arguments, "--show-rows").stdout)
    assert shown == [("0", "yes"), ("1", "yes"), ("2", "no")]
    assert rows.findall(command("evaluate", *arguments, "--wrong").stdout) == [("2", "no")]


def test_bad_predictions_leave_the_output_file_alone(pred_file, gold_file, tmp_path):
    """Nothing is written, and an earlier result survives."""
    out = tmp_path / "scores.json"
    out.write_text("earlier")
    done = command("evaluate", "--pred", pred_file(b"{}\n"), "--gold", gold_file, "--out", out)
    assert done.returncode == 2
    assert "coda-bench-validate" in done.stderr
    assert out.read_text() == "earlier"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["gold.json", "predictions.jsonl", "scores.json"]


def test_an_output_that_cannot_be_written_exits_two(pred_file, gold_file, tmp_path):
    """A directory, a path below a file, a pipe."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for out in (tmp_path, gold_file / "scores.json", pipe):
        done = command("evaluate", "--pred", pred_file(GOOD), "--gold", gold_file, "--out", out)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr


def write_release(root):
    """Write a release with one community of two copies of one file, with manifest and provenance."""
    community = root / "communities" / "community_1"
    (community / "full_community" / "a").mkdir(parents=True)
    files = [{"path": path, "bytes": 1, "sha256": "1" * 64} for path in ("a/x.csv", "b/copy.csv")]
    (community / "manifest.jsonl").write_text("".join(json.dumps(row) + "\n" for row in files))
    target = {"path": "a/x.csv", "sha256": "1" * 64, "bytes": 1}
    (root / "provenance.jsonl").write_text(json.dumps({"instance_id": 0, "target_files": [target]}) + "\n")
    (root / "coda_bench.json").write_text("[]")


def test_a_release_gives_targets_and_copies(pred_file, gold_file, tmp_path):
    """Its provenance names the targets, its manifests say which files are copies of them."""
    release = tmp_path / "release"
    write_release(release)
    row = {**GOOD[0], "metadata": {"files_accessed": ["/data/b/copy.csv"]}}
    done = command("evaluate", "--pred", pred_file([row]), "--gold", gold_file, "--release", release, "--json")
    scores = json.loads(done.stdout)
    assert (scores["da_solution_correct"], scores["da_n"], scores["access_source"]) == (1, 1, "self_reported")
    (release / "communities" / "community_1" / "manifest.jsonl").unlink()
    without = command("evaluate", "--pred", pred_file([row]), "--gold", gold_file, "--release", release, "--json")
    assert json.loads(without.stdout)["da_solution_correct"] == 0


def test_malformed_targets_and_manifests_are_reported_by_place(pred_file, gold_file, tmp_path):
    """File and line, no traceback."""
    release = tmp_path / "release"
    write_release(release)
    (release / "communities" / "community_1" / "manifest.jsonl").write_text('{"path": 5}\n')
    targets = tmp_path / "targets.jsonl"
    targets.write_text('{"instance_id": 0}\n')
    for option, path, place in (("--targets", targets, "targets.jsonl:1"), ("--release", release, "manifest.jsonl:1")):
        done = command("evaluate", "--pred", pred_file(GOOD), "--gold", gold_file, option, path)
        assert done.returncode == 2
        assert place in done.stderr.replace("\n", "")


@pytest.mark.parametrize("name", ["validate", "evaluate"])
def test_the_commands_load_no_engine_and_no_numbers_library(name, pred_file, gold_file):
    """They start fast because they import little."""
    for umbrella in (False, True):
        done = command(name, "--pred", pred_file(GOOD), "--gold", gold_file, umbrella=umbrella)
        assert HEAVY.isdisjoint(done.stderr.splitlines()[-1].split())
        assert "pydantic" in done.stderr


def umbrella(*arguments):
    """Run a subcommand of `coda-bench` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "coda_bench.cli", *map(str, arguments)], capture_output=True, text=True, check=False
    )


def test_spec_explains_and_judges(gold_file):
    """In words, by judged examples, and for an answer given."""
    done = umbrella("spec", 1, "--tasks", gold_file, "--answer", "93; 106")
    assert done.returncode == 0
    assert "2 fields, separated by semicolons" in done.stdout
    assert "must be equal: no tolerance" in done.stdout
    assert "wrong_order" in done.stdout.partition("your answer")[2]
    row = json.loads(umbrella("spec", 1, "--tasks", gold_file, "--answer", "93; 106", "--json").stdout)
    assert row["judged"]["reason"] == "wrong_order"
    assert len(row["spec_sha256"]) == 64
    assert {example["ea"] for example in row["examples"]} == {True, False}


def test_spec_of_an_unknown_task_is_refused(gold_file):
    """Exit code 2 with the id and the file."""
    done = umbrella("spec", 99, "--tasks", gold_file)
    assert done.returncode == 2
    assert done.stderr == f"error: {gold_file}: no task has instance_id 99\n"


def test_rescore_says_what_changed_task_by_task(pred_file, gold_file, tmp_path):
    """A mended gold changes one verdict; the same gold none."""
    pred, old = pred_file(GOOD), tmp_path / "scores.json"
    command("evaluate", "--pred", pred, "--gold", gold_file, "--out", old)
    same = umbrella("rescore", pred, "--tasks", gold_file, "--old", old)
    assert (same.returncode, same.stdout.splitlines()[-1]) == (0, "no verdict changed")
    tasks = json.loads(gold_file.read_text())
    tasks[0]["answer"] = "99%"
    mended = tmp_path / "mended.json"
    mended.write_text(json.dumps(tasks))
    changed = umbrella("rescore", pred, "--tasks", mended, "--old", old, "--json", "--write")
    assert changed.returncode == 1
    row = json.loads(changed.stdout)
    assert {change["instance_id"] for change in row["changes"]} == {0}
    assert {change["what"] for change in row["changes"]} >= {"gold", "ea"}
    assert row["n_specs_changed"] == 1
    assert umbrella("rescore", pred, "--tasks", mended, "--old", old).returncode == 0


def test_rescore_needs_scores_to_compare_with(pred_file, gold_file):
    """A predictions file alone is refused with what is missing."""
    done = umbrella("rescore", pred_file(GOOD), "--tasks", gold_file)
    assert done.returncode == 2
    assert "name the scores to compare with" in done.stderr


def test_a_view_is_reported_beside_the_full_score(pred_file, tmp_path, gold_file):
    """The sound view leaves out a task whose gold is none; the full denominator stays."""
    tasks = json.loads(gold_file.read_text())
    tasks[2]["answer"] = "Not Applicable"
    for task in tasks:
        task["question"] = f"How many orders of kind {task['instance_id']} are there, and of which carrier?"
    gold = tmp_path / "flawed.json"
    gold.write_text(json.dumps(tasks))
    pred, stored = pred_file(GOOD), tmp_path / "audit.json"
    row = json.loads(command("evaluate", "--pred", pred, "--gold", gold, "--view", "sound", "--json").stdout)
    assert row["n_gold"] == 3
    assert [(view["name"], view["n_gold"], view["excluded_ids"]) for view in row["views"]] == [("sound", 2, [2])]
    assert umbrella("audit", "--tasks", gold, "--out", stored).returncode == 1
    again = json.loads(command("evaluate", "--pred", pred, "--gold", gold, "--view", stored, "--json").stdout)
    assert again["views"][0] == row["views"][0] | {"name": "audit"}
    assert "EA, sound tasks only" in command("evaluate", "--pred", pred, "--gold", gold, "--view", "sound").stdout


def test_audit_prints_writes_and_counts(gold_file, tmp_path):
    """A table, JSON with severities, a page; the exit code says whether something serious was found."""
    page = tmp_path / "audit.html"
    done = umbrella("audit", "--tasks", gold_file, "--html", page)
    assert done.returncode == 1
    assert "annotator_note" in done.stdout
    assert page.read_text().startswith("<!doctype html>")
    row = json.loads(umbrella("audit", "--tasks", gold_file, "--json", "--class", "annotator_note").stdout)
    assert {finding["severity"] for finding in row["findings"]} == {"fatal"}
    assert row["fatal_ids"] == [0, 1, 2]
    assert umbrella("audit", "--tasks", tmp_path / "none.json").returncode == 2


def test_reasons_are_shown_field_by_field(pred_file, gold_file):
    """A dot for a field that matches, the reason for one that does not."""
    rows = [{"instance_id": 1, "prediction": "106; 94"}]
    shown = command("evaluate", "--pred", pred_file(rows), "--gold", gold_file, "--wrong").stdout
    assert "· wrong_value" in shown
