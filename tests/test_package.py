"""The package as a user meets it: what it promises, what importing it costs, what the wheel holds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import coda_bench

ROOT = Path(__file__).parents[1]
HEAVY = {"inspect_ai", "pandas", "numpy", "matplotlib", "anyio", "rich", "typer"}


def modules_after(code):
    """Return the top-level modules loaded after running `code` in a new interpreter."""
    probe = f"import sys\n{code}\nprint(*{{m.partition('.')[0] for m in sys.modules}}, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_public_names_are_sorted_and_all_resolve():
    """Each name of `__all__` exists, and the list is kept in order."""
    assert coda_bench.__all__ == sorted(coda_bench.__all__, key=str.lower) or coda_bench.__all__ == sorted(
        coda_bench.__all__
    )
    for name in coda_bench.__all__:
        assert getattr(coda_bench, name) is not None


def test_importing_the_package_loads_nothing_heavy():
    """Not even pydantic is loaded before a name is used."""
    assert modules_after("import coda_bench").isdisjoint(HEAVY | {"pydantic"})


def test_scoring_names_load_no_engine_and_no_numbers_library():
    """Using the scoring functions from Python needs pydantic alone."""
    loaded = modules_after("from coda_bench import evaluate, load_predictions, load_tasks, validate")
    assert loaded.isdisjoint(HEAVY)


def test_an_unknown_name_is_an_attribute_error():
    """A misspelt name fails as for any module."""
    probe = "import coda_bench\ntry:\n    coda_bench.evalute\nexcept AttributeError as e:\n    print(e)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert "evalute" in done.stdout


def test_the_help_of_the_umbrella_command_loads_no_engine():
    """`coda-bench --help` answers without importing what runs agents."""
    code = "import sys; sys.argv = ['coda-bench', '--help']\nfrom coda_bench.cli.main import main\n"
    loaded = modules_after(code + "try:\n    main()\nexcept SystemExit:\n    pass")
    assert loaded.isdisjoint({"inspect_ai", "pandas", "numpy", "matplotlib"})


def test_the_package_runs_as_a_module():
    """`python -m coda_bench.cli` is the umbrella command."""
    line = [sys.executable, "-m", "coda_bench.cli", "--version"]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    assert done.stdout == f"coda-bench {coda_bench.__version__}\n"


def test_modules_keep_to_the_size_a_reader_can_hold():
    """No module has more than 400 lines, and none is named for no idea."""
    for path in (ROOT / "src").rglob("*.py"):
        assert len(path.read_text().splitlines()) <= 400, path
        assert path.stem not in {"utils", "util", "helpers", "common", "misc", "base", "core"}, path


@pytest.mark.xdist_group("watched")
def test_a_group_of_tests_stays_on_one_worker(request):
    """A pytest that ignores groups builds every costly fixture once per worker, and says nothing."""
    if request.config.getoption("dist") != "no" or "PYTEST_XDIST_WORKER" in os.environ:
        assert request.node.nodeid.endswith("@watched")
