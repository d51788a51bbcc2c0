"""Notebooks as text: cells of all formats, and files that are none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coda_bench.notebook import Unreadable, read_notebook, storable

SCALARS = st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["cells", "worksheets", "source", "input", "cell_type", "metadata", "kernelspec", "name"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("notebook") / "a-notebook.ipynb"


@given(document=ANYTHING)
def test_any_json_is_a_notebook_or_said_to_be_none(place, document):
    """Whatever stands where cells, sources and names should."""
    place.write_text(json.dumps(document))
    try:
        notebook = read_notebook(place)
    except Unreadable:
        return
    assert all(isinstance(cell.source, str) for cell in notebook.cells)
    assert notebook.title


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"cells": [], "n": ' + "9" * 5000 + "}", "not JSON"),
        ("[1]", "not a JSON object"),
        ('{"metadata": {}}', "no list of cells"),
        ('{"cells": null}', "no list of cells"),
        ('{"worksheets": 5}', "no list of cells"),
        ('{"worksheets": [1]}', "no list of cells"),
        ('{"worksheets": [{"cells": null}]}', "no list of cells"),
    ],
)
def test_a_file_that_is_no_notebook_says_why(tmp_path, text, reason):
    """Each with the reason a person can act on."""
    (tmp_path / "one.ipynb").write_text(text)
    with pytest.raises(Unreadable, match=reason):
        read_notebook(tmp_path / "one.ipynb")


def test_a_percent_script_has_cells(tmp_path):
    """Code and text by their marks, numbered from 1, with what stands before the first mark; blank lines stay."""
    (tmp_path / "one.py").write_text("import a\n# %% [markdown]\n# # Good wine\n# %%\n\nx = 1\n#%% more\ny = 2\n")
    notebook = read_notebook(tmp_path / "one.py")
    assert [(cell.number, cell.is_code, cell.source) for cell in notebook.cells] == [
        (1, True, "import a"),
        (2, False, "# # Good wine"),
        (3, True, "\nx = 1"),
        (4, True, "y = 2"),
    ]
    assert notebook.title == "Good wine"


def test_half_a_letter_does_not_stop_the_reading(tmp_path):
    """JSON can hold half of a surrogate pair, which no file of ours can: it is stored as an escape."""
    (tmp_path / "one.ipynb").write_text(
        '{"cells": [{"cell_type": "code", "source": "x = \'\\ud800\'"}],'
        ' "metadata": {"language_info": {"name": "\\ud800"}}}'
    )
    notebook = read_notebook(tmp_path / "one.ipynb")
    assert notebook.cells[0].source == "x = '\\ud800'"
    assert notebook.language == "\\ud800"


@given(st.text(st.characters()))
def test_storable_text_is_utf8(text):
    """And ordinary text stays as it is."""
    made = storable(text)
    made.encode()
    assert made == text or any("\ud800" <= letter <= "\udfff" for letter in text)
