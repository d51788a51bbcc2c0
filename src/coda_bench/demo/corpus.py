"""The project's own corpus: data sets that installed packages ship, and our notebooks with the outputs they print.

Output: `datasets/<slug>/…` with `dataset-metadata.json` (Kaggle's form), `notebooks/<owner>/<name>.ipynb`. The same
packages and analysis environments give the same bytes.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from coda_bench.demo.catalog import load_catalog
from coda_bench.demo.datasets import OWNER, write_dataset
from coda_bench.demo.notebook_sources import NotebookSource, SourceCell, load_notebooks
from coda_bench.errors import BadInput
from coda_bench.records.storage import write_atomically
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import AnalysisEnvironment, find

RUNNER = "notebook_runner.py"
INPUT = "/kaggle/input"
MOST_SECONDS = 300.0
AT_ONCE = 2
"""Sandboxes at a time, and parts that the notebooks of an environment are dealt into."""
_FIXED = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MPLCONFIGDIR": "/tmp"}  # noqa: S108 -- the sandbox's own
"""What makes two runs print the same, beside the seed."""
_PYTHON2 = ({"display_name": "Python 2", "language": "python", "name": "python2"}, "2.7.18")

Outputs = dict[str, dict[str, Any]]
"""By number of cell: execution count and outputs."""


class CorpusSummary(NamedTuple):
    """What was written."""

    datasets: int
    notebooks: int
    failed: tuple[str, ...]
    """Notebooks that end with an error, by name."""
    not_run: tuple[str, ...]
    """Notebooks that are stored without outputs, since their generation of the analysis environment is not there."""


def write_corpus(
    out: Path,
    *,
    environments: Callable[[str], AnalysisEnvironment | None] = find,
    names: Sequence[str] | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> CorpusSummary:
    """Lay down the data sets, run the notebooks in sandboxes and store them with their outputs.

    Args:
        out: the folder to write; it appears in one step.
        environments: gives the analysis environment of a generation; None where notebooks that need it are to be
            stored without outputs.
        names: only these notebooks; all by default. All data sets are written anyhow.
        progress: told what is done.

    Raises:
        AnalysisEnvironmentMissing: `coda-bench env build` was not run yet for a generation.
        BadInput: the folder holds something already, or an installed package lacks a file.
        MissingExtra: a package of the extra `demo` is not installed.
        SandboxError: this machine cannot run the notebooks.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BadInput(f"{out}: exists; name another folder or remove it")
    notebooks = [one for one in load_notebooks() if names is None or one.name in names]
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.building-", dir=out.parent) as folder:
        new = Path(folder, "corpus")
        n_datasets = _write_datasets(new / "datasets", progress)
        outputs = _run_all(notebooks, new / "datasets", environments, progress)
        for one in notebooks:
            content = json.dumps(_as_json(one, outputs[one.name]), ensure_ascii=False, indent=1) + "\n"
            write_atomically(new / "notebooks" / one.expected.owner / f"{one.name}.ipynb", content)
        shutil.rmtree(out, ignore_errors=True)
        new.rename(out)
    failed = tuple(one.name for one in notebooks if _has_error(outputs[one.name]))
    not_run = tuple(one.name for one in notebooks if not outputs[one.name])
    return CorpusSummary(n_datasets, len(notebooks), failed, not_run)


def _write_datasets(root: Path, progress: Callable[[str], None]) -> int:
    catalog = load_catalog()
    for number, dataset in enumerate(catalog.datasets, 1):
        progress(f"data sets {number}/{len(catalog.datasets)}: {dataset.slug}")
        write_dataset(catalog, dataset, root / dataset.slug)
    return len(catalog.datasets)


def _run_all(
    notebooks: Sequence[NotebookSource],
    datasets: Path,
    environments: Callable[[str], AnalysisEnvironment | None],
    progress: Callable[[str], None],
) -> dict[str, Outputs]:
    """Run the notebooks, some at once in one sandbox each time; those with saved outputs are not run."""
    outputs: dict[str, Outputs] = {one.name: _saved(one) for one in notebooks}
    left = [one for one in notebooks if not one.expected.saved]
    known = {generation: environments(generation) for generation in sorted({one.expected.generation for one in left})}
    parts = [(part, environment) for name, environment in known.items() if environment for part in _parts(left, name)]
    n_done = len(notebooks) - sum(len(part) for part, _ in parts)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        running = [pool.submit(run_notebooks, part, datasets, environment) for part, environment in parts]
        for (part, _), future in zip(parts, running, strict=True):
            results = future.result()
            outputs |= {one.name: _doctored(one, results[one.name]) for one in part}
            n_done += len(part)
            progress(f"notebooks {n_done}/{len(notebooks)}, the last {part[-1].name}")
    return outputs


def _parts(notebooks: Sequence[NotebookSource], generation: str) -> Iterator[list[NotebookSource]]:
    same = [one for one in notebooks if one.expected.generation == generation]
    yield from (part for first in range(AT_ONCE) if (part := same[first::AT_ONCE]))


def run_notebooks(
    notebooks: Sequence[NotebookSource], datasets: Path, environment: AnalysisEnvironment, *, seed: int = 0
) -> dict[str, Outputs]:
    """Run notebooks from their sources in one sandbox; each ends at its first error, which is its last output.

    Args:
        notebooks: what to run.
        datasets: the folder of data sets, shown below `/kaggle/input` and `../input`.
        environment: the Python they are run by.
        seed: of the hashes of texts, and of generators that notebooks do not seed; another one shows what hangs on it.

    Raises:
        BadInput: they could not be run to their ends.
        SandboxError: this machine cannot run them.
    """
    spec = SandboxSpec(data=None, environment=environment, readonly=tuple(_shown(datasets)), tracking=False)
    program = resources.files(__package__).joinpath(RUNNER).read_bytes()
    request = json.dumps({"seed": seed, "notebooks": [_request(one) for one in notebooks]}).encode()
    variables = _FIXED | {"PYTHONHASHSEED": str(seed)}
    with Sandbox.start(spec) as sandbox:
        sandbox.write(f"/workspace/{RUNNER}", program)
        argv = ["python3", f"/workspace/{RUNNER}"]
        ended = sandbox.execute(argv, stdin=request, timeout_s=MOST_SECONDS, env=variables, counted=False)
        if ended.exit_code != 0:
            trouble = ended.stderr.decode("utf-8", "replace").strip()[-300:]
            names = ", ".join(one.name for one in notebooks)
            raise BadInput(f"the notebooks could not be run (ended by {ended.ended_by}): {names}: {trouble}")
        results: dict[str, Outputs] = json.loads(sandbox.read("/workspace/outputs.json"))
    return results


def _shown(datasets: Path) -> Iterator[tuple[Path, str]]:
    """Yield every data set where Kaggle shows it: by slug, and since 2026 by owner and slug."""
    for folder in sorted(datasets.iterdir()):
        yield folder, f"{INPUT}/{folder.name}"
        yield folder, f"{INPUT}/datasets/{OWNER}/{folder.name}"


def _request(notebook: NotebookSource) -> dict[str, Any]:
    cells, expected = notebook.code, notebook.expected
    return {
        "name": notebook.name,
        "cells": {str(number): text for number, text in cells.items()},
        "order": list(expected.order or cells),
        "writable": list(expected.writable),
    }


def _saved(notebook: NotebookSource) -> Outputs:
    """Return the outputs of a notebook that was run elsewhere once; none of others."""
    texts = notebook.expected.saved
    if not texts:
        return {}
    return {
        str(number): {
            "count": count,
            "outputs": [{"output_type": "stream", "name": "stdout", "text": texts[number]}] if number in texts else [],
        }
        for count, number in enumerate(notebook.code, 1)
    }


def _doctored(notebook: NotebookSource, outputs: Outputs) -> Outputs:
    """Make an output stale where the expectation says so."""
    stale = notebook.expected.stale
    if stale is None:
        return outputs
    cell = json.dumps(outputs[str(stale.cell)])
    if stale.was not in cell:
        raise BadInput(
            f"notebook {notebook.name}: cell {stale.cell} does not print {stale.was!r}; mend its expectation"
        )
    return outputs | {str(stale.cell): json.loads(cell.replace(stale.was, stale.now))}


def _has_error(outputs: Outputs) -> bool:
    return any(output["output_type"] == "error" for cell in outputs.values() for output in cell["outputs"])


def _as_json(notebook: NotebookSource, outputs: Outputs) -> dict[str, Any]:
    """Return a notebook in version 4.5 of the format."""
    kernel, version = {"display_name": "Python 3", "language": "python", "name": "python3"}, "3.11"
    if notebook.expected.bad == "python2":
        kernel, version = _PYTHON2
    return {
        "cells": [_cell(notebook.name, cell, outputs) for cell in notebook.cells],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python", "version": version}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cell(name: str, cell: SourceCell, outputs: Outputs) -> dict[str, Any]:
    lines = cell.text.splitlines(keepends=True)
    digest = hashlib.sha256(f"{name} {cell.number}".encode()).hexdigest()
    if not cell.is_code:
        return {"cell_type": "markdown", "id": digest[:8], "metadata": {}, "source": lines}
    ran = outputs.get(str(cell.number), {"count": None, "outputs": []})
    return {
        "cell_type": "code",
        "execution_count": ran["count"],
        "id": digest[:8],
        "metadata": {},
        "outputs": ran["outputs"],
        "source": lines,
    }
