"""Which parts of a value that was computed again stand in the stored output, at the place of their labels."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from coda_bench.notebook import Cell
from coda_bench.records.anchor import Leaf, Step
from coda_bench.tasks.anchors.grid import Grid, read_grid
from coda_bench.tasks.anchors.parts import Part, parts, text_of
from coda_bench.tasks.anchors.shown import Shown, agree, is_shown, numbers, without_noise
from coda_bench.tasks.execution.results import CellRun, Note

_PICTURE = re.compile(r"\[?<[^<>\n]*(?:\bat 0x[0-9a-f]+|\bFigure\b|\bAxes)[^<>\n]*>\]?")


class Stored(NamedTuple):
    """What a notebook stored below a cell."""

    printed: str
    """What was printed or displayed."""
    result: str
    """The last expression."""
    grids: tuple[Grid, ...]

    @property
    def text(self) -> str:
        """All of it."""
        return f"{self.printed}\n{self.result}"


def stored(cell: Cell) -> Stored:
    """Return a cell's stored outputs as texts and tables."""
    printed = "\n".join(_plain(one.text) for one in cell.outputs if one.kind in {"stdout", "display"})
    result = "\n".join(_plain(one.text) for one in cell.outputs if one.kind == "result")
    grids = tuple(read_grid(one.html) for one in cell.outputs if "<table" in one.html)
    return Stored(printed, result, grids)


def _plain(text: str) -> str:
    return _PICTURE.sub("", text)


def agrees(output: Stored, run: CellRun) -> bool:
    """Whether a cell printed and displayed the same again."""
    return agree(output.text, f"{_plain(run.stdout)}\n{_plain(run.result or '')}")


def confirmed(output: Stored, note: Note, *, same: bool) -> list[Leaf]:
    """Return the parts of a displayed value that the stored output shows.

    Args:
        output: what the notebook stored below the cell.
        note: what was displayed when it ran again.
        same: whether the whole output is the same, so that a part needs to be found but not to be placed.
    """
    text = without_noise(output.result if note.site.role == "result" else output.printed)
    lines = text.split("\n")
    found = (_confirmed(part, note, output.grids, lines, text, same=same) for part in parts(note.value))
    return [leaf for leaf in found if leaf is not None]


def _confirmed(
    part: Part, note: Note, grids: tuple[Grid, ...], lines: list[str], text: str, *, same: bool
) -> Leaf | None:
    rows = [step for step in part.path if step.kind == "row"]
    if rows and any(step.kind == "column" for step in part.path) and (at := _in_grids(part, grids)) is not None:
        return _leaf(part, numbers(at))
    if rows:
        return _leaf(part, _beside(rows[-1], lines, last=not same and len(part.path) == 1))
    if part.path:
        return _leaf(part, numbers(text)) if same else None
    return _single(part, note, text, same=same)


def _in_grids(part: Part, grids: tuple[Grid, ...]) -> str | None:
    row = next(step for step in part.path if step.kind == "row")
    column = next(step for step in part.path if step.kind == "column")
    for grid in grids:
        if (text := grid.at(text_of(row.label), text_of(column.label))) is not None:
            return text
    return None


def _beside(row: Step, lines: list[str], *, last: bool) -> Iterator[Shown]:
    """Yield the numbers of the lines that begin with a row's label."""
    label = text_of(row.label)[-1]
    whole = text_of(row.label)[0]
    for line in lines:
        stripped = line.strip()
        start = stripped.find(label)
        if start < 0 or not (stripped.startswith((label, whole))):
            continue
        rest = stripped[start + len(label) :]
        if rest[:1] in {"", " ", "\t"}:
            found = list(numbers(rest))
            yield from found[-1:] if last else found


def _single(part: Part, note: Note, text: str, *, same: bool) -> Leaf | None:
    """Confirm a value that has no parts: by its label where the output as a whole differs."""
    if part.value[0] in {"s", "t"}:
        shown = text_of(part.value)[0]
        return Leaf(path=(), value=part.value, shown=shown, decimals=0) if shown and shown in text else None
    label = note.site.label.strip().rpartition("\n")[2]
    if note.site.role == "result" or same:
        return _leaf(part, numbers(text))
    places = [found.end() for found in re.finditer(re.escape(label), text)] if label else []
    if note.occurrence < len(places):
        after = text[places[note.occurrence] :].lstrip()[:60]
        return _leaf(part, list(numbers(after))[:1])
    return None


def _leaf(part: Part, shown: Iterable[Shown]) -> Leaf | None:
    best: Leaf | None = None
    for one in shown:
        percent = is_shown(part.value, one)
        if percent is not None and (best is None or one.decimals > best.decimals):
            best = Leaf(path=part.path, value=part.value, shown=one.text, decimals=one.decimals, as_percent=percent)
    return best
