"""AnswerSpec: what a task's gold and guideline ask of an answer.

The gold gives the shape (fields, their types, units and decimals), the guideline the rules that a shape
does not show: whether order counts, whether thousands separators are needed, how values are rounded.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
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


@dataclass(frozen=True)
class Rules:
    """What the guideline says, as far as it can be read by rule; each rule is looked for on first use."""

    guideline: str
    """Canonical."""
    question: str
    is_list_of_texts: bool

    @cached_property
    def states_order(self) -> bool:
        """Whether it is said in what order things stand; without it, `A and B` may be `B and A`."""
        is_stated = _ORDER.search(self.guideline) or _ORDER_IN_QUESTION.search(canonical(self.question))
        return not self.guideline or is_stated is not None

    @cached_property
    def fields_may_permute(self) -> bool:
        """Whether a list of like things is asked for, in no stated order."""
        return self.is_list_of_texts and not self.states_order and _LIST.search(self.guideline) is not None

    @cached_property
    def speaks_of_percent(self) -> bool:
        """Whether a number without a sign may be a percentage."""
        return _PERCENT.search(self.guideline) is not None

    @cached_property
    def truncates(self) -> bool:
        """Whether values are cut, not rounded."""
        return "truncat" in self.guideline

    @cached_property
    def rounds_to_integer(self) -> bool:
        """Whether integers are rounded values rather than counts."""
        return _ROUNDS_TO_INTEGER.search(self.guideline) is not None

    @cached_property
    def forbids_thousands(self) -> bool:
        """Whether thousands separators are forbidden."""
        return not self._frees_thousands and _FORBIDS_THOUSANDS.search(self.guideline) is not None

    @cached_property
    def needs_thousands(self) -> bool:
        """Whether thousands separators are asked for, where the gold has them."""
        is_free = self._frees_thousands or _FORBIDS_THOUSANDS.search(self.guideline)
        return not is_free and _NEEDS_THOUSANDS.search(self.guideline) is not None

    @cached_property
    def _frees_thousands(self) -> bool:
        return _FREE_THOUSANDS.search(self.guideline) is not None

    @cached_property
    def fixes_decimals(self) -> bool:
        """Whether the number of decimals is part of the form."""
        return bool(_FIXES_DECIMALS.search(self.guideline)) and not _FREE_DECIMALS.search(self.guideline)

    @property
    def allows_abbreviation(self) -> bool:
        """Whether `Name (Abbreviation)` may be given by either part."""
        return "or abbreviation" in self.guideline

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of the guideline: a unit named there may be left out or added."""
        return frozenset(_WORD.findall(self.guideline))


class AnswerSpec(NamedTuple):
    """The compiled form of one gold with its guideline."""

    text: str
    """The gold, canonical."""
    fields: tuple[FieldSpec, ...]
    rules: Rules


_ORDER = re.compile(
    r"\border(?:ed|ing)?\b|ascending|descending|\bsorted\b|alphabetic|chronologic|\bfirst\b|\bsecond\b|\bthen\b"
    r"|followed by|respectively|\bhighest\b|\blowest\b|\bmost\b|\bleast\b|\bmax|\bmin|\branked\b|\btop\b|\bbottom\b"
    r"|corresponds?|\bbest\b|\bworst\b|\blargest\b|\bsmallest\b|\bnewest\b|\boldest\b|\bprimary\b"
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
    gold, guideline = canonical(gold), canonical(guideline)
    fields = tuple(_field(text, guideline) for text in split_fields(gold))
    is_list_of_texts = len(fields) > 1 and all(field.type is FieldType.TEXT for field in fields)
    return AnswerSpec(gold, fields, Rules(guideline, question, is_list_of_texts))


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
