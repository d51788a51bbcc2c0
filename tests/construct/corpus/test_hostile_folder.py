"""Folders that lead astray: links, names, metadata and sizes; what is left out is told, the rest is read."""

import json
import os
import shutil
from pathlib import Path

import duckdb
import pytest

from coda_bench.construct.corpus.folder import FolderOptions, read_folder
from coda_bench.errors import BadInput
from coda_bench.records.corpus import CorpusManifest


class Corpus:
    """A folder with two data sets and a notebook that uses one, and what reading it gives."""

    def __init__(self, folder: Path) -> None:
        self.root, self.out, self.elsewhere = folder / "root", folder / "out", folder / "elsewhere"
        for slug in ("wine", "beer"):
            self.write(f"datasets/{slug}/d.csv", "a\n1\n")
        self.write("notebooks/good.py", "open('../input/wine/d.csv')")
        self.elsewhere.mkdir()

    def write(self, name: str, text: str) -> Path:
        """Write a file of the folder."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def read(self, **options) -> CorpusManifest:
        """Read the folder, by default without folding."""
        return read_folder(self.root, self.out, FolderOptions(**{"similarity": 2, **options}))

    @property
    def findings(self) -> set[tuple[str, str]]:
        """Kind and place of each finding."""
        rows = map(json.loads, (self.out / "findings.jsonl").read_text().splitlines())
        return {(row["kind"], row["where"]) for row in rows}

    @property
    def references(self) -> list[tuple[str, str | None, int, int]]:
        """Notebook, data set, cell and line of each."""
        rows = map(json.loads, (self.out / "references.jsonl").read_text().splitlines())
        return [(row["notebook"], row["dataset"], row["cell"], row["line"]) for row in rows]

    def column(self, table: str, name: str) -> list[str]:
        """One column of a stored table."""
        return [row[0] for row in duckdb.sql(f"SELECT {name} FROM '{self.out}/{table}.parquet'").fetchall()]


@pytest.fixture
def corpus(tmp_path) -> Corpus:
    return Corpus(tmp_path)


def test_metadata_behind_links_is_not_read(corpus):
    """A link would take a file of somebody else's into the corpus, by its title or as a source."""
    for name, folder in (("dataset-metadata.json", "datasets/wine"), ("kernel-metadata.json", "notebooks")):
        (corpus.elsewhere / name).write_text('{"title": "SECRET", "dataset_sources": ["x/beer"]}')
        (corpus.root / folder / name).symlink_to(corpus.elsewhere / name)
    corpus.read()
    assert corpus.column("datasets", "title") == ["beer", "wine"]
    assert corpus.references == [("good.py", "wine", 1, 1)]
    assert {where for kind, where in corpus.findings if kind == "bad_metadata"} == {
        "datasets/wine/dataset-metadata.json",
        "notebooks/kernel-metadata.json",
    }


def test_links_to_notebooks_and_data_are_told_and_not_followed(corpus):
    """Whether they lead out of the folder or stay inside."""
    (corpus.elsewhere / "other.py").write_text("open('../input/beer/d.csv')")
    (corpus.root / "notebooks/file.py").symlink_to(corpus.elsewhere / "other.py")
    (corpus.root / "notebooks/folder").symlink_to(corpus.elsewhere)
    (corpus.root / "datasets/outside").symlink_to(corpus.elsewhere)
    (corpus.root / "datasets/circle").symlink_to(corpus.root)
    manifest = corpus.read()
    assert manifest.counts["links_not_followed"] == 4
    assert corpus.column("datasets", "dataset") == ["beer", "wine"]
    assert corpus.column("notebooks", "notebook") == ["good.py"]


def test_a_folder_of_notebooks_that_is_a_link_is_not_entered(corpus):
    """The refusal says that there was one."""
    shutil.move(corpus.root / "notebooks", corpus.elsewhere)
    (corpus.root / "notebooks").symlink_to(corpus.elsewhere / "notebooks")
    with pytest.raises(BadInput, match=r"no notebook in it.*notebooks: a link; not followed"):
        corpus.read()


@pytest.mark.parametrize("stated", ["../../etc", "a/../b", "/etc", "a/b/c", "", "a//b", "a\nb", "a\\b", "x" * 300, 7])
def test_an_id_that_is_no_name_is_not_taken(corpus, stated):
    """Names of data sets become names of folders; the folder's own is taken then."""
    corpus.write("datasets/wine/dataset-metadata.json", json.dumps({"id": stated}))
    corpus.read()
    assert corpus.column("datasets", "dataset") == ["beer", "wine"]
    assert not stated or ("bad_metadata", "datasets/wine/dataset-metadata.json") in corpus.findings


@pytest.mark.parametrize("text", ["{", "[]", "[" * 100_000, "\\ud800", '{"id": "\\ud800", "title": "\\ud800"}'])
def test_metadata_that_cannot_be_read_is_a_finding(corpus, text):
    """And the data set is there under its folder's name."""
    corpus.write("datasets/wine/dataset-metadata.json", text)
    corpus.write("notebooks/kernel-metadata.json", text)
    corpus.read()
    assert corpus.column("datasets", "dataset") == ["beer", "wine"]
    assert ("bad_metadata", "datasets/wine/dataset-metadata.json") in corpus.findings


def test_metadata_is_read_up_to_a_limit(corpus):
    """Three gigabytes of nothing are not taken into memory."""
    with corpus.write("datasets/wine/dataset-metadata.json", "").open("wb") as stream:
        stream.truncate(3 << 30)
    corpus.read()
    assert ("bad_metadata", "datasets/wine/dataset-metadata.json") in corpus.findings


def test_a_data_set_whose_name_is_no_text_is_left_out_and_told(corpus):
    """No stored path would lead to it."""
    os.mkdir(os.fsencode(corpus.root) + b"/datasets/b\xff")  # noqa: PTH102 - a name of bytes
    manifest = corpus.read()
    counts = manifest.counts
    assert ("bad_name", "datasets/b\\udcff") in corpus.findings
    assert counts["datasets_seen"] == counts["datasets"] + counts["datasets_that_cannot_be_named"] == 3


def test_a_folder_that_cannot_be_listed_is_told(corpus):
    """Here one whose path is longer than the system takes: what lies in it is not missed in silence."""
    handles = [os.open(corpus.root, os.O_RDONLY)]
    try:
        for _ in range(20):
            os.mkdir("x" * 250, dir_fd=handles[-1])
            handles.append(os.open("x" * 250, os.O_RDONLY, dir_fd=handles[-1]))
        manifest = corpus.read()
    finally:
        for handle in handles:
            os.close(handle)
        shutil.rmtree(corpus.root / ("x" * 250))
    assert manifest.counts["folders_that_cannot_be_read"] == 1
    assert any(kind == "unreadable" for kind, _ in corpus.findings)


def test_a_pipe_is_no_notebook(corpus):
    """Reading it would wait for ever."""
    os.mkfifo(corpus.root / "notebooks/pipe.py")
    os.mkfifo(corpus.root / "datasets/wine/pipe.csv")
    assert corpus.read().counts["notebooks_that_cannot_be_read"] == 1
    assert ("unreadable", "notebooks/pipe.py") in corpus.findings


def test_every_notebook_seen_is_accounted_for(corpus):
    """Read, folded, in another language or unreadable: the numbers add up."""
    for name in ("copy.py", "more.py"):
        corpus.write(f"notebooks/{name}", "open('../input/wine/d.csv')")
    for name in ("stats.R", "model.jl", "bad.ipynb"):
        corpus.write(f"notebooks/{name}", "{")
    counts = corpus.read(similarity=0.9).counts
    assert counts["notebooks_seen"] == 6
    parts = ("notebooks", "folded", "notebooks_in_other_languages", "notebooks_that_cannot_be_read")
    assert [counts[name] for name in parts] == [1, 2, 2, 1]
    sizes = ("no_data_set", "one", "two", "three_or_more")
    assert counts["notebooks"] == sum(counts[f"notebooks_with_{size}"] for size in sizes)


def test_metadata_of_one_notebook_is_not_that_of_its_neighbours(corpus):
    """`kernel-metadata.json` names the file it is about."""
    corpus.write("notebooks/kernel-metadata.json", '{"code_file": "good.py", "dataset_sources": ["a/beer"]}')
    corpus.write("notebooks/other.py", "x = 1")
    corpus.read()
    assert corpus.references == [("good.py", "wine", 1, 1), ("good.py", "beer", 0, 0)]


@pytest.mark.parametrize(
    ("code", "datasets"),
    [
        ("plt.title('wine/beer')", {"wine"}),
        ("plt.title('Wi ne/be er')", set()),
        ("open('wine/d.csv')", {"wine"}),
        ("open('./beer')", {"beer"}),
        ("open('datasets/beer')", {"beer"}),
        ("open('/data/wine')", {"wine"}),
        ("plt.xlabel('men/wine')", set()),
    ],
)
def test_a_relative_path_needs_a_folder(corpus, code, datasets):
    """A label with a slash is a path only if a data set's very name stands where a folder would."""
    corpus.write("notebooks/good.py", code)
    corpus.read()
    assert {dataset for _, dataset, _, _ in corpus.references} == datasets


def test_evidence_names_cell_and_line(corpus):
    """Of a percent script the cell from 1, also what stands before its first mark, and the line in the cell."""
    corpus.write("notebooks/good.py", "\nopen('../input/wine/d.csv')\n# %%\n\nopen('../input/beer/d.csv')\n")
    corpus.read()
    assert corpus.references == [("good.py", "wine", 1, 2), ("good.py", "beer", 2, 2)]


def test_a_cell_that_does_not_parse_is_named(corpus):
    """With the reason, and its strings still count."""
    corpus.write("notebooks/good.py", "# %%\nx = 1\n# %%\nprint 'x'\nopen('../input/wine/d.csv')\n")
    corpus.read()
    assert ("does_not_parse", "good.py:2") in corpus.findings
    assert corpus.references == [("good.py", "wine", 2, 2)]
