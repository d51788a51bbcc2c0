"""Conversion of package files, and that it repeats byte for byte."""

import bz2
import gzip
import re
import sqlite3
import zlib

import openpyxl
import pyarrow.parquet as pq
import pytest

from coda_bench.demo.convert import convert
from coda_bench.errors import BadInput

TEXT = "name,count,share\nÅse,1,0.5\nBo,,0.25\n"


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "table.csv.bz2"
    path.write_bytes(bz2.compress(TEXT.encode()))
    return path


def test_same_ending_is_copied_byte_for_byte(source, tmp_path):
    """A natural file stays what its package shipped."""
    convert([source], tmp_path / "copy.csv.bz2")
    assert (tmp_path / "copy.csv.bz2").read_bytes() == source.read_bytes()


def test_csv_is_decompressed(source, tmp_path):
    """The text is the compressed one."""
    convert([source], tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_text() == TEXT


def test_gzip_holds_the_text(source, tmp_path):
    """Compression changes the container alone."""
    convert([source], tmp_path / "table.csv.gz")
    assert gzip.decompress((tmp_path / "table.csv.gz").read_bytes()).decode() == TEXT


def test_parquet_keeps_types_and_nulls(source, tmp_path):
    """Numbers are numbers and an empty cell is null."""
    convert([source], tmp_path / "table.parquet")
    assert pq.read_table(tmp_path / "table.parquet").to_pylist() == [
        {"name": "Åse", "count": 1, "share": 0.5},
        {"name": "Bo", "count": None, "share": 0.25},
    ]


def test_xlsx_keeps_types_and_nulls(source, tmp_path):
    """A spreadsheet program sees the header and typed cells."""
    convert([source], tmp_path / "table.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "table.xlsx").active
    assert list(sheet.values) == [("name", "count", "share"), ("Åse", 1, 0.5), ("Bo", None, 0.25)]


def test_sqlite_has_a_table_for_each_source(source, tmp_path):
    """Tables are named after their files."""
    other = tmp_path / "other.csv"
    other.write_text("x\n3\n")
    convert([source, other], tmp_path / "all.sqlite")
    connection = sqlite3.connect(tmp_path / "all.sqlite")
    assert connection.execute("SELECT count, share FROM 'table'").fetchall() == [(1, 0.5), (None, 0.25)]
    assert connection.execute("SELECT x FROM other").fetchall() == [(3,)]
    connection.close()


def test_pdf_holds_the_lines_of_the_texts(tmp_path):
    """Every line is there as written, and each text starts on a page of its own."""
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(f"variable {name} (=1 if \\ so)\n" * 100)
    convert([tmp_path / "a.txt", tmp_path / "b.txt"], tmp_path / "book.pdf")
    content = (tmp_path / "book.pdf").read_bytes()
    assert content.startswith(b"%PDF-1.")
    streams = re.findall(rb"stream\n(.*?)\nendstream", content, re.DOTALL)
    shown = b"".join(zlib.decompress(stream) for stream in streams)
    assert shown.count(rb"variable a \(=1 if \\ so\)") == shown.count(rb"variable b \(=1 if \\ so\)") == 100
    assert re.search(rb"/Count 4\b", content)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet", "t.xlsx", "t.sqlite", "t.pdf"])
def test_conversion_repeats_byte_for_byte(source, tmp_path, name):
    """Two runs differ in nothing, so a manifest's hashes hold on every machine with the same packages."""
    for run in ("first", "second"):
        convert([source], tmp_path / run / name)
    assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()


def test_a_missing_source_is_named(tmp_path):
    """The message names the file and what to install."""
    with pytest.raises(BadInput, match=r"gone\.csv.*installed package"):
        convert([tmp_path / "gone.csv"], tmp_path / "t.csv")


def test_an_unknown_ending_is_refused(source, tmp_path):
    """No file is written in a format nobody can write."""
    with pytest.raises(BadInput, match=r"no way to write \.hdf5"):
        convert([source], tmp_path / "t.hdf5")
