"""Strings put together as `+`, `%` and `format` do, of values of which each may be several, within limits."""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

UNKNOWN = "*"
"""Stands for what cannot be told."""
MOST = 64
LONGEST = 1000
"""Letters of a value: longer ones are no paths, and joined to themselves again and again they would fill the memory."""
_PERCENT = re.compile(r"%(?:\((?P<name>[^()%]*)\))?[-#0 +]*[0-9]*(?:\.[0-9]+)?(?P<kind>[a-zA-Z%])")
_FORMAT = re.compile(r"\{\{|\}\}|\{(?P<name>[^{}!:]*)[^{}]*\}")

Values = tuple[str, ...]


def product(parts: Sequence[Values], between: str) -> Values:
    """Return every way of joining one value of each part; none when a part has none."""
    if not parts or any(not part for part in parts):
        return ()
    shortest = sum(min(map(len, part)) for part in parts)
    if shortest > LONGEST:
        return ()
    joined = (between.join(one) for one in itertools.islice(itertools.product(*parts), MOST))
    return tuple(dict.fromkeys(one for one in joined if len(one) <= LONGEST))


def percent(patterns: Values, places: Sequence[Values], names: Mapping[str, Values]) -> Values:
    """Return patterns filled as `pattern % operands` would, widths and precisions aside."""

    def lookup(numbers: Iterator[int], mark: re.Match[str]) -> Values:
        if mark["kind"] == "%":
            return ("%",)
        if mark["name"] is not None:
            return names.get(mark["name"], (UNKNOWN,))
        return _at(places, next(numbers))

    return _filled(patterns, _PERCENT, lookup)


def formatted(patterns: Values, places: Sequence[Values], names: Mapping[str, Values]) -> Values:
    """Return patterns filled as `pattern.format(…)` would, format specifications aside."""

    def lookup(numbers: Iterator[int], mark: re.Match[str]) -> Values:
        name = mark["name"]
        if name is None:
            return (mark[0][0],)
        if not name:
            return _at(places, next(numbers))
        number = name.isascii() and name.isdigit() and len(name) < len(str(MOST)) + 1
        return _at(places, int(name)) if number else names.get(name, (UNKNOWN,))

    return _filled(patterns, _FORMAT, lookup)


def _at(places: Sequence[Values], number: int) -> Values:
    return places[number] if number < len(places) else (UNKNOWN,)


def _filled(
    patterns: Values, mark: re.Pattern[str], lookup: Callable[[Iterator[int], re.Match[str]], Values]
) -> Values:
    filled: list[str] = []
    for pattern in patterns:
        if len(pattern) > LONGEST:
            continue
        parts: list[Values]
        numbers, parts, place = itertools.count(), [], 0
        for found in mark.finditer(pattern):
            parts += [(pattern[place : found.start()],), lookup(numbers, found)]
            place = found.end()
        filled += product([*parts, (pattern[place:],)], "")
    return tuple(dict.fromkeys(filled))[:MOST]
