"""The strings that code can build: each way of writing a path, and nothing that stands in a comment."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coda_bench.construct.corpus.references import Slugs, references
from coda_bench.notebook import Cell, Notebook
from coda_bench.programs.strings import Strings, Unparsable


def texts(*cells):
    """Return the strings of cells that come one after the other, without repeats."""
    strings = Strings()
    return list(dict.fromkeys(found.text for cell in cells for found in strings.of_cell(cell)))


def used(*cells, datasets=("rice", "wheat", "ann/rye-fields")):
    """Return the data sets that cells refer to, and what they name that is none."""
    notebook = Notebook([Cell(number, True, cell) for number, cell in enumerate(cells, 1)], "python", "", {})
    found, _ = references(notebook, Slugs(datasets))
    return {one.dataset for one in found if one.dataset}, {one.text for one in found if not one.dataset}


@pytest.mark.parametrize(
    "source",
    [
        'read("../input/wheat/a.csv")',
        'p = "../input/" + "wheat" + "/a.csv"',
        'n = "wheat"\nread(f"../input/{n}/a.csv")',
        'n = "wheat"\nread("../input/%s/a.csv" % n)',
        'read("../input/%s/%s" % ("wheat", "a.csv"))',
        'read("../input/%(set)s/a.csv" % {"set": "wheat"})',
        'read("../input/{}/{}".format("wheat", "a.csv"))',
        'read("../input/{1}/{0}".format("a.csv", "wheat"))',
        'read("../input/{name}/a.csv".format(name="wheat"))',
        'p = "../input/{}/{}"\nread(p.format("wheat", "a.csv"))',
        'import os\nread(os.path.join("..", "input", "wheat", "a.csv"))',
        'from os.path import join\nread(join("../input", "wheat"))',
        'from pathlib import Path\nread(Path("../input") / "wheat" / "a.csv")',
        'from pathlib import Path\nread(Path("..", "input", "wheat"))',
        'from pathlib import Path\nhere = Path("../input/wheat/x.csv")\nread(here.parent / "a.csv")',
        'from pathlib import Path\nread(Path("../input").joinpath("wheat", "a.csv"))',
        'for n in ["wheat"]:\n    read("../input/" + n + "/a.csv")',
        'names = ("wheat",)\nfor n in names:\n    read(f"../input/{n}/a.csv")',
        'for n, f in [("wheat", "a.csv")]:\n    read(f"../input/{n}/{f}")',
        'for i, (n, f) in enumerate([("wheat", "a.csv")]):\n    read(f"../input/{n}/{f}")',
        'for n, f in zip(["wheat"], ["a.csv"]):\n    read(f"../input/{n}/{f}")',
        'd = {"w": "wheat/a.csv"}\nread("../input/" + d["w"])',
        'd = {"w": "wheat/a.csv"}\nfor k, v in d.items():\n    read("../input/" + v)',
        'd = {"w": "wheat/a.csv"}\nfor v in d.values():\n    read("../input/" + v)',
        'd = {"wheat": 1}\nfor n in sorted(d):\n    read(f"../input/{n}/a.csv")',
        '[read(f"../input/{n}/a.csv") for n in ("wheat",)]',
        '{n: read(f"../input/{n}/a.csv") for n in ("wheat",)}',
        'a, b = "../input", "wheat"\nread(a + "/" + b + "/a.csv")',
        'p: str = "../input/wheat"\nread(p + "/a.csv")',
        'p = "../input/"\np += "wheat"\nread(p + "/a.csv")',
        'p = "../input/wheat/a.csv" if local else "a.csv"',
        'names = ["wheat", "other"]\nread(f"../input/{names[0]}/a.csv")',
        'def load(path="../input/wheat/a.csv"):\n    return path',
        '%matplotlib inline\nread("../input/wheat/a.csv")',
        "!head ../input/wheat/a.csv",
        "%%bash\nls ../input/wheat/",
        '%%time\nread("../input/wheat/a.csv")',
        'print "../input/wheat/a.csv"',
        'read("..\\\\input\\\\wheat\\\\a.csv")',
        'read("/kaggle/input/wheat/a.csv")',
        'read("/kaggle/input/datasets/ann/wheat/a.csv")',
        'read("/data/wheat/a.csv")',
        'read("datasets/wheat/a.csv")',
    ],
)
def test_a_path_is_understood_however_it_is_written(source):
    """It refers to one data set, and to nothing that is unknown."""
    assert used(source) == ({"wheat"}, set())


def test_names_are_carried_from_cell_to_cell():
    """In the order of the cells."""
    assert used('base = "../input/"', 'name = "rice"', "read(base + name + '/a.csv')") == ({"rice"}, set())


def test_all_values_of_a_name_count():
    """Under a condition, and in a loop."""
    source = 'p = "../input/rice/a"\nif x:\n    p = "../input/wheat/a"\nread(p)'
    assert used(source)[0] == {"rice", "wheat"}
    assert used('for n in ["rice", "wheat"]:\n    read(f"../input/{n}/a")')[0] == {"rice", "wheat"}


def test_a_key_picks_its_own_value():
    """The keys of a dictionary are no values, nor are other values its."""
    found = texts('d = {"rice": "wheat/a.csv", "x": "rice/b.csv"}\nread("../input/" + d["rice"])')
    assert "../input/wheat/a.csv" in found
    assert "../input/rice/b.csv" not in found
    assert "../input/rice" not in found


def test_the_parent_of_a_path_leads_to_others():
    """From one data set to another beside it."""
    source = 'here = Path("..") / "input" / "rice"\nread(here.parent / "wheat" / "a.csv")'
    assert used(source) == ({"rice", "wheat"}, set())


def test_owners_and_underscores():
    """A slug is found with its owner, and where code has underscores."""
    assert used('read("/kaggle/input/datasets/ann/rye-fields/a.csv")')[0] == {"ann/rye-fields"}
    assert used('read("../input/rye_fields/a.csv")')[0] == {"ann/rye-fields"}


@pytest.mark.parametrize(
    "source",
    [
        "# read('../input/wheat/a.csv')",
        '"""Reads ../input/wheat/a.csv"""',
        'x = 1  # "../input/wheat/a.csv"',
        "read('wheat')",
        "read('https://example.org/input/wheat/a.csv')",
    ],
)
def test_comments_docstrings_and_addresses_are_no_references(source):
    """Neither is a word that is called as a data set is."""
    assert used(source) == (set(), set())


def test_an_unknown_data_set_is_told_and_a_pattern_is_not():
    """A part that cannot be told is no evidence of anything."""
    assert used('read("../input/barley/a.csv")') == (set(), {"../input/barley/a.csv"})
    assert used('p = "../input/{}/a.csv"\nread(p.format(unknown()))') == (set(), set())
    assert used('read("../input/" + unknown() + "/a.csv")') == (set(), set())


def test_python_2_still_gives_its_strings():
    """Taken from the text; comments of whole lines are not."""
    source = 'print "x"\nread("../input/rice/a.csv")\n# read("../input/wheat/a.csv")\n'
    notebook = Notebook([Cell(1, True, source)], "python", "", {})
    found, unparsed = references(notebook, Slugs(["rice", "wheat"]))
    assert [one.cell for one in unparsed] == [1]
    assert [(one.dataset, one.how, one.line) for one in found] == [("rice", "text", 2)]


@pytest.mark.parametrize(
    "source",
    [
        "x = " + " + ".join(['"a/"'] * 5_000),
        "x = " + "(" * 150 + "1" + ")" * 150,
        "x = " + "[" * 90 + "]" * 90,
        "x = " + "-" * 50_000 + "1",
        "x = 'a' + 'b'\n" * 2_000,
        "x = ['a/b'] * 2\nx = [x, x]\nfor x in x:\n    for x in x:\n        read(x)\n",
        "d = {}\nd = {'a': d}\nfor d in d.values():\n    read(d['a'])",
        "\n".join(f"x{i} = f'{{x{i - 1}}}{{x{i - 1}}}'" for i in range(1, 60)),
        "x = 'a/b'\n" + "x += x\n" * 40,
        "\x00",
    ],
)
def test_hostile_code_is_bounded(source):
    """Read within a moment, or refused; whatever it nests or multiplies."""
    try:
        found = texts(source)
    except Unparsable:
        return
    assert sum(map(len, found)) < 50_000_000


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(source):
    """Nothing else is ever raised."""
    try:
        texts(source)
    except Unparsable:
        return


PARTS = st.lists(st.from_regex(r"[a-z]{1,8}", fullmatch=True), min_size=2, max_size=5)


@given(PARTS)
def test_every_way_of_joining_gives_the_same_path(parts):
    """Plus, format, percent, f-string, join, slash."""
    path = "/".join(parts)
    names = ", ".join(f"p{number}" for number in range(len(parts)))
    given_names = f"{names} = {', '.join(map(repr, parts))}\n"
    ways = [
        repr(path),
        ' + "/" + '.join(map(repr, parts)),
        f'"{"/".join(["{}"] * len(parts))}".format({names})',
        f'"{"/".join(["%s"] * len(parts))}" % ({names})',
        'f"' + "/".join(f"{{p{number}}}" for number in range(len(parts))) + '"',
        f"os.path.join({names})",
        f"Path(p0) / {' / '.join(map(repr, parts[1:]))}",
    ]
    for way in ways:
        assert path in texts(f"{given_names}read({way})"), way
