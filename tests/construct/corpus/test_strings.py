"""Strings that code builds: right where Python's own rules are known, bounded where code has no end."""

import contextlib
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coda_bench.programs.filling import LONGEST, MOST, UNKNOWN, formatted, percent, product
from coda_bench.programs.quotes import quoted, shell_words
from coda_bench.programs.strings import Strings, Unparsable

PLAIN = st.text(st.characters(codec="ascii", exclude_characters="%{}"), max_size=8)


def texts(source: str, *before: str) -> set[str]:
    strings = Strings()
    for cell in before:
        list(strings.of_cell(cell))
    return {found.text for found in strings.of_cell(source)}


def expressions() -> st.SearchStrategy[tuple[str, str]]:
    """Return pairs of source and the text that Python makes of it, known by how they were made."""
    constants = PLAIN.map(lambda text: (repr(text), text))
    return st.recursive(
        constants,
        lambda inner: st.one_of(
            st.tuples(inner, inner).map(lambda two: (f"({two[0][0]} + {two[1][0]})", two[0][1] + two[1][1])),
            st.tuples(inner, inner).map(
                lambda two: (f"'%s-%s' % ({two[0][0]}, {two[1][0]})", f"{two[0][1]}-{two[1][1]}")
            ),
            st.tuples(inner, inner).map(
                lambda two: (f"'{{1}}{{0}}'.format({two[0][0]}, {two[1][0]})", two[1][1] + two[0][1])
            ),
            st.tuples(inner, inner).map(
                lambda two: (f"os.path.join({two[0][0]}, {two[1][0]})", f"{two[0][1]}/{two[1][1]}")
            ),
        ),
        max_leaves=6,
    )


@given(expressions())
def test_what_python_would_build_is_found(pair):
    """Joins, formats and paths in one another give the one text that they give when run."""
    source, expected = pair
    assert expected in texts(f"read({source})")


@given(st.lists(st.tuples(PLAIN, PLAIN), min_size=1, max_size=5))
def test_percent_and_format_fill_as_python_does(parts):
    """Each place gets its own value, never that of another."""
    literals, values = zip(*parts, strict=True)
    percents, braces = "".join(f"{one}%s" for one in literals), "".join(f"{one}{{}}" for one in literals)
    places = [(value,) for value in values]
    assert percent((percents,), places, {}) == (percents % values,)
    assert formatted((braces,), places, {}) == (braces.format(*values),)


@given(st.lists(st.lists(st.text(max_size=300), max_size=70).map(tuple), max_size=8), st.text(max_size=3))
def test_products_stay_within_their_bounds(parts, between):
    """However many values there are, and however long."""
    made = product(parts, between)
    assert len(made) <= MOST
    assert all(len(one) <= LONGEST for one in made)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("read('../input/%s/%s' % ('wine', name))", f"../input/wine/{UNKNOWN}"),
        ("read('../input/%(slug)s/d.csv' % {'slug': 'wine'})", "../input/wine/d.csv"),
        ("read('100%% of %s' % 'wine')", "100% of wine"),
        ("read('../input/{slug}/{n:03d}.csv'.format(slug='wine', n=n))", f"../input/wine/{UNKNOWN}.csv"),
        ("read('{{}}/{}'.format('wine'))", "{}/wine"),
        ("read('/'.join(['..', 'input', 'wine']))", "../input/wine"),
        ("p = '../input'\np += '/wine'\nread(p)", "../input/wine"),
        ("p = Path('../input')\np /= 'wine'\nread(p)", "../input/wine"),
        ("p: str = '../input'\nread(p + '/wine')", "../input/wine"),
        ("a, b = '../input', 'wine'\nread(f'{a}/{b}')", "../input/wine"),
        ("if (p := '../input'):\n    read(p + '/wine')", "../input/wine"),
        ("class C:\n    base = '../input'\nread(C.base + '/wine')", "../input/wine"),
        ("self.base = '../input'\nread(self.base + '/wine')", "../input/wine"),
        ("def f(n, base='../input', *, end='/d.csv'):\n    return read(base + '/wine' + end)", "../input/wine/d.csv"),
        ("for a, b in [('wine', 'd'), ('beer', 'e')]:\n    read('../input/' + a + '/' + b)", "../input/wine/d"),
        ("for k, v in {'wine': 'd'}.items():\n    read(f'../input/{k}/{v}')", "../input/wine/d"),
        ("for i, s in enumerate(['wine']):\n    read('../input/' + s)", "../input/wine"),
        ("for a, b in zip(['wine'], ['d']):\n    read('../input/' + a + '/' + b)", "../input/wine/d"),
        ("frames = [read('../input/' + s) for s in sorted(['wine', 'beer'])]", "../input/wine"),
        ("paths = ['../input/' + s for s in ['wine']]\nfor p in paths:\n    read(p + '/d.csv')", "../input/wine/d.csv"),
        ("title = 'a' + read('../input/wine/d.csv')", "../input/wine/d.csv"),
        ("path = ('../input/%s'\n        % 'wine')", "../input/wine"),
        ("names = !ls ../input/wine\nx = 1", "../input/wine"),
        ("!head \\\n  '../input/Space Weather/d.csv'", "../input/Space Weather/d.csv"),
        ("frame?\nread('../input/wine')", "../input/wine"),
        ("%%capture out\n%matplotlib inline\nread('../input/wine')", "../input/wine"),
        ("if local:\n    %cd ../input/wine\nx = 1", "../input/wine"),
    ],
)
def test_ways_of_building_a_path(source, expected):
    """One line each for what notebooks do; what cannot be told stands as a star."""
    assert expected in texts(source)


def test_values_of_one_place_do_not_reach_another():
    """The first place of a format is filled by its first value only: another would be another data set's path."""
    assert texts("read('../input/{}/{}.csv'.format('red', 'white'))") == {"../input/red/white.csv"}


def test_pieces_of_a_known_value_are_no_values_of_their_own():
    """Or `../input/%s` would be told as a path to nothing."""
    assert texts("read('../input/%s' % 'wine')") == {"../input/wine"}
    assert texts("read(os.path.join('..', 'input', 'wine'))") == {"../input/wine"}


@pytest.mark.parametrize("magic", ["markdown", "html", "latex", "javascript"])
def test_cells_of_text_do_not_count(magic):
    """A cell magic can make a cell of code one of text."""
    assert texts(f"%%{magic}\nsee ../input/wine/d.csv") == set()


BOMBS = {
    "doubling": "a0 = 'x'\n" + "\n".join(f"a{n} = a{n - 1} + a{n - 1}" for n in range(1, 60)),
    "doubling itself": "a = 'xy'\n" + "a = a + a\n" * 60,
    "nested calls": "x = " + "Path(" * 90 + "'a'" + ")" * 90,
    "a wide format": "'{:>999999999}'.format('x')",
    "a wide percent": "'%999999999s' % 'x'",
    "a repeated text": "'x' * 10 ** 10",
    "a long sum": "x = " + " + ".join(["y"] * 900),
    "a longer sum": "1" + "+1" * 100_000,
    "lists in lists": "a0 = []\n" + "\n".join(f"a{n} = [a{n - 1}, a{n - 1}]" for n in range(1, 60)) + "\nread(a59[0])",
    "a dictionary of dictionaries": "a0 = {}\n"
    + "\n".join(f"a{n} = {{'k': a{n - 1}, 'l': a{n - 1}}}" for n in range(1, 60))
    + "\nread(a59['k'])",
    "a list in itself": "a = [a]\nfor x in a:\n    read(x[0])\nread(a[0])",
    "a long table, often": f"d = { {str(n): str(n) for n in range(20_000)} }\n" + "read(d['7'])\n" * 20_000,
    "a long list, often": f"a = {list(range(20_000))}\n" + "for x, y in enumerate(a):\n    read(y)\n" * 5_000,
    "deep attributes": "x" + ".a" * 1500,
    "deep parentheses": "(" * 5000,
    "many signs": "-" * 100_000 + "1",
    "an open text": "print '" + "\\\\" * 50_000,
    "escaped quotes": "print '" + "\\'" * 50_000,
    "an open long text": "print '''" + "'" * 50_000,
}


@pytest.mark.parametrize("source", BOMBS.values(), ids=BOMBS.keys())
def test_code_without_end_is_read_within_limits(source):
    """In a process with a gigabyte: doubled texts, nesting of every kind, quotes that never close."""
    program = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\n"
        "from coda_bench.programs.quotes import quoted\n"
        "from coda_bench.programs.strings import Strings, Unparsable\n"
        "source = sys.stdin.read()\n"
        "try:\n    found = list(Strings().of_cell(source))\n"
        "except Unparsable:\n    found = list(quoted(source))\n"
        f"assert all(len(one.text) <= {LONGEST} for one in found)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], input=source, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 0, ended.stderr


def test_strange_escapes_are_read_in_silence():
    """A path of Windows in plain quotes is a warning of Python's, which is not about this program."""
    assert texts(r"read('C:\data\wine')") == {r"C:\data\wine"}


def test_old_code_gives_its_strings_but_no_comments_and_no_text_put_aside():
    """Code of Python 2: strings of any quotes with their lines; not comments, nor statements that are only text."""
    source = (
        "print 'one'\n"
        "x = 1 # 'two'\n"
        "'''three\n\"four\"\n'''\n"
        "u'five'\n"
        "read(\n  'six',\n  '''se\nven''')\n"
        'y = "it\'s # eight"'
    )
    assert [(one.line, one.text) for one in quoted(source)] == [
        (1, "one"),
        (8, "six"),
        (9, "se\nven"),
        (11, "it's # eight"),
    ]


def test_commands_to_a_shell_are_words():
    """What is in quotes is one word, what follows a hash is none, but one inside a word is part of it."""
    found = list(shell_words('head -n 3 "a b/c.csv" d#e.csv # f.csv\ncat<g.csv|wc', 5))
    words = [(5, "head"), (5, "-n"), (5, "3"), (5, "a b/c.csv"), (5, "d#e.csv"), (6, "cat"), (6, "g.csv"), (6, "wc")]
    assert found == words


@given(st.text(st.sampled_from("\"'\\#\n ([x)]"), max_size=60))
def test_quotes_of_any_text_are_parts_of_it(source):
    """Found where they are said to be, whatever is open and whatever is escaped."""
    lines = source.split("\n")
    for found in quoted(source):
        assert found.text in source
        assert found.text.split("\n")[0] in lines[found.line - 1]


@given(st.lists(st.text(st.sampled_from("abx=+%!?'\"\\{}()[]:,./ \n"), max_size=80), max_size=3))
def test_no_cells_stop_the_reading(cells):
    """Whatever stands in cells gives strings within bounds, or is said not to parse."""
    strings = Strings()
    for cell in cells:
        with contextlib.suppress(Unparsable):
            assert all(found.line >= 1 for found in strings.of_cell(cell))
