"""The keyword baseline: reading questions, ranking files, computing, and whole attempts."""

import gzip
import json
import sqlite3

import pandas as pd
import pytest

from coda_bench.run.agents.keyword.program.compute import answer
from coda_bench.run.agents.keyword.program.question import Form, read_guideline, read_question, write_number
from coda_bench.run.agents.keyword.program.ranking import files_below, rank
from coda_bench.run.agents.keyword.program.search import choose
from coda_bench.run.agents.keyword.program.tables import tables
from coda_bench.run.agents.keyword.program.wording import match, words

BIRDS = pd.DataFrame(
    {
        "species": ["owl", "owl", "gull", "tern", "gull"],
        "wing_span_cm": [100.0, 110.0, 140.0, 80.0, None],
        "year": [2001, 2002, 2002, 2003, 2004],
        "ringed": [1, 0, 1, 1, 0],
        "islandName": ["Ark", "Bow", "Ark", "Bow", "Ark"],
    }
)


@pytest.mark.parametrize(
    ("question", "guideline", "expected"),
    [
        ("How many records are there of gull?", "A whole number.", "2"),
        ("How many rows are there?", "An integer.", "5"),
        ("What is the mean wing span?", "Round to one decimal place.", "107.5"),
        ("What is the median wing span in cm?", "Two decimals.", "105.00"),
        ("What is the highest wing span of an owl?", "An integer.", "110"),
        ("What is the smallest wing span recorded?", "An integer.", "80"),
        ("What is the sum of wing span in 2002?", "An integer.", "250"),
        ("How many distinct species are there?", "An integer.", "3"),
        ("How many different species were seen in the years 2001 to 2002?", "An integer.", "2"),
        ("What percentage of the birds are gull?", "Two decimal places with a percent sign.", "40.00%"),
        ("What share of the birds has ringed equal to 1?", "As a percentage with one decimal and %.", "60.0%"),
        ("What proportion of birds are gull?", "A fraction with 2 decimals.", "0.40"),
        ("How many birds have a wing span of at least 100 cm?", "An integer.", "3"),
        ("How many birds have a wing span below 100?", "An integer.", "1"),
        ("How many birds have a wing span of 110 or more?", "An integer.", "2"),
        ("Which species has the highest wing span?", "The name.", "gull"),
        ("Which island name has the lowest average wing span?", "The name.", "Bow"),
        ("Why do birds sing?", "A sentence.", "Not Applicable"),
        ("What is the mean beak depth?", "A number.", "Not Applicable"),
    ],
)
def test_simple_questions_are_computed(question, guideline, expected):
    """Counts, means, extremes, shares, distinct counts with filters; else it says it cannot."""
    assert answer(BIRDS, question, guideline) == expected


@pytest.mark.parametrize(
    ("guideline", "form"),
    [
        ("Round to two decimal places.", Form(2, percent=False)),
        ("One decimal, with a percent sign.", Form(1, percent=True)),
        ("A whole number without a percent sign.", Form(0, percent=False)),
        ("Give the value with 3 digits after the point.", Form(3, percent=False)),
        ("The name.", Form(None, percent=False)),
    ],
)
def test_guidelines_say_how_numbers_are_written(guideline, form):
    """Decimals as digits or words, percent signs wanted or unwanted."""
    assert read_guideline(guideline) == form


def test_numbers_are_written_in_the_guidelines_form():
    """Without a rule whole numbers stay whole."""
    assert write_number(12.0, Form(None, percent=False)) == "12"
    assert write_number(12.345, Form(None, percent=False)) in {"12.35", "12.34"}
    assert write_number(12.3, Form(0, percent=True)) == "12%"


def test_at_least_is_a_condition_not_a_minimum():
    """Only words that stand for an operation count as one."""
    asked = read_question("How many films have at least 100 reviews?")
    assert asked.operations == ["count"]
    assert (asked.comparisons[0].sign, asked.comparisons[0].number) == (">=", 100)
    assert asked.comparisons[0].context[0] == "review"


def test_words_meet_across_spellings():
    """Snake case, camel case, plurals and abbreviations."""
    assert words("wingSpan_cm") == ["wing", "span", "cm"]
    assert match("islandName", ["island", "name"]) == 1
    assert match("pop_total", ["population", "total"]) == 0.8
    assert match("colour", []) == 0


def test_every_format_yields_its_tables(tmp_path):
    """CSV, packed CSV, JSON, JSON lines, Parquet, Excel, Stata and SQLite give the same table."""
    frame = BIRDS[["species", "year"]]
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_csv(tmp_path / "b.csv.bz2", index=False)
    frame.to_csv(tmp_path / "c.tsv", index=False, sep="\t")
    (tmp_path / "d.json").write_text(json.dumps({"meta": 1, "rows": frame.to_dict("records")}))
    with gzip.open(tmp_path / "e.jsonl.gz", "wt") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in frame.to_dict("records"))
    frame.to_parquet(tmp_path / "f.parquet")
    frame.to_excel(tmp_path / "g.xlsx", index=False, sheet_name="birds")
    frame.to_stata(tmp_path / "h.dta", write_index=False)
    with sqlite3.connect(tmp_path / "i.db") as database:
        frame.to_sql("birds", database, index=False)
    database.close()
    for path in sorted(tmp_path.iterdir()):
        (table,) = tables(str(path))
        assert (path.name, list(table.frame["species"]), list(table.frame["year"])) == (
            path.name,
            list(frame["species"]),
            list(frame["year"]),
        )
        (first,) = tables(str(path), 2)
        assert len(first.frame) == 2


def test_the_file_whose_columns_and_values_fit_comes_first(tmp_path):
    """Rare words decide; files that cannot be read are passed over."""
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "birds.csv").write_text("species,wing\nowl,1\n")
    (tmp_path / "two.csv").write_text("species,count\npike,2\n")
    (tmp_path / "broken.parquet").write_bytes(b"no parquet")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    paths = list(files_below(str(tmp_path)))
    assert [path.rpartition("/")[2] for path in paths] == ["broken.parquet", "two.csv", "birds.csv"]
    assert rank(paths, "What is the mean wing of the owl?")[0].path.endswith("birds.csv")


def test_in_the_oracle_setting_only_the_given_files_are_looked_at(tmp_path):
    """It takes the hint it is given."""
    (tmp_path / "a.csv").write_text("species,wing\nowl,1\n")
    (tmp_path / "b.csv").write_text("x,y\n1,2\n")
    told = {"question": "wing of owl", "files": [str(tmp_path / "b.csv")], "most_files": 5}
    assert choose(told, str(tmp_path))["path"].endswith("b.csv")


def test_with_no_data_it_does_not_answer(tmp_path):
    """An empty community gives no choice."""
    assert choose({"question": "wing", "files": [], "most_files": 5}, str(tmp_path)) is None


def test_an_attempt_searches_then_computes_from_one_file(runs):
    """Two commands; what it opened and what it used are what its commands really read."""
    runs("keyword", instances=(2, 3))
    assert runs.answers() == {2: "52", 3: "375.0"}
    access = runs.attempts()[2, 1].file_access
    assert len(access.commands) == 2
    assert access.used == ("rivers/rivers.csv",)
    assert set(access.opened) == {"cities/cities.csv", "cities-archive/cities.csv", "rivers/rivers.csv"}
