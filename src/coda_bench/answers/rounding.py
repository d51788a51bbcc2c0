"""Which fields a guideline rounds, cuts or leaves exact.

A guideline often treats its fields differently (`The average should be truncated to one decimal place, and
the median rounded to two`): its clauses are matched to fields by the decimals they ask for, by the field's
name, and by words for the field's kind.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from coda_bench.records.answer_spec import Rounding

_CLAUSE_END = re.compile(
    r"(?<![.,]e\.g)(?<![0-9])[.;](?=\s|$)|\n|,\s+(?=and\b|but\b|with\b)|\s+and\s+(?=(?:the|median|average|mean)\b)"
)
_ACTION = re.compile(r"round|truncat|floor|nearest|int\(\)|decimals? place|decimals?\b")
_TRUNCATES = re.compile(r"truncat|\bfloor\b|round(?:ed|ing)? (?:\w+ ){0,4}?down|int\(\)")
_DENIED = re.compile(r"\(?\bnot (?:be )?(?:round|truncat)\w*\)?|rather than round\w*|instead of round\w*|ceiling")
_TO_INTEGER = re.compile(r"nearest (?:whole|integer|percent\b)|integer|whole number|int\(\)|(?:0|zero|no) decimal")
_BUCKET = re.compile(r"nearest (?!whole|integer|percent\b|even|neighbo|tenth|hundredth|thousandth|cent\b)[$\w]")
_DECIMALS = re.compile(r"\b([0-9]{1,2}|one|two|three|four|five|six|seven|eight|nine|ten)[- ]decimals?\b")
_FRACTION_NAMES = {"nearest tenth": 1, "nearest hundredth": 2, "nearest cent": 2, "nearest thousandth": 3}
_NUMBER_WORDS = dict(
    zip(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], range(1, 11), strict=True)
)
_ALL = re.compile(r"\b(?:each|all|both|every|any decimals?|values|numbers)\b")
_WORD = re.compile(r"[^\W\d_]{3,}")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_KIND_WORDS = {"percent": ("percent", "rate", "share"), "integer": (), "decimal": ()}
_SILENT = frozenset(
    (
        "the and for with value values number rounded round nearest integer whole decimal decimals place places must "
        "should include sign not using answer format each are into that this from integers numbers"
    ).split()
)
_STEM = 5


class Numeric(NamedTuple):
    """What is known of a field when its rounding is looked for."""

    decimals: int
    is_percent: bool
    name: str
    """What the guideline calls it; empty when unknown."""


class _Clause(NamedTuple):
    text: str
    mode: Rounding
    decimals: int | None
    """Digits after the point that it asks for; None when it does not say."""
    is_bucket: bool


def roundings(guideline: str, fields: Sequence[Numeric | None]) -> tuple[Rounding, ...]:
    """Return for each field how an answer with more digits is brought to the gold's; None is no number.

    Decimals are rounded values unless said otherwise; integers are exact unless said otherwise, and stay
    exact where they are rounded to tens, thousands or the like.
    """
    clauses = _clauses(guideline)
    return tuple(_rounding(place, fields, clauses) for place in range(len(fields)))


def stated_decimals(guideline: str, *, is_only: bool) -> int | None:
    """Return the decimals a canonical guideline asks of every number of an answer; None where it does not.

    Args:
        guideline: canonical.
        is_only: whether the answer has one field: what is said then is said of it.
    """
    asked = [clause for clause in _clauses(guideline) if clause.decimals is not None and not clause.is_bucket]
    if len({clause.decimals for clause in asked}) != 1 or any(clause.is_bucket for clause in _clauses(guideline)):
        return None
    return asked[0].decimals if is_only or any(_ALL.search(clause.text) for clause in asked) else None


def _rounding(place: int, fields: Sequence[Numeric | None], clauses: Sequence[_Clause]) -> Rounding:
    field = fields[place]
    if field is None:
        return Rounding.EXACT
    fitting = [clause for clause in clauses if _fits(clause, field)]
    named = [clause for clause in fitting if _names(clause, place, field)]
    chosen = named or [clause for clause in fitting if _is_for_all(clause, field, fields)]
    if not chosen:
        return Rounding.HALF if field.decimals else Rounding.EXACT
    return Rounding.EXACT if chosen[0].is_bucket else chosen[0].mode


def _clauses(guideline: str) -> list[_Clause]:
    found = []
    for text in _CLAUSE_END.split(guideline):
        if not _ACTION.search(text):
            continue
        bare = _DENIED.sub(" ", text)
        mode = Rounding.TRUNCATE if _TRUNCATES.search(bare) else Rounding.HALF
        is_bucket = _BUCKET.search(bare) is not None or "ceiling" in text
        acts = mode is Rounding.TRUNCATE or is_bucket or "round" in bare or "nearest" in bare or _DECIMALS.search(bare)
        if acts:
            found.append(_Clause(text, mode, _decimals(bare), is_bucket))
    return found


def _decimals(text: str) -> int | None:
    if found := _DECIMALS.search(text):
        return _NUMBER_WORDS.get(found[1]) or int(found[1] if found[1].isdigit() else 0)
    for name, decimals in _FRACTION_NAMES.items():
        if name in text:
            return decimals
    return 0 if _TO_INTEGER.search(text) or _BUCKET.search(text) else None


def _fits(clause: _Clause, field: Numeric) -> bool:
    return clause.decimals is None or clause.decimals == field.decimals


def _names(clause: _Clause, place: int, field: Numeric) -> bool:
    words = {word[:_STEM] for word in _WORD.findall(clause.text)} - _SILENT_STEMS
    own = {word[:_STEM] for word in _WORD.findall(field.name)} - _SILENT_STEMS
    if field.is_percent and "perce" in words:
        return True
    if place < len(_ORDINALS) and re.search(rf"\b{_ORDINALS[place]} (?:value|integer|number|part)", clause.text):
        return True
    return bool(words & own)


def _is_for_all(clause: _Clause, field: Numeric, fields: Sequence[Numeric | None]) -> bool:
    if _ALL.search(clause.text):
        return True
    alike = [other for other in fields if other is not None and other.decimals == field.decimals]
    speaks_of_percent = "percent" in clause.text and not field.is_percent
    return not speaks_of_percent and (len(alike) == 1 or field.decimals > 0 or all(o.is_percent for o in alike))


_SILENT_STEMS = frozenset(word[:_STEM] for word in _SILENT)
