"""A folder as a corpus: what notebooks refer to, in every way they write it, and what bad files come to."""

import contextlib
import json
import os
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coda_bench.construct.corpus.fold import folded
from coda_bench.construct.corpus.folder import FolderOptions, read_folder
from coda_bench.construct.corpus.references import Slugs, plain
from coda_bench.errors import BadInput
from coda_bench.programs.strings import Strings, Unparsable

SETS = ("red-wine", "white-wine", "crime_rates", "Space Weather")


@pytest.fixture
def root(tmp_path) -> Path:
    for name in SETS:
        folder = tmp_path / "root/datasets" / name
        folder.mkdir(parents=True)
        (folder / "d.csv").write_text("a,b\n1,2\n")
    (tmp_path / "root/notebooks").mkdir()
    return tmp_path / "root"


def notebook(root: Path, name: str, *cells: str, **metadata) -> None:
    """Write a notebook of code cells; of text where a cell begins with `#md`."""
    rows = [
        {"cell_type": "markdown" if cell.startswith("#md") else "code", "source": cell.removeprefix("#md")}
        for cell in cells
    ]
    path = root / "notebooks" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"cells": rows, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}))


def used(root: Path, out: Path, **options) -> dict[str, set[str]]:
    """Read a folder and return by notebook the data sets it uses."""
    read_folder(root, out, FolderOptions(**options))
    query = f"""
    SELECT notebook, list(dataset) FROM '{out}/uses.parquet'
    JOIN read_parquet('{out}/notebooks.parquet', file_row_number = true) n ON n.file_row_number = notebook_row
    JOIN read_parquet('{out}/datasets.parquet', file_row_number = true) d ON d.file_row_number = dataset_row
    GROUP BY notebook
    """
    return {name: set(names) for name, names in duckdb.sql(query).fetchall()}


def findings(out: Path) -> list[tuple[str, str]]:
    rows = map(json.loads, (out / "findings.jsonl").read_text().splitlines())
    return [(row["kind"], row["where"]) for row in rows]


@pytest.mark.parametrize(
    "code",
    [
        "pd.read_csv('../input/red-wine/d.csv')",
        "pd.read_csv('/kaggle/input/red-wine/d.csv')",
        "pd.read_csv('/kaggle/input/datasets/ann/red-wine/d.csv')",
        "pd.read_csv('../input/red_wine/d.csv')",
        "pd.read_csv('datasets/red-wine/d.csv')",
        "pd.read_csv('/data/red-wine/source/d.csv')",
        "pd.read_csv(r'C:\\data\\red-wine\\d.csv')",
        "base = '../input'\npd.read_csv(base + '/red-wine/' + 'd.csv')",
        "base = '../input'\npd.read_csv(f'{base}/red-wine/{name}.csv')",
        "pd.read_csv(os.path.join('..', 'input', 'red-wine', file))",
        "pd.read_csv(Path('/kaggle/input') / 'red-wine' / 'd.csv')",
        "pd.read_csv(Path('/kaggle').joinpath('input', 'red-wine', 'd.csv'))",
        "pd.read_csv('../input/%s/d.csv' % 'red-wine')",
        "pd.read_csv('../input/{}/{}.csv'.format('red-wine', 'd'))",
        "for slug in ['red-wine', 'nothing']:\n    pd.read_csv('../input/' + slug + '/d.csv')",
        "paths = {'wine': '../input/red-wine/d.csv'}\npd.read_csv(paths['wine'])",
        "for name, path in {'wine': '../input/red-wine/d.csv'}.items():\n    pd.read_csv(path)",
        "if local:\n    base = '.'\nelse:\n    base = '/kaggle/input/red-wine'\npd.read_csv(base + '/d.csv')",
        "def load(name):\n    '''Loads.'''\n    return pd.read_csv('../input/red-wine/' + name)",
        "!head ../input/red-wine/d.csv",
        "%%bash\nwc -l /kaggle/input/red-wine/d.csv",
        "%%time\npd.read_csv('../input/red-wine/d.csv')",
        "print 'Python 2'\npd.read_csv('../input/red-wine/d.csv')",
    ],
)
def test_every_way_of_naming_a_path_is_found(root, tmp_path, code):
    """Constants, joins, formats, loops, conditions, shell commands, code of Python 2."""
    notebook(root, "one.ipynb", code)
    assert used(root, tmp_path / "out") == {"one.ipynb": {"red-wine"}}


@pytest.mark.parametrize(
    "cells",
    [
        ("#md see ../input/red-wine/d.csv",),
        ("# pd.read_csv('../input/red-wine/d.csv')",),
        ("'''../input/red-wine/d.csv'''",),
        ("print('red-wine')",),
        ("pd.read_csv('https://example.org/input/red-wine/d.csv')",),
        ("!ls # ../input/red-wine/d.csv",),
    ],
)
def test_what_is_no_path_does_not_count(root, tmp_path, cells):
    """Text, comments, docstrings, plain words and addresses."""
    notebook(root, "one.ipynb", *cells)
    assert used(root, tmp_path / "out") == {}


def test_names_carry_from_cell_to_cell(root, tmp_path):
    """A base set in one cell, a list in another, and both used in a third, with where it was found."""
    notebook(root, "one.ipynb", "base = '../input'", "kinds = ['red', 'white']",
             "for kind in kinds:\n    pd.read_csv(f'{base}/{kind}-wine/d.csv')")  # fmt: skip
    assert used(root, tmp_path / "out") == {"one.ipynb": {"red-wine", "white-wine"}}
    rows = [json.loads(line) for line in (tmp_path / "out/references.jsonl").read_text().splitlines()]
    assert {(row["dataset"], row["cell"], row["line"]) for row in rows} == {("red-wine", 3, 2), ("white-wine", 3, 2)}


def test_metadata_of_kaggle_counts_too(root, tmp_path):
    """`kernel-metadata.json` names sources; numbers in a notebook's own metadata are told, since none resolves them."""
    notebook(root, "a/one.ipynb", "x = 1")
    (root / "notebooks/a/kernel-metadata.json").write_text('{"dataset_sources": ["ann/crime-rates", "bob/unknown"]}')
    kaggle = {"dataSources": [{"sourceId": 7, "sourceType": "datasetVersion"}], "dockerImageVersionId": 30001}
    notebook(root, "two.ipynb", "x = 2", kaggle=kaggle)
    assert used(root, tmp_path / "out") == {"a/one.ipynb": {"crime_rates"}}
    assert ("source_numbers", "two.ipynb") in findings(tmp_path / "out")
    rows = duckdb.sql(f"SELECT notebook, docker_image FROM '{tmp_path}/out/notebooks.parquet'").fetchall()
    assert dict(rows)["two.ipynb"] == "30001"


def test_a_path_of_kaggles_to_no_data_set_is_told(root, tmp_path):
    """With cell and line, so that a person finds it."""
    notebook(root, "one.ipynb", "x = 1", "\npd.read_csv('../input/elsewhere/d.csv')")
    read_folder(root, tmp_path / "out")
    assert findings(tmp_path / "out") == [("unresolved", "one.ipynb:2:2")]


def test_owners_keep_data_sets_of_one_slug_apart(tmp_path):
    """The owner in the path or the metadata decides; without one there is no guess."""
    for owner in ("ann", "bob"):
        folder = tmp_path / f"root/datasets/{owner}/wine"
        folder.mkdir(parents=True)
        (folder / "d.csv").write_text("a\n1\n")
        (folder / "dataset-metadata.json").write_text(
            json.dumps({"id": f"{owner}/wine", "licenses": [{"name": "CC0-1.0"}]})
        )
    notebook(tmp_path / "root", "one.ipynb", "open('/kaggle/input/datasets/bob/wine/d.csv')")
    notebook(tmp_path / "root", "two.ipynb", "open('../input/wine/d.csv')")
    assert used(tmp_path / "root", tmp_path / "out") == {"one.ipynb": {"bob/wine"}}
    assert ("unresolved", "two.ipynb:1:1") in findings(tmp_path / "out")


def test_other_licences_are_left_out_and_counted(root, tmp_path):
    """An allow-list by the metadata's names; what has none is `unknown`."""
    (root / "datasets/red-wine/dataset-metadata.json").write_text(
        '{"licenses": [{"name": "CC0-1.0"}], "title": "Wine"}'
    )
    notebook(root, "one.ipynb", "open('../input/red-wine/d.csv'); open('../input/white-wine/d.csv')")
    assert used(root, tmp_path / "out", licences=("CC0-1.0",)) == {"one.ipynb": {"red-wine"}}
    manifest = read_folder(root, tmp_path / "out", FolderOptions(licences=("CC0-1.0",)))
    assert manifest.counts["datasets_of_other_licences"] == 3


def test_near_duplicates_count_once(root, tmp_path):
    """A copy with other comments and spaces is the same notebook; one with other code is not."""
    lines = [f"x{number} = table['column {number}'].mean()" for number in range(30)]
    code = "open('../input/red-wine/d.csv')\n" + "\n".join(lines)
    notebook(root, "a.ipynb", code)
    notebook(root, "b.ipynb", "# mine\n" + code.replace(" = ", "=") + "\n# end")
    notebook(root, "c.ipynb", "open('../input/white-wine/d.csv')\n" + "\n".join(lines[:5]).replace("mean", "sum"))
    assert used(root, tmp_path / "out") == {"a.ipynb": {"red-wine"}, "c.ipynb": {"white-wine"}}
    rows = duckdb.sql(f"SELECT notebook, folded_into FROM '{tmp_path}/out/notebooks.parquet'").fetchall()
    assert dict(rows) == {"a.ipynb": None, "b.ipynb": "a.ipynb", "c.ipynb": None}


def test_bad_files_are_findings_and_the_rest_is_read(root, tmp_path):
    """No JSON, no text, nested without end, another language, names that try everything."""
    folder = root / "notebooks"
    notebook(root, "good.ipynb", "open('../input/red-wine/d.csv')")
    (folder / "bad.ipynb").write_text("{")
    (folder / "list.ipynb").write_text("[1]")
    (folder / "deep.ipynb").write_text("[" * 100_000)
    (folder / "bytes.py").write_bytes(b"x = '\xff'")
    (folder / "stats.R").write_text("read.csv('../input/red-wine/d.csv')")
    notebook(root, "julia.ipynb", "x", kernelspec={"language": "julia"})
    for name in ("-rf.py", "a\nb.py", "ümläut 🍷.py", "x" * 251 + ".py"):
        (folder / name).write_text("open('../input/red-wine/d.csv')")
    (folder / "link.py").symlink_to("/etc/passwd")
    with (folder / "huge.ipynb").open("wb") as stream:
        stream.truncate(51 << 20)
    found = used(root, tmp_path / "out", similarity=2)
    assert len(found) == 5
    told = findings(tmp_path / "out")
    unreadable = {"bad.ipynb", "list.ipynb", "deep.ipynb", "bytes.py", "huge.ipynb"}
    assert {where for kind, where in told if kind == "unreadable"} == unreadable
    assert {where for kind, where in told if kind == "language"} == {"stats.R", "julia.ipynb"}


def test_an_old_notebook_with_sheets_is_read(root, tmp_path):
    """The third version of the format keeps cells in worksheets, code under `input`."""
    cells = [{"cell_type": "code", "input": ["open('../input/red-wine/d.csv')"]}]
    (root / "notebooks/old.ipynb").write_text(
        json.dumps({"worksheets": [{"cells": cells}], "metadata": {}, "nbformat": 3})
    )
    assert used(root, tmp_path / "out") == {"old.ipynb": {"red-wine"}}


def test_a_folder_without_data_or_notebooks_is_refused(tmp_path):
    """With a sentence that says what was looked for."""
    with pytest.raises(BadInput, match="no such folder"):
        read_folder(tmp_path / "none", tmp_path / "out")
    with pytest.raises(BadInput, match="no data set in it"):
        read_folder(tmp_path, tmp_path / "out")


def test_the_same_folder_gives_the_same_bytes(root, tmp_path):
    """Read twice, whatever order the disk lists it in, the tables are equal to the byte."""
    for number in range(8):
        notebook(root, f"{number}.ipynb", f"open('../input/{SETS[number % 3]}/d.csv')\ny = {number}")
    stored = []
    for name in ("one", "other"):
        read_folder(root, tmp_path / name)
        stored.append({path.name: path.read_bytes() for path in sorted((tmp_path / name).iterdir())})
        os.utime(root / "notebooks/0.ipynb")
    assert stored[0] == stored[1]


@given(st.text(max_size=200))
def test_no_code_stops_the_reading(source):
    """Whatever stands in a cell gives strings or is said not to parse."""
    with contextlib.suppress(Unparsable):
        list(Strings().of_cell(source))


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=60), max_size=6))
def test_folding_never_loses_a_notebook(codes):
    """Every notebook is kept, or repeats one that is."""
    named = {f"n{number}": code for number, code in enumerate(codes)}
    repeats = folded(named)
    assert all(target in named and target not in repeats for target in repeats.values())


def test_slugs_are_compared_by_letters_and_digits():
    """As code writes them: underscores for hyphens, another case; two that would be one are none."""
    assert plain("Cleaned_CKD-dataset ") == "cleanedckddataset"
    assert Slugs(["ann/a-b", "bob/c"]).find("A_B") == "ann/a-b"
    assert Slugs(["ann/a-b", "bob/a_b"]).find("a-b") is None
