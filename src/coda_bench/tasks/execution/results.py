"""What came out of a job, read with distrust: the process that wrote it ran a stranger's code."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import ConfigDict, Field, ValidationError

from coda_bench.records.access import CommandEnd
from coda_bench.records.anchor import Place
from coda_bench.records.record import Record
from coda_bench.sandbox import CommandResult
from coda_bench.tasks.execution.kernel.noting import Site

Described = dict[str, Any]
"""A value as `kernel.values` describes it."""


class Trouble(Record):
    """An error that a cell ended with."""

    kind: str
    message: str
    position: int
    """Of the statement in its cell; -1 when the cell is not Python of this interpreter."""
    line: int | None

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}".strip().split("\n")[0][:200]


class Note(NamedTuple):
    """One value that was displayed."""

    site: Site
    occurrence: int
    """From 0: how often the site was displayed before, in a loop or a function."""
    value: Described


class CellRun(NamedTuple):
    """One cell that was run."""

    cell: int
    trouble: Trouble | None
    stdout: str
    result: str | None
    """The text of the last expression."""
    notes: tuple[Note, ...]
    files: tuple[tuple[int, str, str], ...]
    """Position of statement, path and mode of what Python opened."""
    seconds: float
    reached: int
    """How many tables the perturbation has changed so far."""
    was_expected: bool = False
    """Whether it ended with the error that the notebook stored for it."""


class Ran(NamedTuple):
    """One job."""

    cells: tuple[CellRun, ...]
    ended: str
    """`exit` (by itself), `timeout`, `killed`, or how the sandbox ended it."""
    cpu_s: float

    @property
    def trouble(self) -> str:
        """What was the matter, in words; empty when every cell ran to its end."""
        last = self.cells[-1] if self.cells else None
        if last and last.trouble and not last.was_expected:
            return f"cell {last.cell}: {last.trouble}"
        return "" if self.ended == "exit" else f"ended by {self.ended}"

    @property
    def reached(self) -> int:
        """How many tables the perturbation has changed."""
        return self.cells[-1].reached if self.cells else 0

    def note(self, place: Place) -> Note | None:
        """Return what was displayed at a place."""
        run = self.cell(place.cell)
        for note in run.notes if run else ():
            site = note.site
            if (site.position, site.number, note.occurrence) == (place.position, place.number, place.occurrence):
                return note
        return None

    def cell(self, number: int) -> CellRun | None:
        """Return the run of a cell, if it was begun and ended."""
        return next((one for one in self.cells if one.cell == number), None)


class _Line(Record):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)

    cell: int
    trouble: Trouble | None
    stdout: str
    stderr: str
    dropped: int
    seconds: float
    reached: int
    files: list[tuple[int, str, str]]
    sites: dict[str, dict[str, Any]]
    notes: list[tuple[str, Described]]
    missed: int
    result: str | None


class _End(Record):
    ended: str
    status: int | None = None
    cpu_s: float = Field(default=0.0)


def ran(content: bytes, command: CommandResult, errors: Mapping[int, str]) -> Ran:
    """Read a job's lines; what is no such line counts for nothing.

    Args:
        content: what the kernel wrote.
        command: how it ended.
        errors: by cell, the name of the error that the notebook stored for it.
    """
    cells, end = [], None
    for row in _rows(content):
        try:
            if "ended" in row:
                end = _End.model_validate(row)
            else:
                cell = _cell(_Line.model_validate(row))
                expected = cell.trouble is not None and errors.get(cell.cell) == cell.trouble.kind
                cells.append(cell._replace(was_expected=expected))
        except (ValidationError, TypeError, KeyError):
            continue
    return Ran(tuple(cells), _ended(end, command), end.cpu_s if end else 0.0)


def _ended(end: _End | None, command: CommandResult) -> str:
    if end is None:
        return "killed" if command.ended_by is CommandEnd.EXIT else str(command.ended_by)
    return "killed" if end.ended == "exit" and end.status != 0 else end.ended


def _rows(content: bytes) -> Iterator[dict[str, Any]]:
    for line in content.decode("utf-8", "replace").split("\n"):
        try:
            row = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            yield row


def _cell(line: _Line) -> CellRun:
    sites = {key: Site(**fields) for key, fields in line.sites.items()}
    seen: dict[str, int] = {}
    notes = []
    for key, value in line.notes:
        notes.append(Note(sites[key], seen.get(key, 0), value))
        seen[key] = seen.get(key, 0) + 1
    return CellRun(
        line.cell,
        line.trouble,
        line.stdout,
        line.result,
        tuple(notes),
        tuple(line.files),
        line.seconds,
        line.reached,
    )
