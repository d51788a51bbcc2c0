"""The era of a notebook: the libraries with which it still gives what it stored, and repairs where none does.

A notebook does not say which libraries it was run with; the version of its interpreter, or Kaggle's image, is a hint
at most. So it is run with each generation that is built here, and the one with which most numeric cells agree is its
own; of those that agree equally, the first. Where cells still fail, source that used what was removed since is
repaired by rule, and the repair counts only if more cells agree than before.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from coda_bench.notebook import Cell, Notebook
from coda_bench.records.anchor import Repair
from coda_bench.sandbox.analysis_env import AnalysisEnvironment
from coda_bench.tasks.anchors.confirm import agrees
from coda_bench.tasks.anchors.find import numeric_cells
from coda_bench.tasks.execution.execute import CellSource, Job, execute
from coda_bench.tasks.execution.kernel.cells import clean
from coda_bench.tasks.execution.results import Ran
from coda_bench.tasks.execution.room import Room
from coda_bench.tasks.proof.trial import FIRST
from coda_bench.tasks.repair.repair import repair

MOST_REPAIRS = 6
"""Rounds of repairing what the last one left failing."""


class Era(NamedTuple):
    """How a notebook is run best."""

    environment: AnalysisEnvironment
    why: str
    cells: tuple[CellSource, ...]
    """Its cells of code, repaired where that helped."""
    repairs: tuple[Repair, ...]
    ran: Ran
    """The run that was best."""


class _Attempt(NamedTuple):
    cells: tuple[CellSource, ...]
    environment: AnalysisEnvironment
    ran: Ran
    agreeing: int


def era_of(notebook: Notebook, room: Room, environments: Sequence[AnalysisEnvironment], limit_s: float) -> Era:
    """Find out how a notebook is run best.

    Args:
        notebook: with its stored outputs.
        room: where it runs.
        environments: those to try, the preferred first.
        limit_s: seconds that one run may take.

    Raises:
        SandboxError: this machine cannot run it.
    """
    cells = sources_of(notebook)
    wanted = len(numeric_cells(notebook))
    first = best = _attempt(notebook, cells, room, environments[0], limit_s)
    for environment in environments[1:] if best.agreeing < wanted else ():
        tried = _attempt(notebook, cells, room, environment, limit_s)
        best = tried if tried.agreeing > best.agreeing else best
        if best.agreeing == wanted:
            break
    why = f"{best.agreeing} of {wanted} numeric cells give what is stored; {_said(notebook.metadata)}"
    mended, repairs = best, tuple[Repair, ...]()
    if best.agreeing < wanted:
        mended, repairs = _mended(notebook, room, first, best, limit_s)
    if repairs:
        why += f"; {mended.agreeing} after repairs with {mended.environment.generation}"
    return Era(mended.environment, why, mended.cells, repairs, mended.ran)


def sources_of(notebook: Notebook) -> tuple[CellSource, ...]:
    """Return a notebook's cells of code with the errors stored below them."""
    return tuple(CellSource(cell.number, cell.source, _error(cell)) for cell in notebook.code)


def _error(cell: Cell) -> str:
    return next((one.text.partition(":")[0] for one in cell.outputs if one.kind == "error"), "")


def _attempt(
    notebook: Notebook, cells: tuple[CellSource, ...], room: Room, environment: AnalysisEnvironment, limit_s: float
) -> _Attempt:
    job = Job("whole", cells)
    done = execute([job], room, environment, FIRST, limit_s=limit_s).jobs[job.name]
    runs = {run.cell: run for run in done.cells if run.trouble is None or run.was_expected}
    agreeing = sum(
        cell.number in runs and agrees(output, runs[cell.number]) for cell, output in numeric_cells(notebook)
    )
    return _Attempt(cells, environment, done, agreeing)


def _mended(
    notebook: Notebook, room: Room, first: _Attempt, best: _Attempt, limit_s: float
) -> tuple[_Attempt, tuple[Repair, ...]]:
    """Repair what fails with the preferred libraries, for as long as there is something to repair.

    Args:
        notebook: with its stored outputs.
        room: where it runs.
        first: the attempt with the preferred libraries.
        best: the attempt to be better than.
        limit_s: seconds that one run may take.
    """
    kept: tuple[_Attempt, tuple[Repair, ...]] = best, ()
    last, repairs = first, tuple[Repair, ...]()
    for _ in range(MOST_REPAIRS):
        cells, more = _repaired(last.cells, _trouble_of(last.ran))
        if not more:
            break
        repairs += more
        last = _attempt(notebook, cells, room, first.environment, limit_s)
        if last.agreeing > kept[0].agreeing:
            kept = last, repairs
    return kept


def _trouble_of(ran: Ran) -> tuple[int, str, int | None]:
    """Return the cell that a run ended in, with the error and its line."""
    last = ran.cells[-1] if ran.cells else None
    if last is None or last.trouble is None or last.was_expected:
        return 0, "", None
    return last.cell, f"{last.trouble.kind}: {last.trouble.message}", last.trouble.line


def _repaired(
    cells: Sequence[CellSource], trouble: tuple[int, str, int | None]
) -> tuple[tuple[CellSource, ...], tuple[Repair, ...]]:
    made, repairs = [], list[Repair]()
    for number, source, error in cells:
        about = trouble[1:] if trouble[0] == number else ("", None)
        text, done = repair(clean(source), *about)
        made.append(CellSource(number, text if done else source, error))
        repairs += [one.model_copy(update={"cell": number}) for one in done]
    return tuple(made), tuple(repairs)


def _said(metadata: Mapping[str, Any]) -> str:
    """Return what a notebook says of where it was run."""
    info, kaggle = metadata.get("language_info"), metadata.get("kaggle")
    version = info.get("version") if isinstance(info, dict) else None
    image = kaggle.get("dockerImageVersionId") if isinstance(kaggle, dict) else None
    said = [f"Python {version}"] if isinstance(version, str) else []
    said += [f"Kaggle's image {image}"] if isinstance(image, int) else []
    return f"it names {' and '.join(said)}" if said else "it names no version"
