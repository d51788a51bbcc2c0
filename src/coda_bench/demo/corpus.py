"""The project's own corpus: notebooks written for it over data that installed packages ship, some bad on purpose.

Notebooks are kept as percent scripts in `notebooks/`; writing a corpus executes them in a sandbox and stores them as
`.ipynb` with their real outputs, the same bytes every time. `notebooks/expectations.toml` says what is wrong where.
"""

import json
import platform
import re
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from coda_bench.demo.catalog import Catalog, load_catalog
from coda_bench.demo.communities import write_dataset
from coda_bench.errors import HarnessFailed
from coda_bench.records.record import Record
from coda_bench.records.storage import write_atomically
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import AnalysisEnvironment

_MARK = re.compile(r"^# %%(.*)\n?", re.MULTILINE)
_ENDINGS = (".py", ".py2")
"""The second is no Python of today: nothing that installs or checks a package is to read it as such."""
_TIME_S = 120.0
_AT_ONCE = 2
_SEED = 7
"""For notebooks that set none themselves: their stored output is one draw, the same in every corpus."""
_KAGGLE = "/kaggle/input"
_PYTHON_2 = "2.7.18"

Progress = Callable[[str], None]


class Expectations(Record):
    """What is wrong with the notebooks that are bad on purpose."""

    bad: dict[str, str]
    """Class by notebook."""
    stale: dict[str, str]
    """What a notebook's last output is made to show."""


class CorpusSummary(NamedTuple):
    """How much was written."""

    datasets: int
    notebooks: int
    bad: int


class _Source(NamedTuple):
    name: str
    cells: list[tuple[bool, str]]
    """Whether it is code, and its text."""


def expectations() -> Expectations:
    """Return what later stages have to find wrong."""
    text = resources.files(__package__).joinpath("notebooks/expectations.toml").read_text("utf-8")
    return Expectations.model_validate(tomllib.loads(text))


def write_corpus(out: Path, environment: AnalysisEnvironment | None, *, progress: Progress) -> CorpusSummary:
    """Write `datasets/<slug>/…` and `notebooks/<name>.ipynb` below `out`.

    Args:
        out: a directory to make.
        environment: what notebooks are executed with; None leaves them without outputs.
        progress: called with a few words as work goes on.

    Raises:
        MissingExtra: a package of the catalog is not installed.
        SandboxUnavailable: no sandbox can be started here.
        HarnessFailed: a notebook came to no end.
    """
    catalog = load_catalog()
    _write_datasets(catalog, out / "datasets", progress)
    sources, expected = _sources(), expectations()
    results = _executed(sources, expected, out / "datasets", environment, progress) if environment else {}
    for source in sources:
        document = _notebook(source, results.get(source.name, []), expected)
        path = out / "notebooks" / f"{source.name.replace('_', '-')}.ipynb"
        write_atomically(path, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    return CorpusSummary(len(catalog.datasets), len(sources), len(expected.bad))


def _write_datasets(catalog: Catalog, folder: Path, progress: Progress) -> None:
    for number, dataset in enumerate(catalog.datasets, 1):
        progress(f"data sets {number}/{len(catalog.datasets)}: {dataset.slug}")
        write_dataset(catalog, dataset, folder / dataset.slug)


def _sources() -> list[_Source]:
    folder = resources.files(__package__).joinpath("notebooks")
    scripts = sorted((one for one in folder.iterdir() if one.name.endswith(_ENDINGS)), key=lambda one: one.name)
    return [_Source(one.name.rpartition(".")[0], _cells(one.read_text("utf-8"))) for one in scripts]


def _cells(script: str) -> list[tuple[bool, str]]:
    kinds = _MARK.findall(script)
    texts = _MARK.split(script)[2::2]
    cells = []
    for kind, text in zip(kinds, texts, strict=True):
        is_code = "[markdown]" not in kind
        plain = text.strip("\n")
        cells.append((is_code, plain if is_code else re.sub(r"^# ?", "", plain, flags=re.MULTILINE)))
    return cells


def _executed(
    sources: list[_Source], expected: Expectations, datasets: Path, environment: AnalysisEnvironment, progress: Progress
) -> dict[str, list[dict[str, Any]]]:
    """Execute notebooks side by side in one sandbox, each in a process and a folder of its own."""
    program = resources.files(__package__).joinpath("runner.py").read_text("utf-8")
    spec = SandboxSpec(data=datasets, environment=environment, readonly=((datasets, _KAGGLE),))
    runnable = [source for source in sources if expected.bad.get(source.name) != "python2"]
    with Sandbox.start(spec) as sandbox, ThreadPoolExecutor(_AT_ONCE) as beside:

        def run(source: _Source) -> list[dict[str, Any]]:
            return _run(sandbox, program, source, expected.bad.get(source.name, ""))

        done = {}
        for number, (source, found) in enumerate(zip(runnable, beside.map(run, runnable), strict=True), 1):
            progress(f"notebooks {number}/{len(runnable)}: {source.name}")
            done[source.name] = found
        return done


def _run(sandbox: Sandbox, program: str, source: _Source, bad: str) -> list[dict[str, Any]]:
    """Run one notebook as if it lay in `notebooks/` beside `input/`; one that overwrites its input gets a copy."""
    folder = f"/workspace/{source.name}"
    inputs = "cp -r /data input" if bad == "overwritten_input" else "ln -s /data input"
    script = f'mkdir -p {folder}/notebooks && cd {folder} && {inputs} && cd notebooks && exec python3 -c "$0"'
    code = [text for is_code, text in source.cells if is_code]
    order = [0, 2, 1] if bad == "out_of_order" else range(len(code))
    told = {"cells": [code[place] for place in order], "seed": _SEED if bad == "unseeded_random" else None}
    result = sandbox.execute(["sh", "-c", script, program], stdin=json.dumps(told).encode(), timeout_s=_TIME_S)
    if result.exit_code != 0:
        said = result.stderr.decode(errors="replace").strip()[-500:]
        raise HarnessFailed(f"demo notebook {source.name}: {result.ended_by}, exit code {result.exit_code}: {said}")
    found: list[dict[str, Any]] = json.loads(result.stdout)
    return [found[order.index(place)] for place in range(len(code))] if bad == "out_of_order" else found


def _notebook(source: _Source, results: list[dict[str, Any]], expected: Expectations) -> dict[str, Any]:
    bad = expected.bad.get(source.name, "")
    counts = [1, 3, 2] if bad == "out_of_order" else range(1, len(source.cells) + 1)
    cells, code = [], 0
    for number, (is_code, text) in enumerate(source.cells):
        cell: dict[str, Any] = {"cell_type": "code" if is_code else "markdown", "id": f"cell-{number}", "metadata": {}}
        if is_code:
            outputs = _outputs(results[code], counts[code]) if code < len(results) else []
            cell |= {"execution_count": counts[code] if code < len(results) else None, "outputs": outputs}
            code += 1
        cells.append(cell | {"source": text})
    if source.name in expected.stale:
        cells[-1]["outputs"] = [{"name": "stdout", "output_type": "stream", "text": expected.stale[source.name]}]
    version = _PYTHON_2 if bad == "python2" else ".".join(platform.python_version_tuple()[:2])
    kernel = {"display_name": "Python", "language": "python", "name": "python2" if bad == "python2" else "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python", "version": version}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _outputs(result: dict[str, Any], count: int) -> list[dict[str, Any]]:
    outputs: list[dict[str, Any]] = []
    if result["printed"]:
        outputs.append({"name": "stdout", "output_type": "stream", "text": result["printed"]})
    if result["shown"] is not None:
        data = {"text/plain": result["shown"]}
        outputs.append({"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"})
    if result["raised"]:
        name, value = result["raised"]
        outputs.append({"ename": name, "evalue": value, "output_type": "error", "traceback": []})
    return outputs
