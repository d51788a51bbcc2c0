"""Where things lie, and the one spelling of a path inside a community."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coda_bench.errors import BadInput
from coda_bench.layout import (
    Release,
    RunDirectory,
    community_path,
    comparison_key,
    content_classes,
    counts_for_discovery,
    file_sha256,
)
from coda_bench.records.targets import DataFile


@pytest.fixture
def release(tmp_path):
    """A release with one community in each of the two layouts."""
    for folder, community in (("communities", "community_1"), ("data", "community_2")):
        (tmp_path / folder / community / "full_community").mkdir(parents=True)
    (tmp_path / "coda_bench.json").write_text("[]")
    return Release.open(tmp_path)


def test_a_directory_without_a_task_file_is_no_release(tmp_path):
    """The message says what is missing."""
    with pytest.raises(BadInput, match=r"no coda_bench\.json"):
        Release.open(tmp_path)


def test_communities_are_found_in_both_layouts(release):
    """`communities/` and `data/`."""
    for folder, community in (("communities", "community_1"), ("data", "community_2")):
        assert release.community_directory(community) == release.root / folder / community / "full_community"


def test_an_absent_community_is_bad_input(release):
    """The message says where it was looked for."""
    with pytest.raises(BadInput, match=r"community_3 is not here"):
        release.community_directory("community_3")


@pytest.mark.parametrize("name", ["..", "a/b", "", "/etc", ".hidden", "a\nb"])
def test_a_community_name_cannot_leave_the_release(release, name):
    """Names come from task files and are not trusted."""
    with pytest.raises(BadInput, match="not a plain directory name"):
        release.community_directory(name)


def test_manifest_and_targets_may_be_absent(release):
    """The public release has neither."""
    assert release.manifest("community_1") is None
    assert release.targets() == {}


def test_a_manifest_is_read_and_its_faults_are_placed(release):
    """One row a file; a malformed row is named by line."""
    row = '{"path": "a/x.csv", "bytes": 1, "sha256": "00"}\n'
    release.manifest_file("community_1").write_text(row)
    assert release.manifest("community_1") == [DataFile(path="a/x.csv", bytes=1, sha256="00")]
    release.manifest_file("community_1").write_text(row + '{"path": "b"}\n')
    with pytest.raises(BadInput, match=r"manifest\.jsonl:2: bytes: Field required"):
        release.manifest("community_1")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("a/x.csv", "a/x.csv"),
        ("./a//x.csv", "a/x.csv"),
        ("/data/a/x.csv", "a/x.csv"),
        ("/workspace/data/a/x.csv", "a/x.csv"),
        ("file:///data/a/x.csv", "a/x.csv"),
        ("full_community/a/x.csv", "a/x.csv"),
        ("data/c/full_community/a/x.csv", "a/x.csv"),
        ("/srv/r/communities/c/full_community/a/x.csv", "a/x.csv"),
        (" a/x.csv \n", "a/x.csv"),
        ("a/../b/x.csv", "b/x.csv"),
        ("c/full_community/a/x.csv", "a/x.csv"),
        ("/mnt/c/full_community/a/x.csv", "a/x.csv"),
        ("./full_community/a/x.csv", "a/x.csv"),
        ("/data//a/x.csv", "a/x.csv"),
        ("/data/../data/a/x.csv", "a/x.csv"),
        ("../data/a/x.csv", "a/x.csv"),
        ("a/full_community/x.csv", "a/full_community/x.csv"),
        ("data/c/full_community/../../d/full_community/x.csv", None),
        ("data/d/full_community/a/x.csv", None),
        ("/etc/passwd", None),
        ("../x.csv", None),
        ("/data/../x.csv", None),
        ("data/c/full_community/../../x.csv", None),
        ("", None),
        (".", None),
    ],
)
def test_reported_paths_map_to_community_paths(raw, expected):
    """Or to nothing where they cannot lie in the community."""
    assert community_path(raw, community="c") == expected


@given(st.text(max_size=60))
def test_no_reported_path_leaves_the_community(raw):
    """Whatever was reported, the result is relative and has no `..`."""
    path = community_path(raw, community="c")
    assert path is None or not (path.startswith("/") or ".." in path.split("/"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cleaned-ckd-dataset/x.csv", "cleaned_ckd_dataset/x.csv"),
        ("a/source/x.csv", "a/x.csv"),
        ("A B/X.csv", "a-b/x.csv"),
    ],
)
def test_spellings_that_are_forgiven(one, other):
    """Case, punctuation and the `source` folder."""
    assert comparison_key(one) == comparison_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a/x.csv", "b/x.csv"),
        ("a/x.csv", "a/x.tsv"),
        ("a/1.5.csv", "a/15.csv"),
        ("a/-", "a/_"),
        ("a/x (1).csv", "a/x1.csv"),
        ("a/x-1.csv", "a/x1.csv"),
        ("a/数1.csv", "a/文1.csv"),
    ],
)
def test_spellings_that_stay_apart(one, other):
    """Other folders, extensions and names of nothing but punctuation."""
    assert comparison_key(one) != comparison_key(other)


def test_content_classes_leave_ambiguous_spellings_out():
    """A key shared by different files says nothing; one shared by copies does."""
    files = [DataFile(path=path, bytes=1, sha256=sha) for path, sha in (("a/1-2", "p"), ("a/1_2", "q"), ("b/C", "r"))]
    classes = content_classes(files)
    assert (classes["a/1-2"], classes["a/1_2"], classes["b/C"], classes[comparison_key("B/c")]) == ("p", "q", "r", "r")
    assert comparison_key("a/1-2") not in classes


def test_metadata_files_do_not_count():
    """In whatever folder they lie."""
    assert not counts_for_discovery("a/dataset-metadata.json")
    assert counts_for_discovery("a/metadata.json")


def test_file_sha256_is_that_of_the_bytes(tmp_path):
    """Of an empty file, the well-known value."""
    path = tmp_path / "empty"
    path.touch()
    assert file_sha256(path).startswith("e3b0c44298fc1c14")


def test_files_of_a_run_lie_in_its_directory(tmp_path):
    """Each has a name of its own."""
    run = RunDirectory(tmp_path)
    files = [run.config_file, run.journal_file, run.predictions_file, run.scores_file, run.logs]
    assert len({path.name for path in files}) == len(files)
    assert all(path.parent == tmp_path for path in files)
