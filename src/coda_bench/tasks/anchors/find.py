"""Find: displayed values whose parts stand in the stored outputs, and why every other numeric cell has none."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, cast

from coda_bench.notebook import Cell, Notebook
from coda_bench.records.anchor import Candidate, Leaf, Place, Unfit
from coda_bench.tasks.anchors.confirm import Stored, agrees, confirmed, stored
from coda_bench.tasks.anchors.parts import parts
from coda_bench.tasks.execution.results import CellRun, Note, Ran

_NETWORK = re.compile(
    r"urlopen|getaddrinfo|Temporary failure in name resolution|Max retries exceeded|ConnectionError|URLError"
    r"|Network is unreachable|gaierror|Name or service not known",
    re.IGNORECASE,
)
_READ_ONLY = re.compile(r"Read-only file system|PermissionError", re.IGNORECASE)
_EXTENT = re.compile(r"\.(index|columns|dtypes|shape|axes|dtype|keys\(\))(\[[^\]]*\])?(\.\w+(\(\))?)?$")
_HEAD = re.compile(r"\.(head|tail|sample)\([^()]*\)$")
_NOTHING = {"kind": "scalar", "value": ["n", None]}
_NUMERIC = frozenset({"i", "f"})


class CellFound(NamedTuple):
    """What was found in one numeric cell."""

    cell: int
    agrees: bool
    candidates: tuple[Candidate, ...]
    unfit: Counter[Unfit]
    detail: str


def numeric_cells(notebook: Notebook) -> list[tuple[Cell, Stored]]:
    """Return the code cells whose stored text holds a digit, with what is stored."""
    found = ((cell, stored(cell)) for cell in notebook.code)
    return [(cell, output) for cell, output in found if any(one.isdigit() for one in output.text)]


def find_candidates(name: str, notebook: Notebook, first: Ran, second: Ran) -> list[CellFound]:
    """Return what became of each numeric cell.

    Args:
        name: the notebook's, for the candidates.
        notebook: with its stored outputs.
        first: the whole notebook, run from top to bottom.
        second: the same under other conditions; what differs is no fact about the data.
    """
    found, order = [], _is_in_order(notebook)
    for cell, output in numeric_cells(notebook):
        run = first.cell(cell.number)
        if run is None or (run.trouble and not run.notes and not run.was_expected):
            found.append(
                CellFound(cell.number, False, (), Counter([_why_not_run(first, in_order=order)]), first.trouble)
            )
        else:
            found.append(_of_cell(name, cell, output, run, second, in_order=order))
    return found


def _is_in_order(notebook: Notebook) -> bool:
    counts = [cell.execution_count for cell in notebook.code if cell.execution_count is not None]
    return counts == sorted(counts)


def _why_not_run(ran: Ran, *, in_order: bool) -> Unfit:
    last = ran.cells[-1].trouble if ran.cells else None
    if last is None:
        return Unfit.NOT_RUN
    text = f"{last.kind}: {last.message}"
    if last.position < 0:
        return Unfit.UNPARSED
    if _NETWORK.search(text):
        return Unfit.NETWORK
    if _READ_ONLY.search(text):
        return Unfit.READ_ONLY
    return Unfit.NOT_RUN if in_order else Unfit.OUT_OF_ORDER


def _of_cell(name: str, cell: Cell, output: Stored, run: CellRun, second: Ran, *, in_order: bool) -> CellFound:
    same = agrees(output, run)
    candidates, unfit = [], Counter[Unfit]()
    for note in run.notes:
        leaves = confirmed(output, note, same=same)
        steady = list(_steady(note, leaves, second))
        if leaves and not steady:
            unfit[Unfit.UNSTABLE] += 1
        elif steady:
            candidates.append(_candidate(name, note, steady))
    if not candidates and not unfit:
        moves = not same and _moves(run, second)
        unfit[Unfit.UNSTABLE if moves else _why_none(run, same=same, in_order=in_order)] += 1
    return CellFound(cell.number, same, tuple(candidates), unfit, str(run.trouble or ""))


def place_of(note: Note) -> Place:
    """Return where a value was displayed."""
    site = note.site
    return Place(cell=site.cell, position=site.position, number=site.number, occurrence=note.occurrence)


def _steady(note: Note, leaves: Iterable[Leaf], second: Ran) -> Iterator[Leaf]:
    """Yield the parts that another run gave as well."""
    other = second.note(place_of(note))
    values = {part.path: part.value for part in parts(other.value)} if other else {}
    for leaf in leaves:
        again = values.get(leaf.path)
        if again is not None and again[0] == leaf.value[0] and _is_close(leaf, again[1]):
            yield leaf


def _is_close(leaf: Leaf, again: object) -> bool:
    if leaf.value[0] not in _NUMERIC:
        return bool(leaf.value[1] == again)
    value = float(leaf.value[1])
    return abs(value - float(cast("float", again))) <= max(1e-6, 1e-12 * abs(value))


def _moves(run: CellRun, second: Ran) -> bool:
    """Whether a cell displays something else in another run."""
    other = second.cell(run.cell)
    if other is None or run.trouble:
        return False
    return [parts(note.value) for note in run.notes] != [parts(note.value) for note in other.notes]


def _candidate(name: str, note: Note, leaves: list[Leaf]) -> Candidate:
    return Candidate(
        notebook=name,
        place=place_of(note),
        role=cast('Literal["result", "argument", "part"]', note.site.role),
        expression=note.site.source,
        label=note.site.label,
        leaves=tuple(leaves),
        kind=note.value["kind"],
        index_names=tuple(note.value.get("index_names", ())),
    )


def _why_none(run: CellRun, *, same: bool, in_order: bool) -> Unfit:
    """Return why a cell that ran shows nothing that can be asked for."""
    if not same:
        return Unfit.STALE if in_order else Unfit.OUT_OF_ORDER
    notes = [note for note in run.notes if note.value != _NOTHING]
    if not notes:
        return Unfit.LIBRARY_PRINTS
    if {note.value["kind"] for note in notes} <= {"other"}:
        return Unfit.OPAQUE
    shown = notes[-1].site.source.rstrip(" ;")
    if _EXTENT.search(shown):
        return Unfit.SHAPE
    return Unfit.HEAD if _HEAD.search(shown) else Unfit.DIGITS_IN_TEXT
