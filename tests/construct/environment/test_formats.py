"""Formats are told by content, whatever a file is called."""

import bz2
import datetime as dt
import gzip
import io
import json
import lzma
import pickle
import sqlite3
import struct
import zipfile

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from pyarrow import feather, orc

CSV = b"a,b\n1,2\n3,4\n5,6\n"
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360000002000001e221bc330000000049454e44ae426082"
)


def kinds(profile):
    return [problem.kind for problem in profile.problems]


def table():
    return pa.table({"n": [1, 2, 3], "name": ["x", "y", "z"]})


def written(write, data=None):
    """Return the bytes that a writer of files makes."""
    sink = io.BytesIO()
    write(table() if data is None else data, sink)
    return sink.getvalue()


def arrow_bytes():
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table().schema) as writer:
        writer.write_table(table())
    return sink.getvalue()


def zipped(**files):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "."), content)
    return sink.getvalue()


def workbook():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Sales"
    for row in (["day", "n", "x", "who"], [dt.date(2024, 1, 1), 1, 1.5, "bob"], [dt.date(2024, 1, 2), 2, 2, None]):
        sheet.append(row)
    book.create_sheet("Empty")
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


def database(path):
    with sqlite3.connect(path) as connection:
        connection.execute("create table people (id integer, name text)")
        connection.executemany("insert into people values (?, ?)", [(1, "x"), (2, "y")])
    connection.close()
    return path.read_bytes()


def npy():
    sink = io.BytesIO()
    np.save(sink, np.zeros((5, 2)))
    return sink.getvalue()


FORMATS = {
    "parquet": (lambda: written(pq.write_table), "parquet", 3, 2),
    "arrow": (arrow_bytes, "arrow", 3, 2),
    "feather": (lambda: written(feather.write_feather), "arrow", 3, 2),
    "orc": (lambda: written(orc.write_table), "orc", 3, 2),
    "workbook": (workbook, "xlsx", 2, 4),
    "npy": (npy, "npy", 5, 2),
    "json array": (lambda: b'[{"a": 1, "b": "x"}, {"a": 2.5, "c": null}]', "json", 2, 3),
    "json lines": (lambda: b'{"a": 1}\n{"a": 2, "b": true}\n{"b": false}\n', "ndjson", 3, 2),
    "json with a table inside": (lambda: b'{"meta": 1, "rows": [{"a": 1}, {"a": 2}]}', "json", 2, 1),
    "geojson": (
        lambda: json.dumps(
            {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"name": "x", "pop": 3}}]}
        ).encode(),
        "geojson",
        1,
        2,
    ),
    "dbf": (
        lambda: (
            struct.pack("<BBBBIHH20x", 3, 124, 5, 17, 2, 65, 11)
            + struct.pack("<11sc4xBB14x", b"NAME", b"C", 10, 0)
            + b"\r"
            + b" aaaaaaaaaa bbbbbbbbbb"
        ),
        "dbf",
        2,
        1,
    ),
}


@pytest.mark.parametrize("name", FORMATS)
def test_tables_are_told_by_content_and_counted(profiled, name):
    """Format, rows and columns of the first table, under a name that says nothing."""
    make, form, n_rows, n_columns = FORMATS[name]
    found = profiled(make(), "nameless")
    assert (found.format, kinds(found)) == (form, [])
    assert (found.tables[0].rows, found.tables[0].n_columns) == (n_rows, n_columns)


def test_types_of_a_workbook_are_those_of_its_cells(profiled):
    """Sheets by name; whole and broken numbers together are numbers."""
    found = profiled(workbook(), "x.xlsx")
    assert [one.name for one in found.tables] == ["Sales", "Empty"]
    assert [column.type for column in found.tables[0].columns] == ["timestamp", "integer", "number", "text"]


def test_a_database_has_its_tables_told(profiled, tmp_path):
    """Name, columns with their declared types, rows."""
    found = profiled(database(tmp_path / "made.db"), "x.db")
    assert (found.format, kinds(found)) == ("sqlite", [])
    assert found.tables[0].name == "people"
    assert found.tables[0].rows == 2
    assert [(one.name, one.type) for one in found.tables[0].columns] == [("id", "integer"), ("name", "text")]


def test_a_stata_file_written_by_pandas_is_told(profiled):
    """Both the old and the new header."""
    pandas = pytest.importorskip("pandas")
    for version in (114, 117, 118):
        sink = io.BytesIO()
        data = pandas.DataFrame({"wage": [1.5, 2.5], "name": ["x", "y"], "n": np.array([1, 2], dtype="int32")})
        data.to_stata(sink, write_index=False, version=version)
        found = profiled(sink.getvalue(), "x.dta")
        assert (found.format, kinds(found), found.tables[0].rows) == ("stata", [], 2)
        assert [(one.name, one.type) for one in found.tables[0].columns] == [
            ("wage", "float64"),
            ("name", "text"),
            ("n", "int32"),
        ]


OTHERS = {
    "png": (PNG, "png"),
    "jpeg": (b"\xff\xd8\xff\xe0" + b"\0" * 20 + b"\xff\xd9", "jpeg"),
    "pdf": (b"%PDF-1.7\n1 0 obj\n%%EOF\n", "pdf"),
    "html": (b"<!DOCTYPE html><html><body>x</body></html>", "html"),
    "xml": (b"<?xml version='1.0'?><a><b/></a>", "xml"),
    "svg": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "svg"),
    "xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "ole"),
    "sas": (
        b"\0" * 12 + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011") + b"\0" * 100,
        "sas7bdat",
    ),
    "spss": (b"$FL2@(#) SPSS DATA FILE" + b"\0" * 100, "spss"),
    "rdata": (gzip.compress(b"RDX3\nX\n\0\0\0\x03" + b"\0" * 20), "rdata"),
    "shapefile": (b"\0\0\x27\x0a" + b"\0" * 20 + (50).to_bytes(4, "big") + b"\0" * 72, "shapefile"),
    "notebook": (b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}', "notebook"),
    "hdf5": (b"\x89HDF\r\n\x1a\n" + b"\0" * 100, "hdf5"),
    "7z": (b"7z\xbc\xaf\x27\x1c" + b"\0" * 100, "7z"),
    "zip": (zipped(a__csv=CSV, b__csv=CSV), "zip"),
    "npz": (zipped(arr_0__npy=npy()), "npz"),
    "wav": (b"RIFF\x24\0\0\0WAVEfmt " + b"\0" * 100, "wav"),
    "arff": (b"% iris\n@RELATION iris\n@ATTRIBUTE x NUMERIC\n@DATA\n1\n2\n3\n", "arff"),
    "text": (b"Some words about the data.\n", "text"),
    "nothing known": (bytes(range(256)) * 10, "binary"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_formats_are_told_by_content(profiled, name):
    """Under a name that says nothing, with no problem."""
    content, form = OTHERS[name]
    found = profiled(content, "nameless")
    assert (found.format, kinds(found)) == (form, [])


def test_files_inside_an_archive_are_counted(profiled):
    """Two of them; nothing is laid out of it."""
    assert profiled(zipped(a__csv=CSV, b__csv=CSV), "x.zip").n_members == 2


COMPRESSED = {
    "gz": (gzip.compress, ("gz",)),
    "bz2": (bz2.compress, ("bz2",)),
    "xz": (lzma.compress, ("xz",)),
    "zst": (zstandard.ZstdCompressor().compress, ("zst",)),
    "gz in bz2": (lambda raw: bz2.compress(gzip.compress(raw)), ("bz2", "gz")),
}


@pytest.mark.parametrize("name", COMPRESSED)
def test_a_compressed_table_is_read(profiled, name):
    """Layers from outside in; the table is that of what is inside, hash and bytes are those of the file."""
    compress, layers = COMPRESSED[name]
    content = compress(CSV)
    found = profiled(content, f"x.csv.{layers[0]}")
    assert (found.format, found.layers, found.tables[0].rows, kinds(found)) == ("csv", layers, 3, [])
    assert found.bytes == len(content)


def test_two_gzip_members_after_one_another_are_one_file(profiled):
    """As many tools write them."""
    assert profiled(gzip.compress(CSV) + gzip.compress(b"7,8\n"), "x.csv.gz").tables[0].rows == 4


def test_an_empty_file_is_one(profiled):
    """It has a hash, no format, and a problem."""
    found = profiled(b"", "x.csv")
    assert (found.format, found.bytes, kinds(found)) == ("empty", 0, ["empty_file"])
    assert found.sha256 == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_a_pickle_is_named_and_never_loaded(profiled, tmp_path):
    """Loading this one would make a folder."""

    class Trap:
        def __reduce__(self):
            return (type(tmp_path).mkdir, (tmp_path / "loaded",))

    found = profiled(pickle.dumps(Trap(), protocol=4), "x.pkl")
    assert (found.format, found.read, kinds(found)) == ("pickle", "nothing", ["holds_pickle"])
    assert not (tmp_path / "loaded").exists()


def test_an_array_of_objects_is_named_and_never_loaded(profiled):
    """Its file holds a pickle."""
    sink = io.BytesIO()
    np.save(sink, np.array([{}, []], dtype=object), allow_pickle=True)
    assert kinds(profiled(sink.getvalue(), "x.npy")) == ["holds_pickle"]


BROKEN = {
    "parquet that breaks off": (written(pq.write_table)[:-20], "parquet", "broken"),
    "parquet with a damaged footer": (written(pq.write_table)[:-40] + b"\xff" * 32 + b"PAR1PAR1", "parquet", "broken"),
    "arrow that breaks off": (arrow_bytes()[:-10], "arrow", "broken"),
    "orc that breaks off": (written(orc.write_table)[:-10], "orc", "broken"),
    "gz that breaks off": (gzip.compress(CSV * 1000)[:-20], "gz", "broken"),
    "gz with damage inside": (gzip.compress(CSV)[:12] + b"\xff\xff\xff" + gzip.compress(CSV)[15:], "gz", "broken"),
    "xz that breaks off": (lzma.compress(CSV * 1000)[:-20], "xz", "broken"),
    "zip without a directory": (zipped(a__csv=CSV)[:-30], "zip", "broken"),
    "workbook that breaks off": (workbook()[:-100], "zip", "broken"),
    "workbook whose parts are no XML": (
        zipped(**{"[Content_Types]__xml": "x", "xl/workbook__xml": "x"}),
        "xlsx",
        "broken",
    ),
    "png without an end": (PNG[:-12], "png", "truncated"),
    "jpeg without an end": (b"\xff\xd8\xff\xe0" + b"\0" * 3000, "jpeg", "truncated"),
    "pdf without an end": (b"%PDF-1.7\n" + b"0" * 3000, "pdf", "truncated"),
    "json that breaks off": (b'[{"a": 1}, {"a"', "json", "broken"),
    "json of 100,000 brackets": (b"[" * 100_000, "json", "broken"),
    "xml that breaks off": (b"<?xml version='1.0'?><a><b>", "xml", "malformed"),
    "sqlite that is damaged": (b"SQLite format 3\0" + b"\xff" * 4000, "sqlite", "broken"),
    "npy that is too short": (npy()[:-10], "npy", "truncated"),
    "npy whose header runs code": (
        b"\x93NUMPY\x01\0\x76\0" + b"__import__('os').getcwd()".ljust(117) + b"\n",
        "npy",
        "broken",
    ),
    "stata that breaks off": (b"<stata_dta><header><release>118</release>", "stata", "broken"),
    "one bad line among objects": (b'{"a": 1}\n{"a": 2}\n{"a": \n{"a": 4}\n', "ndjson", "broken_rows"),
    "a text with NUL bytes later on": (b"a,b\n1,2\n3,4\n" * 30_000 + b"\0\0,1\n", "csv", "nul_bytes"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_noted_and_still_hashed(profiled, name):
    """The format it would have, the problem, and never an exception."""
    content, form, problem = BROKEN[name]
    found = profiled(content, "nameless")
    assert found.format == form
    assert problem in kinds(found)
    assert found.bytes == len(content)


def test_a_damaged_member_of_a_zip_is_noted(profiled):
    """Its sum does not agree with the directory."""
    content = bytearray(zipped(a__csv=CSV * 100, b__csv=CSV))
    content[45] ^= 0xFF
    found = profiled(bytes(content), "x.zip")
    assert (found.format, found.n_members, kinds(found)) == ("zip", 2, ["broken_member"])


@pytest.mark.parametrize("content", [CSV, b"{}", PNG, b"\0\1\2", b"plain words", b"<a/>"])
def test_profiling_twice_gives_the_same_line(profiled, content):
    """Byte for byte."""
    assert profiled(content, "x").to_line() == profiled(content, "x").to_line()
