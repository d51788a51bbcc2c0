"""Where attempts stand in the picture of files opened: equal ones together, many files in classes of a log scale."""

from collections import defaultdict
from collections.abc import Iterable
from enum import IntEnum
from math import floor, log10
from statistics import fmean

from coda_bench.analyse.opened import OpenedFiles
from coda_bench.records.record import Record

EXACT_UP_TO = 10
CLASSES_PER_DECADE = 8
NUMBER_WIDTH = 0.2
"""Room a number needs, in powers of ten."""
ZERO_AT = -0.7
"""Where no file at all stands on the logarithmic axis, whose 0 is one file."""


class Found(IntEnum):
    """How far an attempt came with its targets, as the height it stands at."""

    NONE = 0
    SOME = 1
    ALL = 2
    USED = 3
    """Opened all, and computed from exactly these."""


class Bubble(Record):
    """Attempts of one agent that stand in the same place."""

    opened: float
    """Files opened; above ten, the geometric mean of a class of the log scale."""
    found: Found
    attempts: int


def bubbles(attempts: Iterable[OpenedFiles]) -> list[Bubble]:
    """Return the places that attempts stand in, the most crowded first so that small ones are drawn on top."""
    places: dict[tuple[int, Found], list[int]] = defaultdict(list)
    for attempt in attempts:
        places[_class(attempt.opened), _height(attempt)].append(attempt.opened)
    found = [
        Bubble(opened=_centre(members), found=height, attempts=len(members)) for (_, height), members in places.items()
    ]
    return sorted(found, key=lambda bubble: (-bubble.attempts, bubble.opened, bubble.found))


def _height(attempt: OpenedFiles) -> Found:
    if attempt.used_targets:
        return Found.USED
    if attempt.found == attempt.targets:
        return Found.ALL
    return Found.SOME if attempt.found else Found.NONE


def _class(opened: int) -> int:
    return opened if opened <= EXACT_UP_TO else EXACT_UP_TO + floor(log10(opened) * CLASSES_PER_DECADE)


def _centre(members: list[int]) -> float:
    """Return the one value, or the geometric mean of several, which is the middle on a log scale."""
    return float(members[0]) if len(set(members)) == 1 else 10 ** fmean(log10(n) for n in members)


def with_room(crowd: Iterable[Bubble]) -> list[Bubble]:
    """Return the bubbles whose number can be written in them without touching that of an earlier one."""
    roomy: list[Bubble] = []
    for bubble in crowd:
        x = zero_or_log(bubble.opened)
        level = [zero_or_log(other.opened) for other in roomy if other.found is bubble.found]
        if all(abs(x - taken) >= NUMBER_WIDTH for taken in level):
            roomy.append(bubble)
    return roomy


def zero_or_log(files: float) -> float:
    """Return the position of a number of files on the axis: its common logarithm, with a place of its own for 0."""
    return log10(files) if files >= 1 else ZERO_AT
