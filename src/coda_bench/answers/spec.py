"""AnswerSpec: what a task's gold and guideline ask of an answer.

The gold gives the shape (fields, their types, units and decimals), the guideline the rules that a shape
does not show: whether order counts, whether thousands separators are needed, how values are rounded.
"""

import re
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from coda_bench.answers.dates import Date
from coda_bench.answers.text import canonical
from coda_bench.answers.tokens import Mark, Number, Range, Token, Word, tokenise

SEPARATOR = ";"


class FieldType(StrEnum):
    """What a field holds, judged by its gold."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    PERCENT = "percent"
    CURRENCY = "currency"
    NUMBER_WITH_UNIT = "number_with_unit"
    RANGE = "range"
    DATE = "date"
    YES_NO = "yes_no"
    TEXT = "text"
    MIXED = "mixed"
    """Words with numbers among them, such as `Accepted: 360 (85%)`."""


class FieldSpec(NamedTuple):
    """One field of an answer."""

    text: str
    """The gold, canonical."""
    tokens: tuple[Token, ...]
    type: FieldType
    label: tuple[Token, ...] = ()
    """Tokens of a leading `Label:` that the guideline gives away, colon included; an answer may leave it out."""


class Rules(NamedTuple):
    """What the guideline says, as far as it can be read by rule."""

    states_order: bool = True
    """The guideline or question says in what order things stand; without it, `A and B` may be `B and A`."""
    fields_may_permute: bool = False
    """A list of like things is asked for and no order is stated."""
    speaks_of_percent: bool = False
    truncates: bool = False
    rounds_to_integer: bool = False
    needs_thousands: bool = False
    forbids_thousands: bool = False
    fixes_decimals: bool = True
    allows_abbreviation: bool = False
    words: frozenset[str] = frozenset()
    """Every word of the guideline: a unit named there may be left out or added."""


class AnswerSpec(NamedTuple):
    """The compiled form of one gold with its guideline."""

    fields: tuple[FieldSpec, ...]
    rules: Rules


_ORDER = re.compile(
    r"\border(?:ed|ing)?\b|ascending|descending|\bsorted\b|alphabetic|chronologic|\bfirst\b|\bsecond\b|\bthen\b"
    r"|followed by|respectively|\bhighest\b|\blowest\b|\bmost\b|\bleast\b|\bmax|\bmin|\branked\b|\btop\b|\bbottom\b|corresponds?"
    r"|\bbest\b|\bworst\b|\blargest\b|\bsmallest\b|\bnewest\b|\boldest\b|\bprimary\b"
)
_ORDER_IN_QUESTION = re.compile(
    r"\border(?:ed)?\b|respectively|\branked\b|\bfrom .{0,40} to \b|\bthen\b|\bfirst\b|highest.*lowest|most.*least"
)
_LIST = re.compile(r"\b(?:list|provide|name|give)\b(?! of)")
_THOUSANDS = r"(?:thousands?[- ]separators?|commas?\b(?! and)|comma[- ](?:separators?|separated thousands))"
_NEEDS_THOUSANDS = re.compile(
    rf"(?:with|include|including|using|formatted with|use|has|have)\s(?:an?\s|the\s)?{_THOUSANDS}"
    r"|\b[0-9]{1,3},[0-9]{3}\b"
)
_FORBIDS_THOUSANDS = re.compile(rf"(?:without|no|not (?:use|include)|excluding|omit)\s(?:any\s|the\s|a\s)?{_THOUSANDS}")
_FREE_THOUSANDS = re.compile(r"with or without|both acceptable|are both|may be")
_FIXES_DECIMALS = re.compile(r"\bround|decimal|\bexactly\b|\bx\.x|[0-9]\.[0-9]|truncat|precision of")
_PERCENT = re.compile(r"percent|%|\brate\b|\bshare\b|proportion")
_ROUNDS_TO_INTEGER = re.compile(r"nearest (?:whole|integer)|rounded? to (?:an )?integer")
_WORD = re.compile(r"[^\W\d_]+")
_FREE_DECIMALS = re.compile(r"trailing zeros? (?:may|can)|full precision|as produced|scientific")


@lru_cache(maxsize=4096)
def compile_spec(gold: str, guideline: str = "", question: str = "") -> AnswerSpec:
    """Compile a gold with its guideline; the question is read only for whether it states an order."""
    guideline = canonical(guideline)
    fields = tuple(_field(text, guideline) for text in split_fields(canonical(gold)))
    return AnswerSpec(fields, _rules(guideline, canonical(question), fields))


def split_fields(text: str, separator: str = SEPARATOR) -> list[str]:
    """Cut a canonical text into fields; an empty one after the last separator does not count."""
    return [part.strip() for part in text.strip(f"{separator} ").split(separator)]


def _field(text: str, guideline: str) -> FieldSpec:
    tokens = tokenise(text)
    return FieldSpec(text, tokens, _type(tokens), _label(text, tokens, guideline))


def _label(text: str, tokens: tuple[Token, ...], guideline: str) -> tuple[Token, ...]:
    label, colon, value = text.partition(":")
    if not (colon and value.strip() and f"{label}:" in guideline):
        return ()
    return tokens[: tokens.index(Mark(":")) + 1] if Mark(":") in tokens else ()


def _type(tokens: tuple[Token, ...]) -> FieldType:
    kinds = {type(token) for token in tokens}
    numbers = [token for token in tokens if isinstance(token, Number)]
    if Range in kinds:
        return FieldType.RANGE
    if kinds == {Date}:
        return FieldType.DATE
    if not kinds & {Number, Date}:
        return FieldType.YES_NO if tokens in {(Word("yes"),), (Word("no"),)} else FieldType.TEXT
    if kinds == {Number} and len(numbers) == 1:
        return _number_type(numbers[0])
    is_with_unit = len(numbers) == 1 and isinstance(tokens[0], Number) and len(tokens) == 2  # noqa: PLR2004 number, unit
    return FieldType.NUMBER_WITH_UNIT if is_with_unit else FieldType.MIXED


def _number_type(number: Number) -> FieldType:
    if number.is_percent:
        return FieldType.PERCENT
    if number.currency:
        return FieldType.CURRENCY
    return FieldType.INTEGER if number.is_integer else FieldType.DECIMAL


def _rules(guideline: str, question: str, fields: tuple[FieldSpec, ...]) -> Rules:
    free_thousands = _FREE_THOUSANDS.search(guideline) is not None
    forbids = _FORBIDS_THOUSANDS.search(guideline) is not None
    states_order = bool(not guideline or _ORDER.search(guideline) or _ORDER_IN_QUESTION.search(question))
    is_list = len(fields) > 1 and all(field.type is FieldType.TEXT for field in fields)
    return Rules(
        states_order=states_order,
        fields_may_permute=is_list and not states_order and _LIST.search(guideline) is not None,
        speaks_of_percent=_PERCENT.search(guideline) is not None,
        truncates="truncat" in guideline,
        rounds_to_integer=_ROUNDS_TO_INTEGER.search(guideline) is not None,
        needs_thousands=not (forbids or free_thousands) and _NEEDS_THOUSANDS.search(guideline) is not None,
        forbids_thousands=forbids and not free_thousands,
        fixes_decimals=bool(_FIXES_DECIMALS.search(guideline)) and not _FREE_DECIMALS.search(guideline),
        allows_abbreviation="or abbreviation" in guideline,
        words=frozenset(_WORD.findall(guideline)),
    )
