"""Which files count as the targets, and the three rules over them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coda_bench.layout import content_classes
from coda_bench.records.prediction import Prediction
from coda_bench.records.targets import DataFile
from coda_bench.score.discovery import TargetSet, discover

TARGET = "ckdisease/kidney.csv"


def judge(opened, used=None, targets=(TARGET,), classes=None):
    """Return the verdicts on an attempt in community_26."""
    return TargetSet(targets, "community_26", classes).judge(opened, opened if used is None else used)


@pytest.mark.parametrize(
    "path",
    [
        "ckdisease/kidney.csv",
        "./ckdisease/kidney.csv",
        "/data/ckdisease/kidney.csv",
        "data/ckdisease/kidney.csv",
        "/workspace/data/ckdisease/kidney.csv",
        "file:///data/ckdisease/kidney.csv",
        "data/community_26/full_community/ckdisease/kidney.csv",
        "communities/community_26/full_community/ckdisease/kidney.csv",
        "/home/me/release/data/community_26/full_community/ckdisease/kidney.csv",
        "full_community/ckdisease/kidney.csv",
        "/data/ckdisease/source/kidney.csv",
        "/data/CKDisease/Kidney.csv",
        "/data/x/../ckdisease/kidney.csv",
        "data\\community_26\\full_community\\ckdisease\\kidney.csv",
    ],
)
def test_spellings_of_one_path_are_the_same_file(path):
    """Absolute, relative, in the release's layout or the sandbox's."""
    found = judge([path])
    assert (found.solution, found.superset, found.touched, found.unmapped) == (True, True, True, ())


@pytest.mark.parametrize("target", ["cleaned_ckd_dataset/a b.csv", "cleaned-ckd-dataset/source/a_b.csv"])
def test_hyphens_underscores_and_blanks_are_alike(target):
    """Reference programs write slugs in another way than directories are named."""
    assert judge(["/data/cleaned-ckd-dataset/a-b.csv"], targets=[target]).solution


@pytest.mark.parametrize(
    "path",
    [
        "data/community_27/full_community/ckdisease/kidney.csv",
        "/home/me/kidney.csv",
        "/workspace/kidney.csv",
        "/data/../etc/passwd",
        "../ckdisease/kidney.csv",
        "/data/",
        "",
    ],
)
def test_paths_outside_the_community_are_listed_and_count_for_nothing(path):
    """They neither help nor hurt."""
    found = judge([TARGET, path])
    assert found.solution
    assert found.unmapped == (path,)
    assert not judge([path]).superset


def test_two_targets_that_differ_in_punctuation_only_stay_two():
    """Opening one of them is not opening both; an ambiguous spelling is neither."""
    targets = ("set/part-1.csv", "set/part_1.csv")
    assert not judge(["set/part-1.csv"], targets=targets).superset
    assert not judge(["set/part 1.csv"], targets=targets).superset
    assert judge(list(targets), targets=targets).solution


def test_metadata_of_the_data_set_never_counts():
    """Kaggle's own file is in every data set."""
    assert judge([TARGET, "ckdisease/dataset-metadata.json"]).touched


def test_a_directory_that_was_listed_is_no_file():
    """Where the trailing slash says so."""
    assert judge([TARGET, "/data/ckdisease/"]).touched


def test_a_directory_written_without_a_slash_is_no_file():
    """A path that names a folder of known files was listed, not opened: by the targets, or by the manifest."""
    folder = TARGET.rpartition("/")[0]
    assert judge([folder, TARGET]).touched
    classes = content_classes([DataFile(path=path, bytes=1, sha256=path) for path in (TARGET, "other/deep/a.csv")])
    assert judge(["other", "other/deep", TARGET], classes=classes).touched
    assert not judge(["other/deep/a.csv", TARGET], classes=classes).touched


def test_a_look_alike_is_not_the_target_without_a_manifest():
    """A second download of a file of the same name is another file."""
    found = judge(["s/data (1).csv"], targets=["s/data1.csv"])
    assert not found.superset
    assert not found.solution


def test_what_was_used_counts_as_opened():
    """A report that lists a file as used only does not say that it was never opened."""
    prediction = Prediction(
        instance_id=0, prediction="x", metadata={"files_accessed": [], "files_used": ["a/x.csv", "a/y.csv"]}
    )
    found = discover(prediction, TargetSet(["a/x.csv", "a/y.csv"], "c"))
    assert (found.solution, found.superset, found.touched) == (True, True, True)


def classes_of(**hashes):
    """Return the content classes of files given as name=hash in data sets a to z."""
    return content_classes(DataFile(path=f"{name}/x.csv", bytes=1, sha256=sha) for name, sha in hashes.items())


def test_a_copy_of_a_target_is_the_target():
    """Where a manifest says so."""
    classes = classes_of(a="1", b="1", c="2")
    assert judge(["b/x.csv"], targets=["a/x.csv"], classes=classes).solution
    assert judge(["a/x.csv", "b/x.csv"], targets=["a/x.csv"], classes=classes).touched
    assert not judge(["c/x.csv"], targets=["a/x.csv"], classes=classes).superset
    assert not judge(["b/x.csv"], targets=["a/x.csv"]).superset


def test_files_that_share_a_key_keep_their_own_content():
    """The exact path decides before the forgiving key does."""
    files = [DataFile(path="s/a-1.csv", bytes=1, sha256="1"), DataFile(path="s/a_1.csv", bytes=1, sha256="2")]
    classes = content_classes(files)
    assert judge(["s/a_1.csv"], targets=["s/a_1.csv"], classes=classes).solution
    assert not judge(["s/a-1.csv"], targets=["s/a_1.csv"], classes=classes).superset
    assert not judge(["s/a 1.csv"], targets=["s/a_1.csv"], classes=classes).superset


def test_a_data_set_named_data_is_found_below_data():
    """The leading `data/` is dropped only where the whole path names nothing known."""
    assert judge(["data/x.csv"], targets=["data/x.csv"]).solution
    assert judge(["/data/data/x.csv"], targets=["data/x.csv"]).solution


def test_the_three_rules_differ():
    """Opened more than was used: right by use and superset, wrong by touch."""
    found = judge([TARGET, "other/a.csv", "other/b.csv"], used=[TARGET])
    assert (found.solution, found.superset, found.touched) == (True, True, False)
    assert (found.precision, found.recall) == (pytest.approx(1 / 3), 1.0)


def test_opening_everything_satisfies_the_superset_alone():
    """What a superset cannot tell from skill."""
    found = judge([TARGET, "other/a.csv"])
    assert (found.solution, found.superset, found.touched) == (False, True, False)


def test_part_of_the_targets_is_recall_only():
    """One of two files opened."""
    found = judge([TARGET], targets=[TARGET, "b/x.csv"])
    assert (found.solution, found.superset, found.recall, found.precision) == (False, False, 0.5, 1.0)


def test_nothing_opened_is_measured_and_wrong():
    """An empty list says that nothing was opened."""
    assert judge([]) == (False, False, False, 0.0, 0.0, ())


@pytest.mark.parametrize(
    "targets", [["/home/author/private.csv"], [TARGET, "/kaggle/x.csv"], ["a/dataset-metadata.json"]]
)
def test_targets_outside_the_community_cannot_be_used(targets):
    """A task is left out of discovery rather than scored against half of its targets."""
    assert not TargetSet(targets, "community_26").is_usable


def predict(**metadata):
    """Return a prediction with the metadata given."""
    return Prediction(instance_id=0, prediction="x", metadata=metadata)


def test_access_that_was_not_measured_has_no_verdict():
    """No field, or a tracker that lost events."""
    targets = TargetSet([TARGET], "community_26")
    assert discover(predict(), targets) is None
    assert discover(predict(files_accessed=[TARGET], file_access_complete=False), targets) is None
    assert discover(predict(files_accessed=[TARGET], file_access_complete=True), targets).solution


def test_files_accessed_stand_for_files_used_where_these_are_absent():
    """An empty list of used files is a statement, not an absence."""
    targets = TargetSet([TARGET], "community_26")
    assert discover(predict(files_accessed=[TARGET]), targets).solution
    assert not discover(predict(files_accessed=[TARGET], files_used=[]), targets).solution


paths = st.lists(st.sampled_from(["a/1.csv", "a/2.csv", "b/1.csv", "b-c/1.csv", "b_c/1.csv"]), max_size=5)


@given(paths, paths.filter(bool))
def test_the_rules_agree_with_sets(opened, targets):
    """On plain paths the verdicts are those of set algebra."""
    found = judge(opened, targets=targets)
    assert found.touched is (set(opened) == set(targets)) or len({"b-c/1.csv", "b_c/1.csv"} & set(targets)) == 1
    assert not found.touched or found.superset
    assert found.solution is found.touched


@given(st.text(max_size=40))
def test_any_reported_path_is_taken(path):
    """No text raises, and one that is not the target does not count as it."""
    assert judge([path]).superset is judge([path]).touched
