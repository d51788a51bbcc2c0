"""Where attempts stand in the picture of files opened: equal ones together, many files in classes of a log scale."""

from collections import Counter
from collections.abc import Iterable
from enum import IntEnum
from math import floor, log10

from coda_bench.analyse.opened import OpenedFiles
from coda_bench.records.record import Record

EXACT_UP_TO = 10
CLASSES_PER_DECADE = 8
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
    """Files opened; above ten, the middle of a class of the log scale."""
    found: Found
    attempts: int


def bubbles(attempts: Iterable[OpenedFiles]) -> list[Bubble]:
    """Return the places that attempts stand in, the most crowded first so that small ones are drawn on top."""
    counted = Counter((_class(attempt.opened), _height(attempt)) for attempt in attempts)
    return [
        Bubble(opened=opened, found=found, attempts=n)
        for (opened, found), n in sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    ]


def _height(attempt: OpenedFiles) -> Found:
    if attempt.used_targets:
        return Found.USED
    if attempt.found == attempt.targets:
        return Found.ALL
    return Found.SOME if attempt.found else Found.NONE


def _class(opened: int) -> float:
    if opened <= EXACT_UP_TO:
        return opened
    return round(10 ** ((floor(log10(opened) * CLASSES_PER_DECADE) + 0.5) / CLASSES_PER_DECADE), 1)


def zero_or_log(files: float) -> float:
    """Return the position of a number of files on the axis: its common logarithm, with a place of its own for 0."""
    return log10(files) if files >= 1 else ZERO_AT
