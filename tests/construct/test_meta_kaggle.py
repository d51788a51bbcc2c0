"""A dump of Meta Kaggle as a corpus: the join rule, what counts, and what is said of tables that are not in order."""

import csv
import json
from pathlib import Path

import duckdb
import pytest

from coda_bench.construct.corpus.meta_kaggle import MetaKaggleOptions, read_meta_kaggle
from coda_bench.errors import BadInput
from generation.kaggle import write_dump

# Two notebooks of ann (the second a fork), one in R of bob. Version ids of data sets and of their sources cross: a join
# on the wrong one would find rows, the wrong ones.
TABLES = {
    "Users": (["Id", "UserName"], [[1, "ann"], [2, "bob"]]),
    "Organizations": (["Id", "Slug"], [[1, "acme"]]),
    "KernelLanguages": (["Id", "Name"], [[5, "R"], [9, "IPython Notebook"]]),
    "Kernels": (
        ["Id", "AuthorUserId", "CurrentKernelVersionId", "ForkParentKernelVersionId", "CurrentUrlSlug"],
        [[1, 1, 12, "", "wine"], [2, 1, 20, 12, "wine-fork"], [3, 2, 30, "", "in-r"]],
    ),
    "KernelVersions": (
        ["Id", "ScriptId", "ScriptLanguageId", "Title"],
        [[11, 1, 9, "old"], [12, 1, 9, 'Wine, "red"\nand white'], [20, 2, 9, "fork"], [30, 3, 5, "in R"]],
    ),
    "KernelVersionDatasetSources": (
        ["Id", "KernelVersionId", "SourceDatasetVersionId"],
        [[1, 11, 101], [2, 11, 103], [3, 12, 101], [4, 12, 102], [5, 12, 101], [6, 20, 101], [7, 30, 103]],
    ),
    "Datasets": (
        ["Id", "OwnerUserId", "OwnerOrganizationId", "CurrentDatasetVersionId"],
        [[51, 1, "", 101], [52, "", 1, 102], [53, 2, "", 104]],
    ),
    "DatasetVersions": (
        "Id,DatasetId,DatasourceVersionId,VersionNumber,Title,Slug,LicenseName,TotalUncompressedBytes".split(","),
        [
            [101, 51, 102, 1, "Red wine", "red-wine", "CC0: Public Domain", 1000],
            [102, 52, 101, 3, "White wine", "white-wine", "Unknown", 2000],
            [103, 53, 104, 1, "Crime", "crime", "CC0: Public Domain", ""],
            [104, 53, 103, 2, "Crime", "crime", "CC0: Public Domain", 3000],
        ],
    ),
}  # fmt: skip


def write(folder: Path, *, reverse: bool = False, **changed) -> Path:
    """Write the tables, some of them changed, None for one that is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in {**TABLES, **changed}.items():
        if table is not None:
            header, rows = table
            with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as stream:
                csv.writer(stream).writerows([header, *(rows[::-1] if reverse else rows)])
    return folder


def uses(corpus: Path) -> set[tuple[str, str]]:
    """Return which notebook uses which data set, by name."""
    query = f"""
    SELECT notebook, dataset FROM '{corpus}/uses.parquet'
    JOIN read_parquet('{corpus}/notebooks.parquet', file_row_number = true) n ON n.file_row_number = notebook_row
    JOIN read_parquet('{corpus}/datasets.parquet', file_row_number = true) d ON d.file_row_number = dataset_row
    """
    return set(duckdb.sql(query).fetchall())


def test_sources_are_those_of_the_current_version_by_the_versions_own_id(tmp_path):
    """Old versions do not count, an organisation's data set carries its name, a pair stands once."""
    manifest = read_meta_kaggle(write(tmp_path / "dump"), tmp_path / "out")
    wine = {("ann/wine", "ann/red-wine"), ("ann/wine", "acme/white-wine")}
    assert uses(tmp_path / "out") == wine | {("ann/wine-fork", "ann/red-wine")}
    counts = {"notebooks_seen": 3, "notebooks": 2, "forks": 1, "datasets": 3, "uses": 3}
    assert {name: manifest.counts[name] for name in counts} == counts
    rows = duckdb.sql(f"SELECT title, version, forked_from FROM '{tmp_path}/out/notebooks.parquet'").fetchall()
    assert rows[0] == ('Wine, "red"\nand white', "12", None)
    assert duckdb.sql(
        f"SELECT version, bytes FROM '{tmp_path}/out/datasets.parquet' WHERE slug = 'crime'"
    ).fetchall() == [("2", 3000)]


def test_languages_forks_and_licences_are_chosen_and_recorded(tmp_path):
    """What does not count is left out, and the manifest says by which option."""
    dump = write(tmp_path / "dump")
    read_meta_kaggle(dump, tmp_path / "all", MetaKaggleOptions(languages=None))
    assert ("bob/in-r", "bob/crime") in uses(tmp_path / "all")
    chosen = MetaKaggleOptions(forks=False, licences=("CC0: Public Domain",))
    manifest = read_meta_kaggle(dump, tmp_path / "few", chosen)
    assert uses(tmp_path / "few") == {("ann/wine", "ann/red-wine")}
    assert manifest.options["licences"] == ["CC0: Public Domain"]
    assert manifest.options["forks"] is False


def test_sources_that_name_nothing_are_counted_and_warned_of(tmp_path):
    """More than one in a hundred is the usual sign of a wrong join or a torn dump."""
    header, rows = TABLES["KernelVersionDatasetSources"]
    dump = write(tmp_path / "dump", KernelVersionDatasetSources=(header, [*rows, [8, 12, 999]]))
    manifest = read_meta_kaggle(dump, tmp_path / "out")
    assert manifest.counts["source_rows_without_a_data_set"] == 1
    found = [json.loads(line) for line in (tmp_path / "out/findings.jsonl").read_text().splitlines()]
    assert [(one["kind"], one["severity"]) for one in found] == [("unmatched_sources", "warning")]


def test_a_missing_table_is_named(tmp_path):
    """A sentence with the file, not a traceback."""
    with pytest.raises(BadInput, match=r"Organizations\.csv: no such file"):
        read_meta_kaggle(write(tmp_path / "dump", Organizations=None), tmp_path / "out")


def test_a_renamed_column_is_named_with_what_is_there(tmp_path):
    """The usual change of a later dump: the message has both names."""
    dump = write(tmp_path / "dump", Users=(["Id", "Name"], [[1, "ann"]]))
    with pytest.raises(BadInput, match=r"Users\.csv: no column UserName; it has Id, Name"):
        read_meta_kaggle(dump, tmp_path / "out")


def test_a_value_of_another_type_is_named(tmp_path):
    """Text where a number belongs ends in a sentence, with no corpus left behind."""
    dump = write(tmp_path / "dump", Users=(["Id", "UserName"], [["one", "ann"]]))
    with pytest.raises(BadInput, match=r"Users\.csv: .*one"):
        read_meta_kaggle(dump, tmp_path / "out")
    assert not (tmp_path / "out/corpus.json").exists()


def test_the_order_of_rows_does_not_matter(tmp_path):
    """The same dump with its rows turned round gives the same tables to the byte."""
    tables = []
    for name, reverse in (("one", False), ("other", True)):
        out = tmp_path / name / "out"
        read_meta_kaggle(write(tmp_path / name / "dump", reverse=reverse), out)
        tables.append({path.name: path.read_bytes() for path in out.glob("*.parquet")})
    assert tables[0] == tables[1]


def test_a_generated_dump_has_the_shape_of_the_real_one(tmp_path):
    """About 6.7 source rows a notebook, four fifths of the notebooks with one data set, a fifth of them forks."""
    write_dump(tmp_path / "dump", datasets=2000, notebooks=5000)
    manifest = read_meta_kaggle(tmp_path / "dump", tmp_path / "out")
    rows = (tmp_path / "dump/KernelVersionDatasetSources.csv").read_text().count("\n") - 1
    assert 5 < rows / 5000 < 8
    assert 0.15 < manifest.counts["forks"] / manifest.counts["notebooks"] < 0.27
    assert manifest.counts["source_rows_without_a_data_set"] == 0
