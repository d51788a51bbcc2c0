"""How a value stands in a stored output: the number in the text that is the value at the digits shown."""

import math
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from coda_bench.records.anchor import Scalar

EPSILON = 1e-6
"""Two displayed numbers agree within this (paper, section 4.1), or within half a unit of the last digit shown."""
_NUMBER = re.compile(
    r"(?<![\w.])[-+\u2212]?(?:\d{1,3}(?:,\d{3})+(?![\d,])|\d+)?(?:\.\d+|(?<=\d)\.)?(?:[eE][-+]?\d+)?(?P<percent>\s?%)?"
)
_NOISE = re.compile(
    r"^.*\bdtypes?: .*$|^\s*\[\d+ rows x \d+ columns\]\s*$|^Length: \d+.*$|^Name: .*$|^Freq: .*$", re.MULTILINE
)
_WRAPPED = re.compile(r"\bnp\.\w+\(([^()]*)\)")


class Shown(NamedTuple):
    """One number in a text."""

    text: str
    start: int
    value: float
    decimals: int
    has_percent: bool


def without_noise(text: str) -> str:
    """Return text without what libraries add in ways that change with their versions: types, lengths, names."""
    return _NOISE.sub("", _WRAPPED.sub(r"\1", text))


def numbers(text: str) -> Iterator[Shown]:
    """Yield the numbers of a text that stand by themselves."""
    for found in _NUMBER.finditer(text):
        percent = found["percent"] or ""
        digits = found[0].removesuffix(percent)
        if not any(one.isdigit() for one in digits) or _goes_on(text, found.end()):
            continue
        try:
            exact = Decimal(digits.replace(",", "").replace("\u2212", "-"))
        except InvalidOperation:
            continue
        exponent = exact.as_tuple().exponent
        decimals = -exponent if isinstance(exponent, int) else 0
        if abs(decimals) < 400:  # noqa: PLR2004 - what a float can hold
            yield Shown(digits, found.start(), float(exact), decimals, bool(percent))


def _goes_on(text: str, end: int) -> bool:
    """Whether what looks like a number is the beginning of a word."""
    return end < len(text) and (text[end].isalpha() or text[end] == "_")


def is_shown(value: Scalar, shown: Shown) -> bool | None:
    """Whether a number in a text is the value at the digits shown: None if not, else whether as a percentage."""
    kind, content = value
    if kind not in {"i", "f"}:
        return None
    if _rounds(float(content), shown, exact=kind == "i"):
        return False
    return True if shown.has_percent and _rounds(100 * float(content), shown, exact=False) else None


def _rounds(value: float, shown: Shown, *, exact: bool) -> bool:
    if exact:
        return value == shown.value
    if not math.isfinite(value) or (shown.value == 0) != (value == 0):  # nothing is known of what is rounded away
        return False
    half = 0.5 * 10.0**-shown.decimals
    return abs(value - shown.value) <= half * (1 + EPSILON) + abs(value) * 1e-15


def agree(stored: str, computed: str) -> bool:
    """Whether two outputs show the same: word for word, numbers within the digits of the stored one."""
    mine, theirs = without_noise(stored).split(), without_noise(computed).split()
    if mine == theirs:
        return True
    return len(mine) == len(theirs) and all(_same(one, other) for one, other in zip(mine, theirs, strict=True))


def _same(stored: str, computed: str) -> bool:
    if stored == computed:
        return True
    mine, theirs = list(numbers(stored)), list(numbers(computed))
    if not mine or len(mine) != len(theirs) or _frame_of(stored, mine) != _frame_of(computed, theirs):
        return False
    return all(
        abs(one.value - other.value) <= max(EPSILON, 0.5 * 10.0 ** -min(one.decimals, other.decimals) * (1 + EPSILON))
        if max(one.decimals, other.decimals) > 0
        else one.value == other.value
        for one, other in zip(mine, theirs, strict=True)
    )


def _frame_of(word: str, found: list[Shown]) -> str:
    """Return a word without its numbers."""
    for one in reversed(found):
        word = word[: one.start] + "#" + word[one.start + len(one.text) :]
    return word
