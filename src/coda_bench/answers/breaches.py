"""Rules that a guideline states outright and that an answer breaks, whatever its gold looks like.

Only statements about the whole answer, about a field by its place, or about the only number of an answer are
read: a gold that breaks one contradicts its own guideline. Everything else is judged by the gold's shape.
"""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from coda_bench.answers.dates import Date
from coda_bench.answers.guideline import Rules
from coda_bench.answers.quantities import Number, Token, Word
from coda_bench.answers.rounding import stated_decimals
from coda_bench.answers.template import stated_parts

_FORBIDS_PERCENT = re.compile(
    r"(?:do not include|without|no|exclude|omit)(?: (?:a|an|the|any))?(?: symbols like)? ['\"]?(?:%|percent(?:age)?)"
    r"['\"]?(?: \(%\))?(?: signs?| symbols?)?"
)
_NEEDS_PERCENT = re.compile(
    r"(?:include|with|followed by|including)(?: (?:a|an|the))? (?:['\"]%['\"]|percent(?:age)?) (?:sign|symbol)"
    r"|formatted as ['\"]?x+(?:\.x+)?%|\(e\.g\.,? ['\"]?x+(?:\.x+)?%"
)
_SINGLE_INTEGER = re.compile(
    r"answer (?:must|should) be (?:an|a single|one) (?:integer|whole number)\b(?! (?:followed|with|percent|and))"
)
_SINGLE_PERCENT = re.compile(r"answer (?:must|should) be (?:a|an|a single) (?:\w+ )?percentage\b(?! (?:as|without))")
_ISO_DATES = re.compile(r"\byyyy-mm-dd\b")
_YES_OR_NO = re.compile(r"(?:must|should) be (?:either )?['\"]yes['\"] or ['\"]no['\"]")


class Breach(StrEnum):
    """A rule of the guideline that an answer breaks."""

    DECIMALS = "decimals"
    PERCENT_MISSING = "percent_missing"
    PERCENT_FORBIDDEN = "percent_forbidden"
    THOUSANDS_FORBIDDEN = "thousands_forbidden"
    NOT_AN_INTEGER = "not_an_integer"
    NOT_A_PERCENTAGE = "not_a_percentage"
    DATE_FORMAT = "date_format"
    NOT_YES_OR_NO = "not_yes_or_no"
    PARTS = "parts"
    """Another number of parts than the format spelled out has."""


class _Demands(NamedTuple):
    """What a guideline states outright."""

    forbids_percent: bool
    needs_percent: bool
    single_integer: bool
    single_percent: bool
    iso_dates: bool
    yes_or_no: bool
    parts: frozenset[int]
    decimals_of_one: int | None
    """Decimals of an answer of one field."""
    decimals_of_all: int | None
    """Decimals of every number of an answer."""


@lru_cache(maxsize=4096)
def _demands(guideline: str, separator: str) -> _Demands:
    forbids_percent = _FORBIDS_PERCENT.search(guideline) is not None
    single_percent = _SINGLE_PERCENT.search(guideline) is not None
    return _Demands(
        forbids_percent=forbids_percent,
        needs_percent=not forbids_percent and _NEEDS_PERCENT.search(guideline) is not None,
        single_integer=not single_percent and _SINGLE_INTEGER.search(guideline) is not None,
        single_percent=not forbids_percent and single_percent,
        iso_dates=_ISO_DATES.search(guideline) is not None,
        yes_or_no=_YES_OR_NO.search(guideline) is not None,
        parts=stated_parts(guideline, separator),
        decimals_of_one=stated_decimals(guideline, is_only=True),
        decimals_of_all=stated_decimals(guideline, is_only=False),
    )


def breaches(fields: Sequence[tuple[Token, ...]], rules: Rules, separator: str) -> tuple[Breach, ...]:
    """Return the rules of a guideline that the fields of an answer break.

    Args:
        fields: the tokens of each field.
        rules: of the guideline.
        separator: of the answer's fields.
    """
    if not rules.guideline:
        return ()
    asked = _demands(rules.guideline, separator)
    numbers = [token for tokens in fields for token in tokens if isinstance(token, Number)]
    found = [*_percent(numbers, asked), *_single(fields, asked), *_listed(fields, asked)]
    if rules.fixes_decimals and _decimals_differ(numbers, asked, is_only=len(fields) == 1):
        found.append(Breach.DECIMALS)
    if rules.forbids_thousands and any(number.has_thousands for number in numbers):
        found.append(Breach.THOUSANDS_FORBIDDEN)
    return tuple(found)


def _percent(numbers: Sequence[Number], asked: _Demands) -> Iterator[Breach]:
    has_percent = any(number.is_percent for number in numbers)
    if asked.forbids_percent and has_percent:
        yield Breach.PERCENT_FORBIDDEN
    if asked.needs_percent and numbers and not has_percent:
        yield Breach.PERCENT_MISSING


def _single(fields: Sequence[tuple[Token, ...]], asked: _Demands) -> Iterator[Breach]:
    """Check what a guideline says of an answer that is one number."""
    token = fields[0][0] if len(fields) == 1 and len(fields[0]) == 1 else None
    only = token if isinstance(token, Number) else None
    if asked.single_integer and (only is None or only.decimals):
        yield Breach.NOT_AN_INTEGER
    if asked.single_percent and not asked.needs_percent and only is not None and not only.is_percent:
        yield Breach.NOT_A_PERCENTAGE


def _listed(fields: Sequence[tuple[Token, ...]], asked: _Demands) -> Iterator[Breach]:
    dates = [token for tokens in fields for token in tokens if isinstance(token, Date)]
    if asked.iso_dates and any(date.notation != "iso" for date in dates):
        yield Breach.DATE_FORMAT
    first_words = {tokens[0].text for tokens in fields if tokens and isinstance(tokens[0], Word)}
    if asked.yes_or_no and not first_words & {"yes", "no"}:
        yield Breach.NOT_YES_OR_NO
    if asked.parts and not any(len(fields) % n == 0 for n in asked.parts):
        yield Breach.PARTS


def _decimals_differ(numbers: Sequence[Number], asked: _Demands, *, is_only: bool) -> bool:
    """Whether the numbers have other decimals than the guideline asks of every number, or of the only one."""
    wanted = asked.decimals_of_one if is_only else asked.decimals_of_all
    own = [number for number in numbers if not (number.has_exponent or number.scale)]
    if wanted is None or not own or (is_only and len(own) != 1):
        return False
    return all(number.decimals != wanted for number in own)
