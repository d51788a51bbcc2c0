"""Slices: what a statement may need is in them, and what only displays or has nothing to do with it is not."""

import contextlib
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coda_bench.records.anchor import StatementId
from coda_bench.tasks.execution.execute import CellSource
from coda_bench.tasks.slicing.flow import read_flow
from coda_bench.tasks.slicing.shrink import shrink


def kept(source, *, names=None):
    """Return the statements of one cell that the slice of its last one keeps."""
    flow = read_flow([CellSource(1, source)])
    found = flow.slice_of(flow.statements[-1].id, names=names)
    return [one.source for one in flow.statements if one.id in found]


def needs(source, *needed):
    """Whether the slice of the last statement is just the statements named, and it."""
    statements = [one.source for one in read_flow([CellSource(1, source)]).statements]
    return kept(source) == [one for one in statements if one in needed or one == statements[-1]]


@pytest.mark.parametrize(
    ("source", "needed"),
    [
        ("a = 1\nb = 2\nc = a + 1\nc", ["a = 1", "c = a + 1"]),
        ("a = 1\na = 2\na", ["a = 2"]),
        ("df = f()\ndf['c'] = 1\ndf", ["df = f()", "df['c'] = 1"]),
        ("df = f()\ndf.loc[0, 'c'] = 1\ndf", ["df = f()", "df.loc[0, 'c'] = 1"]),
        ("df = f()\ndf.columns = ['a']\ndf", ["df = f()", "df.columns = ['a']"]),
        ("df = f()\ndf.drop('a', inplace=True)\ndf", ["df = f()", "df.drop('a', inplace=True)"]),
        ("df = f()\ndf.drop('a')\ndf", ["df = f()"]),
        ("df = f()\ndf.head()\nprint(df)\ndf.plot()\ndf", ["df = f()"]),
        ("x = []\nx.append(1)\nx", ["x = []", "x.append(1)"]),
        ("x = 1\nx += 2\nx", ["x = 1", "x += 2"]),
        ("x = [3]\ny = x\ny.append(1)\nx", ["x = [3]", "y = x", "y.append(1)"]),
        ("df = f()\nv = df['a']\nv[0] = 1\ndf", ["df = f()", "v = df['a']", "v[0] = 1"]),
        ("a = f()\nb = g()\nfor d in [a, b]: d['x'] = 1\na", ["a = f()", "b = g()", "for d in [a, b]: d['x'] = 1"]),
        ("def h(d): d['x'] = 1\na = f()\nh(a)\na", ["def h(d): d['x'] = 1", "a = f()", "h(a)"]),
        ("k = 2\ndef h(x): return x * k\nh(3)", ["k = 2", "def h(x): return x * k"]),
        ("import math\nimport re\nmath.pi", ["import math"]),
        ("from numpy import *\nmean([1])", ["from numpy import *"]),
        ("a, b = 1, 2\nb", ["a, b = 1, 2"]),
        ("a = 1\nif c(): a = 2\na", ["a = 1", "if c(): a = 2"]),
        ("import random as r\nr.seed(1)\nx = r.random()\nx", ["import random as r", "r.seed(1)", "x = r.random()"]),
        ("import os\nos.chdir('x')\nopen('f').read()", ["import os", "os.chdir('x')"]),
        ("d = f()\nd.to_csv('t')\ne = read_csv('t')\ne", ["d = f()", "d.to_csv('t')", "e = read_csv('t')"]),
        ("d = f()\nd.to_csv('other.csv')\ne = read_csv('t.csv')\ne", ["e = read_csv('t.csv')"]),
        ("g = 1\ndef h():\n    global g\n    g = 2\nh()\ng", ["g = 1", "def h():\n    global g\n    g = 2", "h()"]),
        ("x = [1]\ny = [i for i in x]\ny", ["x = [1]", "y = [i for i in x]"]),
        ("with open('f') as s: t = s.read()\nu = 1\nt", ["with open('f') as s: t = s.read()"]),
        ("it = iter([1, 2])\nnext(it)\nnext(it)", ["it = iter([1, 2])"]),
        ("import pandas as pd\npd.np = 3\npd.np", ["import pandas as pd", "pd.np = 3"]),
    ],
)
def test_a_slice_is_what_the_last_statement_may_need(source, needed):
    if source.startswith("it ="):
        needed = [*needed, "next(it)"]
    assert needs(source, *needed), kept(source)


def test_only_the_names_asked_for_are_followed():
    assert kept("a = 1\nb = 2\nprint(a, b)", names=["b"]) == ["b = 2", "print(a, b)"]


def test_cells_are_taken_in_the_order_they_were_run():
    flow = read_flow([CellSource(5, "x = 1"), CellSource(2, "x = 2"), CellSource(3, "x")])
    assert flow.slice_of(StatementId(3, 0)) == {StatementId(2, 0), StatementId(3, 0)}


def test_a_cell_that_is_no_python_is_named_and_the_rest_is_read():
    flow = read_flow([CellSource(1, "print 'old'"), CellSource(2, "%%bash\nls"), CellSource(3, "%time x = 1\nx")])
    assert flow.unparsed == (1,)
    assert [one.id for one in flow.statements] == [StatementId(3, 0), StatementId(3, 1)]


def test_statements_on_one_line_are_told_apart():
    flow = read_flow([CellSource(1, "a = 1; b = 2; a")])
    assert [one.source for one in flow.statements] == ["a = 1", "b = 2", "a"]


def test_wider_slices_are_whole_cells_and_then_all_that_ran_before():
    flow = read_flow([CellSource(1, "a = 1\nz = 0"), CellSource(2, "q = 1"), CellSource(3, "a\nlate = 1")])
    target = StatementId(3, 0)
    cells, prefix = flow.widened(flow.slice_of(target), target)
    assert cells == {StatementId(1, 0), StatementId(1, 1), target}
    assert prefix == cells | {StatementId(2, 0)}


def test_shrinking_leaves_out_all_that_can_be_and_keeps_what_is_required():
    everything = frozenset(StatementId(1, place) for place in range(12))
    vital = frozenset({StatementId(1, 3), StatementId(1, 7)})
    target = frozenset({StatementId(1, 11)})
    found = shrink(everything, lambda one: vital <= one, required=target, most_runs=200)
    assert found == vital | target


@given(st.sets(st.integers(0, 15)), st.integers(0, 12))
def test_shrinking_never_ends_with_what_does_not_hold_and_never_asks_too_often(vital, most):
    everything = frozenset(StatementId(1, place) for place in range(16))
    wanted = frozenset(StatementId(1, place) for place in vital)
    asked = []

    def holds(one):
        asked.append(one)
        return wanted <= one

    found = shrink(everything, holds, required=frozenset({StatementId(1, 0)}), most_runs=most)
    assert wanted <= found
    assert StatementId(1, 0) in found
    assert len(asked) <= most


NAMES = st.sampled_from(["a", "b", "c", "d"])
STATEMENTS = st.one_of(
    st.builds("{} = [{}]".format, NAMES, st.integers(0, 9)),
    st.builds("{} = {}".format, NAMES, NAMES),
    st.builds("{} = list({}) + [len({})]".format, NAMES, NAMES, NAMES),
    st.builds("{}.append(sum({}))".format, NAMES, NAMES),
    st.builds("{}[0] = {}".format, NAMES, st.integers(0, 9)),
    st.builds("{} += [1]".format, NAMES),
    st.builds("grow({})".format, NAMES),
    st.builds("for one in [{}, {}]: one.append(2)".format, NAMES, NAMES),
    st.builds("if len({}) % 2: {} = [7]".format, NAMES, NAMES),
    st.builds("print({})".format, NAMES),
)
START = ["def grow(x): x.append(len(x))", "a = [1]", "b = [2]", "c = [3]", "d = [4]"]


def value_of(statements):
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec("\n".join(statements), names)  # noqa: S102 - statements of this test
    return names


@settings(max_examples=300)
@given(st.lists(STATEMENTS, max_size=12), NAMES)
def test_a_slice_of_any_small_program_computes_what_the_program_computes(statements, name):
    program = [*START, *statements, f"result = list({name})"]
    assert value_of(kept("\n".join(program)))["result"] == value_of(program)["result"]
