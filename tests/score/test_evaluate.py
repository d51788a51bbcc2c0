"""Evaluation: hand-computed scores of small predictions."""

import json

import pytest

from coda_bench import evaluate
from coda_bench.records.prediction import Prediction
from coda_bench.records.scores import AccessSource, Reason, Scores
from coda_bench.records.task import Task

UPSTREAM_KEYS = {
    "n_gold",
    "n_pred",
    "n_scored",
    "exact_correct",
    "numeric_correct",
    "exact_accuracy",
    "numeric_accuracy",
    "missing_ids",
    "extra_ids",
    "per_instance",
}
UPSTREAM_ROW_KEYS = {
    "instance_id",
    "prediction",
    "gold",
    "exact_match",
    "numeric_match",
    "release_community",
    "dataset",
}


def make_task(instance_id, answer, *, community):
    """Return a task with the fields that matter to scoring."""
    texts = dict.fromkeys(("question", "answer_guidelines", "reference_code", "dataset", "notebook"), "")
    return Task(instance_id=instance_id, answer=answer, release_community=community, **texts)


TASKS = [
    make_task(0, "38%", community="a"),
    make_task(1, "106; 93", community="a"),
    make_task(2, "Juventus; 91", community="b"),
    make_task(3, "26.5%", community="b"),
    make_task(4, "7", community="c"),
]


def predict(*answers, **metadata):
    """Return predictions of the answers given, by position; None leaves one out."""
    return [
        Prediction(instance_id=id_, prediction=answer, metadata=metadata)
        for id_, answer in enumerate(answers)
        if answer is not None
    ]


@pytest.fixture
def scores():
    """One right in every way, one right but for a blank, one wrong label, one unrounded, one missing."""
    return evaluate(predict("38%", "106;93", "Arsenal; 91", "26.54%"), TASKS)


def test_numerators_and_denominators(scores):
    """The denominator is the number of gold tasks, for every matcher."""
    assert (scores.n_gold, scores.n_pred, scores.n_scored) == (5, 4, 4)
    assert (scores.exact_correct, scores.numeric_correct) == (1, 3)
    assert (scores.ea_correct, scores.ea_paper_correct) == (3, 3)
    assert (scores.format_ok_correct, scores.ea_strict_correct) == (4, 3)
    assert scores.ea_accuracy == 0.6
    assert scores.exact_accuracy == 0.2


def test_form_is_apart_from_value(scores):
    """A wrong label in the right form, and a right value with a decimal too many."""
    rows = {row.instance_id: row for row in scores.per_instance}
    assert (rows[2].ea, rows[2].format_ok) == (False, True)
    assert (rows[3].ea, rows[3].format_ok) == (True, True)


def test_intervals_hold_the_rate(scores):
    """Wilson intervals stand beside every rate."""
    for name in ("exact", "numeric", "ea", "ea_paper", "format_ok", "ea_strict"):
        low, high = scores[f"{name}_interval"]
        assert 0 <= low <= scores[f"{name}_accuracy"] <= high <= 1


def test_macro_averages_weigh_communities_alike(scores):
    """2 of 2, 1 of 2 and 0 of 1."""
    assert scores.macro_ea_accuracy == pytest.approx((1 + 0.5 + 0) / 3)
    assert [(one.release_community, one.ea_correct, one.n_gold) for one in scores.per_community] == [
        ("a", 2, 2),
        ("b", 1, 2),
        ("c", 0, 1),
    ]


def test_missing_is_wrong_listed_and_without_a_row(scores):
    """As in the released evaluator, rows exist for ids on both sides only."""
    assert scores.missing_ids == (4,)
    assert [row.instance_id for row in scores.per_instance] == [0, 1, 2, 3]


def test_reasons_sum_to_the_number_of_tasks(scores):
    """Missing is a reason like others."""
    assert scores.reasons == {Reason.MATCH: 3, Reason.WRONG_LABEL: 1, Reason.MISSING: 1}


def test_scores_read_like_the_plain_dictionary_of_the_public_evaluator(scores):
    """By key, with `in`, `get` and `dict`; an unknown key is a KeyError."""
    assert dict(scores) == scores.to_row()
    assert [row["exact_match"] for row in scores["per_instance"]][:2] == [True, False]
    assert "n_gold" in scores
    assert (scores.get("n_gold"), scores.get("accuracy"), "accuracy" in scores) == (5, None, False)
    with pytest.raises(KeyError):
        scores["accuracy"]


def test_the_released_evaluators_keys_are_all_there(scores):
    """Programs written for its output keep working."""
    row = scores.to_row()
    assert row.keys() >= UPSTREAM_KEYS
    assert row["per_instance"][0].keys() >= UPSTREAM_ROW_KEYS
    assert row["missing_ids"] == [4]
    assert scores["exact_accuracy"] == 0.2


def test_scores_survive_storage(scores):
    """What `--out` writes reads back equal."""
    assert Scores.from_stored(json.loads(json.dumps(scores.to_row())), where="here") == scores


def test_of_repeated_ids_the_last_counts_and_is_reported():
    """And the number of overruled lines is said."""
    scores = evaluate([*predict("x"), *predict("y"), *predict("38%")], TASKS)
    assert (scores.ea_correct, scores.n_pred) == (1, 1)
    assert (scores.duplicate_ids, scores.n_duplicates) == ((0,), 2)


def test_ids_without_a_task_count_for_nothing():
    """They are listed."""
    extra = Prediction(instance_id=99, prediction="38%")
    scores = evaluate([extra], TASKS)
    assert (scores.extra_ids, scores.n_pred, scores.n_scored, scores.ea_correct) == ((99,), 1, 0, 0)


def test_no_predictions_at_all():
    """Every rate is zero of all."""
    scores = evaluate([], TASKS)
    assert (scores.ea_correct, scores.ea_accuracy, scores.n_gold) == (0, 0.0, 5)
    assert scores.reasons == {Reason.MISSING: 5}


def test_files_are_accepted_in_place_of_lists(pred_file, gold_file, tmp_path):
    """Paths as str or Path, as the documents promise."""
    targets = tmp_path / "targets.jsonl"
    targets.write_text('{"instance_id": 0, "target_files": ["a/x.csv"]}\n')
    predictions = pred_file(
        [{"instance_id": 0, "prediction": "38%", "metadata": {"files_accessed": ["/data/a/x.csv"]}}]
    )
    scores = evaluate(str(predictions), gold_file, targets)
    assert (scores.ea_correct, scores.da_solution_correct, scores.da_n) == (1, 1, 1)


def test_without_targets_discovery_is_not_scored(scores):
    """No numbers that look like zero."""
    assert scores.access_source is None
    assert (scores.da_n, scores.da_solution_accuracy, scores.da_solution_bounds) == (0, None, None)


TARGETS = {0: ["a/x.csv"], 1: ["a/x.csv", "a/y.csv"], 2: ["b/z.csv"], 3: ["b/z.csv"], 4: ["c/w.csv"], 99: ["q.csv"]}


def accessed(id_, opened, used=None, **more):
    """Return a prediction that reports its files."""
    metadata = {"files_accessed": opened, **({"files_used": used} if used is not None else {}), **more}
    return Prediction(instance_id=id_, prediction="x", metadata=metadata)


@pytest.fixture
def discovery():
    """Right; half of two; everything opened and the target used; not measured; missing."""
    predictions = [
        accessed(0, ["a/x.csv"]),
        accessed(1, ["a/x.csv", "/elsewhere/out.csv"]),
        accessed(2, ["b/z.csv", "b/y.csv"], ["b/z.csv"]),
        Prediction(instance_id=3, prediction="x"),
    ]
    return evaluate(predictions, TASKS, TARGETS)


def test_discovery_counts_measured_tasks_and_missing_predictions(discovery):
    """A missing prediction was measured and is wrong; a row without the field is not measured."""
    assert (discovery.da_known_targets, discovery.da_n) == (5, 4)
    assert discovery.da_not_measured_ids == (3,)
    assert discovery.da_solution_correct == 2
    assert discovery.da_superset_correct == 2
    assert discovery.da_touched_correct == 1
    assert discovery.da_solution_accuracy == 0.5


def test_bounds_say_what_the_unmeasured_could_change(discovery):
    """Of five known, two right and one open."""
    assert discovery.da_solution_bounds == (0.4, 0.6)
    assert discovery.da_touched_bounds == (0.2, 0.4)


def test_precision_and_recall_are_means_over_the_measured(discovery):
    """1, 1, 1/2 and 0; 1, 1/2, 1 and 0."""
    assert discovery.da_file_precision == pytest.approx(2.5 / 4)
    assert discovery.da_file_recall == pytest.approx(2.5 / 4)


def test_discovery_stands_in_the_rows_too(discovery):
    """None where not measured."""
    rows = {row.instance_id: row for row in discovery.per_instance}
    assert (rows[0].da_solution, rows[1].da_superset, rows[2].da_touched, rows[3].da_solution) == (
        True,
        False,
        False,
        None,
    )
    assert rows[1].da_unmapped == ("/elsewhere/out.csv",)
    assert discovery.da_unmapped == {1: ("/elsewhere/out.csv",)}


def test_the_source_of_access_is_said():
    """Self-reported unless the caller watched."""
    assert evaluate([], TASKS, TARGETS).access_source is AccessSource.SELF_REPORTED
    assert evaluate([], TASKS, TARGETS, access_source=AccessSource.TRACKED).access_source is AccessSource.TRACKED


def test_tasks_without_known_targets_are_no_part_of_discovery():
    """An empty target file leaves nothing to score, and no accuracy."""
    scores = evaluate(predict("38%"), TASKS, {})
    assert (scores.da_known_targets, scores.da_n, scores.da_solution_accuracy) == (0, 0, None)
    assert scores.access_source is AccessSource.SELF_REPORTED


def test_targets_outside_the_community_are_listed():
    """And leave the denominator."""
    scores = evaluate([accessed(0, ["a/x.csv"])], TASKS, {0: ["a/x.csv"], 1: ["/home/author/x.csv"]})
    assert (scores.da_known_targets, scores.da_n, scores.da_solution_correct) == (1, 1, 1)
    assert scores.da_unusable_target_ids == (1,)


def test_targets_of_unknown_tasks_are_listed():
    """Targets of another task file would otherwise score nothing in silence."""
    scores = evaluate([], TASKS, {0: ["a/x.csv"], 777: ["a/x.csv"]})
    assert scores.da_unknown_target_ids == (777,)
    assert scores.da_known_targets == 1


def test_macro_discovery_is_over_communities_with_a_measured_task(discovery):
    """Half in a, all of the one measured in b, none in c."""
    assert discovery.macro_da_solution_accuracy == pytest.approx((0.5 + 1 + 0) / 3)


def test_equal_input_gives_equal_bytes():
    """The stored scores do not depend on hash order or time."""
    first, second = (evaluate(predict("38%", "x"), TASKS, TARGETS).to_row() for _ in range(2))
    assert json.dumps(first) == json.dumps(second)
