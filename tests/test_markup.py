"""HTML from untrusted values."""

import csv
import io
from html import unescape
from urllib.parse import unquote

import pytest

from coda_bench.markup import Markup, csv_link, cut, element, quoted, shortened, table, visible


def test_plain_text_is_escaped_and_markup_is_not():
    """Strings cannot become elements; what this module made is kept."""
    assert element("p", "<b>&", element("i", "x")) == "<p>&lt;b&gt;&amp;<i>x</i></p>"


def test_attributes_are_escaped():
    """A quotation mark cannot end an attribute."""
    assert element("td", title='" onclick="x', class_="n") == '<td title="&quot; onclick=&quot;x" class="n"></td>'


def test_attributes_without_value():
    """True writes the bare name, None and False write nothing."""
    assert element("a", hidden=True, title=None, open=False) == "<a hidden></a>"


@pytest.mark.parametrize("character", ["\u202e", "\u2067", "\x00", "\x1b", "\ud800", "\ufeff"])
def test_control_and_direction_characters_are_written_out(character):
    """What would reorder or break the page is shown as an escape."""
    assert visible(f"a{character}b") == f"a\\u{ord(character):04x}b"


def test_ordinary_foreign_text_is_kept():
    """Letters of any script, marks and emoji stay as they are."""
    text = "naïve Ελλάδα 数据 שלום 👩\u200d🔬"
    assert visible(text) == text


def test_long_text_is_cut_with_its_length():
    """A megabyte of answer becomes a line that says how long it was."""
    assert cut("x" * 1_000_000, 5) == "xxxxx… (1,000,000 characters)"


def test_cut_keeps_text_at_the_limit():
    """Text of exactly the limit is not cut."""
    assert cut("12345", 5) == "12345"
    assert shortened("12345", 5) == "12345"
    assert shortened("123456", 5) == "1234…"


def test_quoted_text_is_isolated():
    """Untrusted text stands in an element of its own direction."""
    assert quoted("שלום <b>", 40) == "<bdi>שלום &lt;b&gt;</bdi>"


def test_table_rows_begin_with_a_heading():
    """The first cell of a row names it, for readers who do not see the table."""
    made = table(["Agent", "EA"], [["keyword", 3]], label="Rates")
    assert '<th scope="row">keyword</th><td>3</td>' in made
    assert made.startswith('<div class="scroll" role="region" tabindex="0" aria-label="Rates">')


def _saved(link: Markup) -> list[list[str]]:
    data = link.split('href="', 1)[1].split('"', 1)[0]
    return list(csv.reader(io.StringIO(unquote(unescape(data).split(",", 1)[1]))))


def test_csv_survives_separators_and_quotes():
    """What is saved reads back as what was shown."""
    row = ['a,b "c"', "two\nlines", 3, None, 0.5]
    assert _saved(csv_link("x.csv", ("p", "q", "r", "s", "t"), [row]))[1] == ['a,b "c"', "two\nlines", "3", "", "0.5"]


def test_csv_text_cannot_be_a_formula():
    """A spreadsheet shows an agent's name that begins like a formula as text; numbers stay numbers."""
    assert _saved(csv_link("x.csv", ("a", "b"), [["=HYPERLINK(1)", -2]]))[1] == ["'=HYPERLINK(1)", "-2"]
