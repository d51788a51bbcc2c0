"""The project's own corpus: run for real, its good notebooks good and each bad one bad in the way it claims."""

import ast
import json
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coda_bench.demo.catalog import load_catalog
from coda_bench.demo.corpus import run_notebooks, write_corpus
from coda_bench.demo.notebook_sources import Flaw, cells_of, load_notebooks
from coda_bench.errors import AnalysisEnvironmentMissing, BadInput, SandboxUnavailable
from coda_bench.sandbox.analysis_env import find

pytestmark = pytest.mark.xdist_group("demo")

NOTEBOOKS = {one.name: one for one in load_notebooks()}
GOOD = sorted(name for name, one in NOTEBOOKS.items() if one.expected.is_good)
BAD = {one.expected.bad: one for one in NOTEBOOKS.values() if not one.expected.is_good}
FEW = ("wage-gaps-in-three-samples", "browsers-in-a-chart", "a-sample-of-the-orchard", "the-first-penguin")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory, leave):
    """The whole corpus, and what was said of it."""
    out = tmp_path_factory.mktemp("corpus") / "corpus"
    try:
        return out, write_corpus(out)
    except (AnalysisEnvironmentMissing, SandboxUnavailable) as error:
        leave(str(error))


@pytest.fixture(scope="module")
def stored(corpus):
    """A function that reads a stored notebook by name."""
    root, _ = corpus
    paths = {path.stem: path for path in (root / "notebooks").rglob("*.ipynb")}
    return lambda name: json.loads(paths[name].read_text("utf-8"))


@pytest.fixture(scope="module")
def rerun(corpus):
    """A function that runs one notebook again, from top to bottom and with its inputs as they are."""
    root, _ = corpus

    def run(notebook, *, seed=0, generation="current"):
        expected = notebook.expected.model_copy(update={"order": (), "writable": ()})
        results = run_notebooks([notebook._replace(expected=expected)], root / "datasets", find(generation), seed=seed)
        return {int(number): shown(cell["outputs"]) for number, cell in results[notebook.name].items()}

    return run


def shown(outputs):
    """Return what outputs show as text; errors by their names."""
    texts = []
    for output in outputs:
        if output["output_type"] == "error":
            texts.append(f"{output['ename']}: {output['evalue']}")
        elif output.get("name") != "stderr":
            texts.append(output.get("text") or output["data"]["text/plain"])
    return "\n".join(texts)


def texts_of(notebook):
    """Return what the cells of a stored notebook show, by number."""
    return {number: shown(cell.get("outputs", [])) for number, cell in enumerate(notebook["cells"], 1)}


def errors_of(notebook):
    return [o for cell in notebook["cells"] for o in cell.get("outputs", []) if o["output_type"] == "error"]


def test_there_are_enough_of_each_kind(corpus):
    """At least 40 notebooks over 60 data sets, most of them good, and one at least of every flaw."""
    _, summary = corpus
    assert summary.notebooks == len(NOTEBOOKS) >= 44
    assert summary.datasets >= 60
    assert len(GOOD) >= 30
    assert {one.expected.bad for one in NOTEBOOKS.values()} == {None, *Flaw}
    assert summary.failed == (BAD[Flaw.FAILING_CELL].name,)
    assert summary.not_run == ()


def test_shares_of_one_two_and_more_data_sets():
    """60, 25 and 15 of a hundred, within four; every data set is used by some notebook."""
    datasets = {one.slug for one in load_catalog().datasets}
    used = {
        name: {slug for slug in datasets if re.search(rf"\b{slug}\b(?!-)", "\n".join(one.code.values()))}
        for name, one in NOTEBOOKS.items()
        if one.expected.bad is not Flaw.MARKDOWN_ONLY
    }
    sizes = Counter(min(3, len(found)) for found in used.values())
    shares = [100 * sizes[n] / len(used) for n in (1, 2, 3)]
    assert sizes[0] == 0
    assert shares == pytest.approx([60, 25, 15], abs=4)
    assert set().union(*used.values()) == datasets


def test_the_corpus_is_read_as_it_was_written(corpus, tmp_path):
    """Every way of writing a path is understood, and nothing is taken for one that is none."""
    pytest.importorskip("duckdb", reason="reading corpora needs the extra `construct`")
    from coda_bench.construct.corpus.folder import read_folder  # noqa: PLC0415 -- after the check

    root, _ = corpus
    counts = read_folder(root, tmp_path / "corpus").counts
    used = {name: counts[f"notebooks_with_{name}"] for name in ("no_data_set", "one", "two", "three_or_more")}
    assert used == {"no_data_set": 1, "one": 41, "two": 20, "three_or_more": 11}
    assert counts.get("references_unresolved", 0) == 0
    assert counts["datasets_unused"] == 0
    assert counts["folded"] == 0


@pytest.mark.parametrize("name", GOOD)
def test_a_good_notebook_prints_its_anchors(stored, name):
    """Without an error, each in the cell that is named."""
    notebook = stored(name)
    texts = texts_of(notebook)
    assert not errors_of(notebook)
    assert NOTEBOOKS[name].expected.anchors
    for anchor in NOTEBOOKS[name].expected.anchors:
        assert anchor.text in texts[anchor.cell]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("do-training-programmes-pay", "1794.34"),  # Dehejia and Wahba 1999, table 2: 1,794
        ("two-lists-of-the-titanic", "crew         885"),  # Board of Trade 1990, in Dawson 1995
        ("iris-from-two-places", "setosa      1.0  1.462  1.9"),  # Fisher 1936, table I
        ("penguins-by-island", "Biscoe         44          0     124"),  # palmerpenguins, README
        ("late-departures-from-new-york", "(336776, 19)"),  # nycflights13, documentation
        ("lymph-nodes-and-hormones", "yes    246"),  # Schumacher 1994: 246 with hormones of 686
        ("two-kinds-of-survival", "median survival in days: 310"),  # Loprinzi 1994 as in R's survival
        ("two-kinds-of-survival", "114 of 432"),  # Rossi 1980: 114 arrests
        ("wage-gaps-in-three-samples", "7.099"),  # Wooldridge, section 7.2: 7.10 for men
        ("smoking-in-chinese-cities", "2.1745"),  # Liu 1992, in Agresti: 2.17
    ],
)
def test_values_are_those_of_the_literature(stored, name, text):
    """Our notebooks compute what others published from the same data."""
    assert text in "\n".join(texts_of(stored(name)).values())


def test_the_same_bytes_come_out_twice(corpus, tmp_path):
    """Also of notebooks that draw at random, hash or plot."""
    root, _ = corpus
    write_corpus(tmp_path / "again", names=FEW)
    for path in (tmp_path / "again/notebooks").rglob("*.ipynb"):
        assert path.read_bytes() == (root / path.relative_to(tmp_path / "again")).read_bytes()
    some = [path for path in (tmp_path / "again/datasets").rglob("*") if path.is_file()]
    assert len(some) > 400
    for path in some:
        assert path.read_bytes() == (root / path.relative_to(tmp_path / "again")).read_bytes()


def test_a_notebook_whose_generation_is_missing_is_stored_without_outputs(tmp_path):
    """And named; the others are run."""
    environments = {"current": find("current")}
    names = (BAD[Flaw.DRIFTING].name, "kinds-of-glass")
    summary = write_corpus(tmp_path / "corpus", environments=environments.get, names=names)
    assert summary.not_run == (BAD[Flaw.DRIFTING].name,)
    outputs = {
        path.stem: [cell["outputs"] for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
        for path in (tmp_path / "corpus" / "notebooks").rglob("*.ipynb")
    }
    assert not any(outputs[BAD[Flaw.DRIFTING].name])
    assert all(outputs["kinds-of-glass"])


def test_notebooks_are_valid(corpus):
    """By the schema of the notebook format."""
    nbformat = pytest.importorskip("nbformat", reason="needs the extra `construct`")
    root, _ = corpus
    for path in (root / "notebooks").rglob("*.ipynb"):
        nbformat.validate(nbformat.read(path, as_version=4))


def test_data_sets_say_their_licence_and_none_is_of_kaggle_or_gpl(corpus):
    """As the catalog has it."""
    root, _ = corpus
    for dataset in load_catalog().datasets:
        known = json.loads((root / "datasets" / dataset.slug / "dataset-metadata.json").read_text())
        licence = known["licenses"][0]["name"]
        assert licence == load_catalog().licence_of(dataset)
        assert "GPL" not in licence
        assert known["title"]
        assert known["id"] == f"coda-bench-demo/{dataset.slug}"


def test_unseeded_random_prints_something_else_each_time(rerun):
    """And nothing in its code sets a seed."""
    notebook = BAD[Flaw.UNSEEDED_RANDOM]
    assert "seed" not in "".join(notebook.code.values())
    assert rerun(notebook, seed=1) != rerun(notebook, seed=2)


def test_a_notebook_run_out_of_order_fails_from_top_to_bottom(stored, rerun):
    """Its execution counts tell."""
    notebook = BAD[Flaw.OUT_OF_ORDER]
    counts = [cell["execution_count"] for cell in stored(notebook.name)["cells"] if cell["cell_type"] == "code"]
    assert counts != sorted(counts)
    assert not errors_of(stored(notebook.name))
    assert any("KeyError" in text for text in rerun(notebook).values())


def test_a_stale_output_is_not_what_the_code_prints(stored, rerun):
    """In one cell; the others are."""
    notebook = BAD[Flaw.STALE_OUTPUT]
    now, then = rerun(notebook), texts_of(stored(notebook.name))
    assert [number for number, text in now.items() if text != then[number]] == [notebook.expected.stale.cell]


def test_a_drifting_notebook_prints_other_numbers_without_an_error(stored, rerun):
    """Under the current generation of pandas; under the older one what is stored."""
    notebook = BAD[Flaw.DRIFTING]
    then = texts_of(stored(notebook.name))
    older, current = rerun(notebook, generation="older"), rerun(notebook)
    assert all(then[number] == text for number, text in older.items())
    assert any(then[number] != text for number, text in current.items())
    assert not any("Error" in text for text in current.values())


def test_a_notebook_that_overwrites_its_input_fails_where_it_must_not(stored, rerun):
    """It was run on a copy."""
    notebook = BAD[Flaw.OVERWRITTEN_INPUT]
    assert not errors_of(stored(notebook.name))
    assert any("OSError" in text and "Read-only" in text for text in rerun(notebook).values())


def test_a_network_notebook_has_outputs_that_no_sandbox_gives(stored, rerun):
    """They were stored where there was a network."""
    notebook = BAD[Flaw.NETWORK]
    assert "r = -0.860" in texts_of(stored(notebook.name))[4]
    assert any("URLError" in text for text in rerun(notebook).values())


def test_python_2_does_not_parse(stored):
    """Its outputs are stored all the same."""
    notebook = BAD[Flaw.PYTHON2]
    with pytest.raises(SyntaxError):
        ast.parse("\n".join(notebook.code.values()))
    assert stored(notebook.name)["metadata"]["kernelspec"]["name"] == "python2"
    assert "0.3055" in texts_of(stored(notebook.name))[3]


def test_a_failing_cell_ends_its_notebook(stored):
    """What comes after was not run."""
    cells = [cell for cell in stored(BAD[Flaw.FAILING_CELL].name)["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == [1, 2, None]
    assert cells[1]["outputs"][-1]["ename"] == "KeyError"


def test_an_order_dependent_notebook_depends_on_hashes(rerun):
    """The order of a set of texts differs from process to process."""
    notebook = BAD[Flaw.ORDER_DEPENDENT]
    assert len({str(rerun(notebook, seed=seed)) for seed in range(6)}) > 1


def test_constants_are_printed_without_looking_at_data(stored):
    """No cell that prints names the table."""
    notebook = BAD[Flaw.CONSTANT]
    tables = {"marriages", "pd"}
    for number, source in notebook.code.items():
        names = {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
        assert not ("print" in names and names & tables), number
    assert "0.3225" in "".join(texts_of(stored(notebook.name)).values())


def test_a_chart_shows_nothing_in_text(stored):
    """Its result is a picture."""
    outputs = [o for cell in stored(BAD[Flaw.CHART_READ].name)["cells"] for o in cell.get("outputs", [])]
    assert [o["output_type"] for o in outputs] == ["display_data"]
    assert "image/png" in outputs[0]["data"]
    assert outputs[0]["data"]["text/plain"] == "<Figure with 1 Axes>"


def test_markdown_only_runs_nothing(stored):
    """Its one cell of code is a comment; data is named in the text alone."""
    notebook = BAD[Flaw.MARKDOWN_ONLY]
    assert all(not ast.parse(source).body for source in notebook.code.values())
    assert "../input/" in "".join(cell.text for cell in notebook.cells if not cell.is_code)
    assert not "".join(texts_of(stored(notebook.name)).values())


def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    """Nothing is written over."""
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(BadInput, match="exists; name another folder"):
        write_corpus(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_scripts_are_cut_into_cells():
    """Marks, kinds, comments of text, magics that stand as comments."""
    cells = cells_of(
        "lost\n# %% [markdown]\n# # Title\n#\n# text\n\n# %% name\n# %matplotlib inline\nx = 1  # %%\n\n# %%\n"
    )
    assert [(cell.number, cell.is_code, cell.text) for cell in cells] == [
        (1, False, "# Title\n\ntext"),
        (2, True, "%matplotlib inline\nx = 1  # %%"),
        (3, True, ""),
    ]


@given(sources=st.lists(st.text(alphabet="ab =1\n()", max_size=30).map(lambda text: text.strip("\n")), max_size=6))
def test_cells_come_back_as_they_were(sources):
    """Whatever their code, as long as it holds no mark of its own."""
    script = "".join(f"# %%\n{source}\n\n" for source in sources)
    assert [cell.text for cell in cells_of(script)] == sources
