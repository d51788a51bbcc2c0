"""Delimited text: how it is cut, how many rows it has, and types that hold for every value."""

import csv
import io

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


def kinds(profile):
    return [problem.kind for problem in profile.problems]


def types(profile):
    return {column.name: column.type for column in profile.tables[0].columns}


CUTS = {
    "commas": ("a,b\n1,2\n3,4\n", "csv", ",", ["a", "b"], 2),
    "semicolons with decimal commas": ("a;b\n1,5;2\n1,6;3\n", "delimited", ";", ["a", "b"], 2),
    "tabs": ("a\tb\n1\t2\n3\t4\n", "tsv", "\t", ["a", "b"], 2),
    "bars": ("a|b\n1|2\n3|4\n", "delimited", "|", ["a", "b"], 2),
    "windows line ends": ("a,b\r\n1,2\r\n3,4\r\n", "csv", ",", ["a", "b"], 2),
    "old mac line ends": ("a,b\r1,2\r3,4\r", "csv", ",", ["a", "b"], 2),
    "no line end at the end": ("a,b\n1,2\n3,4", "csv", ",", ["a", "b"], 2),
    "quoted delimiters and line breaks": ('a,b\n1,"x, y\nz"\n2,"he said ""no"""\n', "csv", ",", ["a", "b"], 2),
    "blank lines": ("a,b\n1,2\n\n3,4\n\n", "csv", ",", ["a", "b"], 2),
    "no header": ("1,2\n3,4\n5,6\n", "csv", ",", ["column0", "column1"], 3),
    "years as names": ("country,1990,1991\nx,1,2\ny,3,4\n", "csv", ",", ["country", "1990", "1991"], 2),
    "texts alone": ("name,city\nbob,paris\nann,rome\n", "csv", ",", ["name", "city"], 2),
    "a byte order mark": ("\ufeffa,b\n1,2\n", "csv", ",", ["a", "b"], 1),
    "a header alone": ("a,b\n", "csv", ",", ["a", "b"], 0),
    "a header longer than the rows": ("a,b,c\n1,2\n3,4\n5,6\n", "csv", ",", None, None),
}


@pytest.mark.parametrize("name", CUTS)
def test_a_table_is_cut_as_it_was_written(profiled, name):
    """Delimiter, header and rows, each told from the content."""
    text, form, delimiter, names, n_rows = CUTS[name]
    found = profiled(text, "x.csv")
    assert (found.format, found.delimiter) == (form, delimiter)
    if names:
        assert [column.name for column in found.tables[0].columns] == names
        assert found.tables[0].rows == n_rows


def test_the_name_plays_no_part_where_the_content_is_clear(profiled):
    """A tab-separated table called .jpg is one; that its name says something else is a problem."""
    found = profiled("a\tb\n1\t2\n3\t4\n", "x.jpg")
    assert found.format == "tsv"
    assert kinds(found) == ["name_contradicts"]


def test_the_name_decides_between_a_column_and_a_text(profiled):
    """Words below one another are a table of one column when the name says so."""
    assert profiled("id\n1\n2\n", "x.csv").format == "csv"
    assert profiled("id\n1\n2\n", "x.txt").format == "text"


PROSE = {
    "sentences": "This is a readme, with commas.\nIt goes on; perhaps.\n\nMore text, here, there.\n",
    "one comma a line": "We measured it, as one does\nand wrote it down, as one should\nthen we left, all of us\n",
    "a drawn table": "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n",
    "one line": "nothing to see here",
}


@pytest.mark.parametrize("name", PROSE)
def test_prose_is_no_table(profiled, name):
    """Commas of sentences delimit nothing."""
    assert profiled(PROSE[name], "x.txt").format == "text"


def test_a_type_that_changes_late_is_seen_and_nothing_is_rounded(profiled):
    """30,000 whole numbers, then one with a fraction: DuckDB's default sample ends before it."""
    text = "".join(["n,code\n", *(f"{i},{i}\n" for i in range(30_000)), "0.5,A7\n"])
    found = profiled(text, "x.csv")
    assert types(found) == {"n": "number", "code": "text"}
    assert found.tables[0].rows == 30_001
    assert kinds(found) == ["late_type"]
    assert "'n' (integer → number)" in found.problems[0].message


def test_duckdb_by_itself_rounds_and_drops_what_comes_late(tmp_path):
    """The pitfall that the profile avoids: 0.5 becomes 1, and a row with a word is gone where errors are ignored."""
    path = tmp_path / "x.csv"
    path.write_text("".join(["n\n", *(f"{i}\n" for i in range(30_000)), "0.5\n", "A7\n"]))
    with duckdb.connect() as connection:
        query = "select n from read_csv(?, ignore_errors=true) offset 29999"
        assert connection.execute(query, [str(path)]).fetchall() == [(29_999,), (1,)]


def test_a_column_that_is_empty_at_first_gets_the_type_of_what_comes(profiled):
    """Nothing in the first 2,048 rows says nothing about the rest."""
    found = profiled("a,b\n" + "1,\n" * 3_000 + "1,2.5\n", "x.csv")
    assert types(found) == {"a": "integer", "b": "number"}
    assert kinds(found) == []


TYPES = [
    ("boolean", ["true", "FALSE"]),
    ("integer", ["1", "-7", "+3"]),
    ("integer", ["99999999999999999999999"]),
    ("integer", ["007"]),
    ("number", ["1", "2.5", "-3e10"]),
    ("date", ["2024-02-29", "2023-01-01"]),
    ("timestamp", ["2024-02-29 10:00:00", "2023-01-01 00:00:00"]),
    ("text", ["2023-02-29"]),
    ("text", ["1", "n/a"]),
    ("text", ["1,5", "2,5"]),
    ("empty", ["", ""]),
]


@pytest.mark.parametrize(("kind", "values"), TYPES)
def test_a_column_has_the_narrowest_type_that_all_values_pass(profiled, kind, values):
    """One value of another kind widens the column."""
    rows = "".join(f'x,"{value}"\n' if value else "x,\n" for value in values)
    assert types(profiled(f"k,v\n{rows}", "x.csv"))["v"] == kind


def test_ragged_rows_are_counted_and_named_by_line(profiled):
    """Rows of two and of four cells among rows of three; all of them are rows."""
    found = profiled("a,b,c\n" + "1,2,3\n" * 10 + "1,2\n" + "1,2,3,4\n" + "1,2,3\n", "x.csv")
    assert found.tables[0].rows == 13
    assert kinds(found) == ["ragged_rows"]
    assert found.problems[0].message.startswith("2 rows")
    assert "12, 13" in found.problems[0].message


def test_more_ragged_rows_than_are_listed_leave_the_rows_uncounted(profiled):
    """No number is better than one that is too small."""
    found = profiled("a,b,c\n" + "1,2,3\n" * 30_000 + "1,2\n" * 12_000, "x.csv")
    assert found.tables[0].rows is None
    assert found.problems[0].message.startswith("at least 10000 rows")


def test_an_unclosed_quote_leaves_the_rows_uncounted(profiled):
    """It swallows the lines after it, nobody can say how many."""
    found = profiled('a,b\n1,2\n3,"x\n5,6\n7,8\n', "x.csv")
    assert "broken_rows" in kinds(found)
    assert found.tables[0].rows is None


def test_mixed_line_ends_lose_no_row(profiled):
    """DuckDB by itself refuses such a file, or finds no rows in it."""
    found = profiled("a,b\r\n1,2\r\n3,4\n5,6\r\n7,8\r9,0\n", "x.csv")
    assert found.tables[0].rows == 5
    assert types(found) == {"a": "integer", "b": "integer"}
    assert kinds(found) == ["mixed_line_ends"]


def test_lines_before_the_table_are_skipped_and_counted(profiled):
    """Titles above a header, as spreadsheets export them."""
    found = profiled("Sales of the year\nin euros\na,b\n1,2\n3,4\n5,6\n", "x.csv")
    assert types(found) == {"a": "integer", "b": "integer"}
    assert found.tables[0].rows == 3
    assert kinds(found) == ["preamble"]


def test_repeated_and_missing_names_of_columns_are_noted(profiled):
    """They stay as they are; a missing one gets its place as a name."""
    found = profiled("a,a,\n1,2,3\n4,5,6\n", "x.csv")
    assert [column.name for column in found.tables[0].columns] == ["a", "a", "column2"]
    assert kinds(found) == ["repeated_column", "unnamed_column"]


def test_three_hundred_columns_are_all_read(profiled):
    """Each with a type of its own."""
    names = ",".join(f"c{n}" for n in range(300))
    found = profiled(f"{names}\n{','.join('1' * 300)}\n", "x.csv")
    assert found.tables[0].n_columns == 300
    assert set(types(found).values()) == {"integer"}


def test_more_columns_than_a_record_holds_are_counted(profiled):
    """2,500 columns; 2,000 are listed."""
    names = ",".join(f"c{n}" for n in range(2_500))
    found = profiled(f"{names}\n{','.join('1' * 2_500)}\n", "x.csv")
    assert (found.tables[0].n_columns, len(found.tables[0].columns)) == (2_500, 2_000)
    assert kinds(found) == ["too_many_columns"]


ENCODINGS = {
    "utf-8": ("ville,café\nNîmes,1\nÉvry,2\n", "utf-8", "utf-8"),
    "latin": ("ville,café\nNîmes,1\nÉvry,2\nÀ Coruña,3\n", "cp1252", "cp1252"),
    "utf-16 with a mark": ("ville,café\nNîmes,1\nÉvry,2\n", "utf-16", "utf-16"),
    "utf-16 without a mark": ("ville,cafe\nNimes,1\nEvry,2\n", "utf-16-le", "utf-16-le"),
    "utf-32 with a mark": ("ville,café\nNîmes,1\nÉvry,2\n", "utf-32", "utf-32"),
}


@pytest.mark.parametrize("name", ENCODINGS)
def test_an_encoding_is_told_and_decodes_the_whole_file(profiled, name):
    """The table is the same in each."""
    text, encoding, told = ENCODINGS[name]
    found = profiled(text.encode(encoding), "x.csv")
    assert (found.format, found.encoding) == ("csv", told)
    assert found.tables[0].rows == text.count("\n") - 1


def test_a_cyrillic_table_is_no_latin_one(profiled):
    """The names of the columns come out as they were written."""
    rows = "".join(f"Москва и область,{n},Россия в цифрах\n" for n in range(50))
    found = profiled(("город,число,страна\n" + rows).encode("cp1251"), "x.csv")
    assert found.encoding == "cp1251"
    assert [column.name for column in found.tables[0].columns] == ["город", "число", "страна"]


def test_one_byte_that_is_not_utf8_late_in_the_file_is_seen(profiled):
    """The sample at the beginning is plain ASCII."""
    found = profiled(b"a,b\n" + b"x,1\n" * 200_000 + b"caf\xe9,2\n", "x.csv")
    assert found.encoding not in {"ascii", "utf-8"}
    assert found.tables[0].rows == 200_001


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r", exclude_categories=("Cs", "Cc")), max_size=8)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=3, max_size=12), delimiter=st.sampled_from(",;\t")
)
def test_whatever_is_written_by_the_standard_library_is_read_whole(profiled, rows, delimiter):
    """As many columns and rows as were written, whatever stands in the cells."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(["first name", "second name", "third name"])
    writer.writerows(rows)
    found = profiled(text.getvalue(), "x.csv")
    assert found.delimiter == delimiter
    assert [column.name for column in found.tables[0].columns] == ["first name", "second name", "third name"]
    assert found.tables[0].rows == len(rows)
    assert found.encoding in {"ascii", "utf-8"}
