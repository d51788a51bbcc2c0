"""Repairs: what libraries removed is replaced by what does the same today, and nothing else is touched."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coda_bench.errors import AnalysisEnvironmentMissing
from coda_bench.sandbox.analysis_env import find
from coda_bench.tasks.execution.execute import CellSource, Job, execute
from coda_bench.tasks.execution.room import Room
from coda_bench.tasks.repair.repair import repair
from coda_bench.tasks.repair.rules import ALWAYS, ON_TROUBLE

TABLE = "import numpy as np\nimport pandas as pd\nd = pd.DataFrame({'a': [1.0, None, 3.0], 'b': ['x', 'y', 'x']})\n"
DATES = "s = pd.Series(range(90), index=pd.date_range('2020-01-01', periods=90))\n"

CASES = {
    "appended": (TABLE + "d = d.append(d, ignore_index=True)\nlen(d)", ""),
    "fill_method": (TABLE + "d['a'].fillna(method='ffill').sum()", ""),
    "frequency_aliases": (TABLE + DATES + "s.resample('M').sum().iloc[0]", ""),
    "numpy_in_pandas": (TABLE + "float(pd.np.sqrt(16))", ""),
    "renamed_methods": (TABLE + "sum(len(column) for _, column in d.iteritems())", ""),
    "renamed_arguments": (
        TABLE + "import io\nlen(pd.read_csv(io.StringIO('a b\\n1 2\\n3 4'), delim_whitespace=True))",
        "",
    ),
    "numeric_only": (TABLE + "d.mean().iloc[0]", "TypeError: Could not convert string 'xyx' to numeric"),
    "builtin_types": (TABLE + "np.array([1, 2], dtype=np.float).sum()", ""),
    "nan": ("import numpy as np\nfloat(np.nansum([1.0, np.NaN]))", ""),
    "label_indexer": (TABLE + "d.ix[2, 'a']", ""),
    "moved_imports": ("from collections import Iterable\nisinstance([], Iterable)", ""),
    "open_modes": ("open('t.txt', 'w').write('ab')\nlen(open('t.txt', 'rU').read())", ""),
    "styles": ("import matplotlib.pyplot as plt\nplt.style.use('seaborn-whitegrid')\nlen('abc')", ""),
}
WRITTEN_DOWN = {
    "appended": ["i", 6],
    "builtin_types": ["f", 3.0],
    "label_indexer": ["f", 3.0],
    "moved_imports": ["b", True],
    "nan": ["f", 1.0],
    "numeric_only": ["f", 2.0],
    "numpy_in_pandas": ["f", 4.0],
    "open_modes": ["i", 2],
    "renamed_methods": ["i", 6],
    "styles": ["i", 3],
}
"""Values of what had gone before the older generation already, by hand."""


@pytest.fixture(scope="module")
def results(tmp_path_factory, leave):
    """By rule: the value with older libraries, with today's without the repair, and with the repair."""
    folder = tmp_path_factory.mktemp("data") / "empty"
    folder.mkdir()
    try:
        today, then = find("current"), find("older")
    except AnalysisEnvironmentMissing as missing:
        leave(str(missing))

    def value(ran):
        notes = [note for cell in ran.cells for note in cell.notes]
        return notes[-1].value.get("value") if notes and not ran.trouble else ran.trouble

    def run(environment, sources):
        jobs = [Job(name, [CellSource(1, source)]) for name, source in sources.items()]
        done = execute(jobs, Room(folder), environment).jobs
        return {name: value(ran) for name, ran in done.items()}

    broken = {name: source for name, (source, _) in CASES.items()}
    mended = {
        name: repair(source, trouble, len(source.split("\n"))).source for name, (source, trouble) in CASES.items()
    }
    return run(then, broken), run(today, broken), run(today, mended)


def test_every_rule_has_a_case():
    named = {rule.__name__ for rule in [*ALWAYS, *ON_TROUBLE.values()]}
    assert named | {"nan"} == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_what_fails_today_gives_after_the_repair_what_it_gave_then(results, name):
    then, broken, mended = results
    assert isinstance(broken[name], str), "it fails without the repair"
    assert mended[name] == WRITTEN_DOWN.get(name, then[name])
    assert isinstance(then[name], str) or then[name] == mended[name]


@pytest.mark.parametrize("name", CASES)
def test_each_repair_says_what_was_replaced_where(name):
    source, trouble = CASES[name]
    line = len(source.split("\n"))
    done = repair(source, trouble, line)
    assert name in {one.rule for one in done.repairs}
    for one in done.repairs:
        assert one.was in source
        assert one.now in done.source


@pytest.mark.parametrize(
    "source",
    [
        "items = []\nitems.append(3)",
        "d.fillna(0)",
        "s.resample('D').sum()",
        "np.float64(3)",
        "x = 'np.object'  # np.object",
        "print 'Python 2'",
        "d.groupby('a').mean()",
        "",
    ],
)
def test_what_needs_no_repair_keeps_its_bytes(source):
    assert repair(source) == (source, ())


LINES = st.sampled_from([*(source for source, _ in CASES.values()), "é = 1", "# np.object", "f(x)[0]"])


@given(st.lists(LINES, max_size=4))
def test_repaired_source_is_python_and_needs_no_repair_again(sources):
    source = "\n".join(sources)
    once = repair(source).source
    ast.parse(once)
    assert repair(once).source == once


@given(st.text(max_size=80))
def test_any_text_is_repaired_without_an_error(text):
    repair(text, "could not convert string", 1)
