"""The numbers of an environment, computed by hand beside."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coda_bench.construct.environment.measures.headers import headers_of, jaccard
from coda_bench.construct.environment.measures.measure import Tasks, measure
from coda_bench.construct.environment.measures.similarity import described, embedded, lexical, similarity
from coda_bench.records.environment import Column, DataTable, FileProfile, Problem


def file(path, columns=(), *, sha256=None, form="csv", n_bytes=10, header=True, problems=()):
    """Return a profile made by hand."""
    table = DataTable(rows=1, columns=tuple(Column(name=name, type="text") for name in columns), n_columns=len(columns))
    return FileProfile(
        path=path,
        bytes=n_bytes,
        sha256=sha256 or path,
        format=form,
        header=header,
        tables=(table,) if columns else (),
        problems=tuple(Problem(kind=kind, message="") for kind in problems),
    )


KIDNEY = ("age", "sex", "bp", "sg", "al", "su", "rbc", "pc", "ba", "class")
FILES = [
    file("ckd/kidney.csv", KIDNEY, sha256="k"),
    file("ckd/dataset-metadata.json", form="json"),
    file("copies/kidney_disease.csv", KIDNEY, sha256="k"),
    file("other/kidney.csv", KIDNEY, sha256="k2"),
    file("other/almost.csv", (*KIDNEY[:9], "klass")),
    file("other/less.csv", KIDNEY[:8]),
    file("other/few.csv", KIDNEY[:5]),
    file("films/films.csv", ("title", "year")),
    file("films/poster.png", form="png", problems=["truncated"]),
    file("films/none.csv", form="empty", n_bytes=0, problems=["empty_file"], sha256="e"),
]


def measured(**tasks):
    return measure("c1", FILES, [], tasks=Tasks(**tasks))


def test_snr_is_targets_over_files():
    """Ten files; two tasks with one and two targets, one of which both share: 2/10, and (1/10 + 2/10) / 2."""
    found = measured(targets={1: ("ckd/kidney.csv",), 2: ("ckd/kidney.csv", "films/films.csv")}).signal
    assert (found.n_tasks, found.n_targets, found.n_files) == (2, 2, 10)
    assert found.snr == 0.2
    assert found.snr_per_task == pytest.approx(0.15)


def test_copies_are_one_target_and_other_spellings_find_it():
    """Underscores, an extra source/, a prefix; the second file of the same bytes is the same target."""
    paths = ("data/c1/full_community/ckd/source/Kidney.csv", "copies/kidney-disease.csv")
    found = measured(targets={1: paths}).signal
    assert (found.n_targets, found.missing_targets) == (1, ())


def test_targets_that_are_not_here_are_named():
    """And metadata files are never targets."""
    found = measured(targets={1: ("ckd/gone.csv", "ckd/dataset-metadata.json")}).signal
    assert (found.n_tasks, found.n_targets) == (1, 0)
    assert found.missing_targets == ("ckd/dataset-metadata.json", "ckd/gone.csv")


def test_without_targets_there_is_no_ratio():
    """None, and not a zero that would be averaged."""
    found = measured()
    assert (found.signal.snr, found.signal.snr_per_task, found.look_alikes.share) == (None, None, None)


def test_look_alikes_are_counted_by_header():
    """Ten files less the target, its copy and the metadata are seven distractors.

    other/kidney.csv has the same ten names. other/almost.csv shares 9 of 11 (0.82), other/less.csv 8 of 10 (0.8):
    nearly the same. other/few.csv shares 5 of 10: not. So 3 / 7.
    """
    found = measured(targets={1: ("ckd/kidney.csv",)}).look_alikes
    assert (found.n_distractors, found.n_same_header, found.n_near_header) == (7, 1, 2)
    assert found.share == pytest.approx(3 / 7)
    assert found.examples == ("other/almost.csv", "other/kidney.csv", "other/less.csv")


def test_classes_of_copies_and_of_headers():
    """Copies have the same bytes; a class of headers has different bytes; empty files are no copies."""
    found = measured()
    assert [one.paths for one in found.copies] == [("ckd/kidney.csv", "copies/kidney_disease.csv")]
    assert found.copies[0].n_datasets == 2
    assert [one.paths for one in found.headers] == [("ckd/kidney.csv", "copies/kidney_disease.csv", "other/kidney.csv")]


def test_volume_formats_and_problems_are_counted():
    """Each file once."""
    found = measured()
    assert found.n_bytes == 90
    assert {name: n.files for name, n in found.formats.items()} == {"csv": 7, "empty": 1, "json": 1, "png": 1}
    assert sum(n.files for n in found.formats.values()) == found.n_files
    assert found.problems == {"empty_file": 1, "truncated": 1}


def test_a_header_is_its_names_without_case_and_punctuation():
    """Tables without names, invented names and single columns have none."""
    assert headers_of(file("x", ("Age (years)", "Sex"))) == [("ageyears", "sex")]
    assert headers_of(file("x", ("age",))) == []
    assert headers_of(file("x", ("column0", "column1"), header=False)) == []
    assert headers_of(file("x", ("column0", "column1"), header=None)) == []


@given(st.frozensets(st.sampled_from("abcdef")), st.frozensets(st.sampled_from("abcdef")))
def test_jaccard_is_symmetric_and_one_only_for_the_same(one, other):
    """Between 0 and 1."""
    assert jaccard(one, other) == jaccard(other, one)
    assert 0 <= jaccard(one, other) <= 1
    assert (jaccard(one, other) == 1) == (one == other and bool(one))


def test_what_is_compared_is_what_an_agent_sees_before_opening():
    """Words of path and columns, cut at case and punctuation."""
    assert described(file("ckd-set/KidneyDisease_2.csv", ("bloodPressure", "Age"))) == (
        "ckd set kidney disease 2 csv blood pressure age"
    )


def test_lexical_similarity_is_the_cosine_of_tfidf():
    """Texts `a b`, `a c`: idf(a) = ln(3/3)+1 = 1, idf(b) = idf(c) = ln(3/2)+1; cosine = 1 / (1 + idf(b)²)."""
    files = [file("a/b", form="x"), file("a/c", form="x")]
    compare = lexical(files)
    (row,) = compare([described(files[0])], [described(one) for one in files])
    assert row[0] == 1
    assert row[1] == pytest.approx(1 / (1 + (math.log(1.5) + 1) ** 2), abs=1e-6)


def test_auc_says_how_often_a_distractor_is_closer_than_a_random_file():
    """Target `x/a`: distractor `x/b` shares a word, `y/c` none; random `z/d` none: (1 + 1/2) / 2 = 0.75."""
    anchors, near, far = [file("x/a")], [file("x/b"), file("y/c")], [file("z/d")]
    found = similarity(anchors, near, far, method="lexical", kind="targets")
    assert [(one.scope, one.auc, one.n_distractors) for one in found] == [
        ("all", 0.75, 2),
        ("other data sets", 0.5, 1),
    ]


def test_similarity_needs_other_communities():
    """What is random cannot be made up."""
    assert measured().similarities == ()
    assert measured().unmeasured == ("similarity: no other community to take random files from",)


def test_files_of_the_community_itself_are_not_random():
    """A copy that another community holds as well is left out of the random files."""
    background = [file("elsewhere/kidney.csv", KIDNEY, sha256="k"), file("elsewhere/x.csv", ("q", "r"))]
    found = measure("c1", FILES, [], tasks=Tasks(targets={1: ("ckd/kidney.csv",)}), background=background)
    assert {one.n_random for one in found.similarities} == {1}
    assert all(one.anchors == "targets" for one in found.similarities)
    assert found.similarities[0].auc > 0.5


def test_embeddings_find_what_shares_no_word():
    """Renal failure is closer to kidney disease than films are; the model comes with its package."""
    pytest.importorskip("wordllama", reason="embeddings need the extra `embed`")
    (row,) = embedded()(["kidney disease"], ["renal failure of patients", "movie ratings by genre"])
    assert row[0] > row[1]


METADATA = (
    '{"title": "CKD", "description": "Of 400 patients 62.5% had it, as Smith found. See kidney.csv, and 3 more."}'
)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("62.5%", True),
        ("smith", True),
        ("400; Smith", True),
        ("400; Jones", False),
        ("3", False),
        ("62", False),
        ("40", False),
        ("mit", False),
        ("; ", False),
    ],
)
def test_metadata_that_names_an_answer_is_reported(tmp_path, answer, told):
    """All fields must stand there for themselves, and one must be long enough to tell."""
    (tmp_path / "ckd").mkdir()
    (tmp_path / "ckd" / "dataset-metadata.json").write_text(METADATA)
    found = measure("c1", FILES, [], tasks=Tasks(answers={7: answer}), directory=tmp_path)
    assert [one.kind for one in found.metadata_findings] == ["metadata_names_answer"] * told
    assert answer not in "".join(one.message for one in found.metadata_findings) or not answer.strip("; ")


def test_metadata_that_names_a_target_is_noted(tmp_path):
    """By its file name."""
    (tmp_path / "ckd").mkdir()
    (tmp_path / "ckd" / "dataset-metadata.json").write_text(METADATA)
    found = measure("c1", FILES, [], tasks=Tasks(targets={7: ("ckd/kidney.csv",)}), directory=tmp_path)
    assert [(one.kind, one.severity) for one in found.metadata_findings] == [("metadata_names_target", "note")]
