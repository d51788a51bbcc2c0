"""Rules that a guideline states outright and that an answer breaks, whatever its gold looks like.

Only statements about the whole answer, about a field by its place, or about the only number of an answer are
read: a gold that breaks one contradicts its own guideline. Everything else is judged by the gold's shape.
"""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

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


def breaches(fields: Sequence[tuple[Token, ...]], rules: Rules, separator: str) -> tuple[Breach, ...]:
    """Return the rules of a guideline that the fields of an answer break.

    Args:
        fields: the tokens of each field.
        rules: of the guideline.
        separator: of the answer's fields.
    """
    numbers = [[token for token in tokens if isinstance(token, Number)] for tokens in fields]
    found = [*_percent(numbers, rules), *_single(fields, numbers, rules), *_listed(fields, rules, separator)]
    if _decimals_differ(fields, numbers, rules):
        found.append(Breach.DECIMALS)
    every = [number for group in numbers for number in group]
    if rules.forbids_thousands and any(number.has_thousands for number in every):
        found.append(Breach.THOUSANDS_FORBIDDEN)
    return tuple(found)


def _percent(numbers: Sequence[Sequence[Number]], rules: Rules) -> Iterator[Breach]:
    every = [number for group in numbers for number in group]
    if _FORBIDS_PERCENT.search(rules.guideline):
        if any(number.is_percent for number in every):
            yield Breach.PERCENT_FORBIDDEN
    elif every and _NEEDS_PERCENT.search(rules.guideline) and not any(number.is_percent for number in every):
        yield Breach.PERCENT_MISSING


def _single(fields: Sequence[tuple[Token, ...]], numbers: Sequence[Sequence[Number]], rules: Rules) -> Iterator[Breach]:
    """Check what a guideline says of an answer that is one number."""
    only = numbers[0][0] if len(fields) == 1 and len(numbers[0]) == len(fields[0]) == 1 else None
    if (
        _SINGLE_INTEGER.search(rules.guideline)
        and (only is None or only.decimals)
        and not _SINGLE_PERCENT.search(rules.guideline)
    ):
        yield Breach.NOT_AN_INTEGER
    is_bare = only is not None and not only.is_percent and not _FORBIDS_PERCENT.search(rules.guideline)
    if is_bare and _SINGLE_PERCENT.search(rules.guideline) and not _NEEDS_PERCENT.search(rules.guideline):
        yield Breach.NOT_A_PERCENTAGE


def _listed(fields: Sequence[tuple[Token, ...]], rules: Rules, separator: str) -> Iterator[Breach]:
    dates = [token for tokens in fields for token in tokens if isinstance(token, Date)]
    if _ISO_DATES.search(rules.guideline) and any(date.notation != "iso" for date in dates):
        yield Breach.DATE_FORMAT
    first_words = {tokens[0].text for tokens in fields if tokens and isinstance(tokens[0], Word)}
    if _YES_OR_NO.search(rules.guideline) and not first_words & {"yes", "no"}:
        yield Breach.NOT_YES_OR_NO
    parts = stated_parts(rules.guideline, separator)
    if parts and not any(len(fields) % n == 0 for n in parts):
        yield Breach.PARTS


def _decimals_differ(fields: Sequence[tuple[Token, ...]], numbers: Sequence[Sequence[Number]], rules: Rules) -> bool:
    """Whether a number has other decimals than the guideline asks of every number, or of the only one."""
    if not rules.fixes_decimals:
        return False
    wanted = stated_decimals(rules.guideline, is_only=len(fields) == 1)
    own = [number for group in numbers for number in group if not (number.has_exponent or number.scale)]
    if wanted is None or not own or (len(fields) == 1 and len(own) != 1):
        return False
    return all(number.decimals != wanted for number in own)
