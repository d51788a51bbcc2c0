"""The funnel: how many notebooks, cells and results get how far, and the reason of each that does not."""

from collections import Counter
from collections.abc import Sequence

from coda_bench.records.funnel import Funnel, Level
from coda_bench.records.proof import Examined
from coda_bench.tasks.make import Made

FUNNEL = "funnel.json"


def funnel_of(examined: Sequence[Examined], made: Made) -> Funnel:
    """Count what became of everything.

    Cells are numeric cells: code cells whose stored text holds a digit. A cell counts as candidate when at least one
    displayed value of it agrees with the stored output; results are displayed values.
    """
    cells = [cell for one in examined for cell in one.cells]
    candidates = sum(cell.candidates for cell in cells)
    proven = sum(len(proof.candidates) for one in examined for proof in one.proofs)
    levels = (
        Level(name="notebooks", count=len(examined), lost=_no_cells(examined)),
        Level(name="executed", count=sum(1 for one in examined if one.n_code_cells and not one.trouble), lost={}),
        Level(name="numeric cells", count=len(cells), lost=_of_cells(examined)),
        Level(name="agreeing cells", count=sum(cell.agrees for cell in cells), lost={}),
        Level(name="candidates", count=candidates, lost=_of_candidates(examined)),
        Level(name="proven", count=proven, lost=dict(Counter(str(one.why) for one in made.dropped))),
        Level(name="tasks", count=len(made.drafts), lost={}),
        Level(name="hard tasks", count=sum(one.is_hard for one in made.drafts), lost={}),
    )
    return Funnel(levels=levels)


def _no_cells(examined: Sequence[Examined]) -> dict[str, int]:
    found = Counter[str]()
    for one in examined:
        if not one.n_code_cells:
            found["unreadable"] += 1
        elif one.community is None:
            found["no_community"] += 1
        elif not one.cells:
            found["no_numeric_cell"] += 1
        elif one.trouble:
            found["fails"] += 1
    return dict(sorted(found.items()))


def _of_cells(examined: Sequence[Examined]) -> dict[str, int]:
    """Return the reasons of cells that give no candidate."""
    found = Counter[str]()
    for one in examined:
        for cell in one.cells:
            if not cell.candidates:
                found.update(str(why) for why in list(cell.unfit)[:1])
    return dict(sorted(found.items()))


def _of_candidates(examined: Sequence[Examined]) -> dict[str, int]:
    return dict(sorted(Counter(str(fallen.why) for one in examined for fallen in one.fallen).items()))
