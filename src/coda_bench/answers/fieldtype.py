"""What a field of a gold holds, judged by its tokens and what the guideline says of it."""

import re
from collections.abc import Sequence

from coda_bench.answers.dates import CALENDAR_MONTHS, CALENDAR_WEEKDAYS, Clock, Date
from coda_bench.answers.quantities import Mark, Number, Range, Token, Word
from coda_bench.records.answer_spec import FieldType

YEARS = range(1800, 2101)
_COMPARISONS = frozenset("<>≤≥")
_DESCRIBES = re.compile(r"brief|concise|descri|explanation|phrase|statement|summary|sentence|in words|reason\b")
_WORDS_OF_A_SENTENCE = 8
_FEW_WORDS = 3


def field_type(tokens: Sequence[Token], name: str, guideline: str, alternatives: Sequence[str]) -> FieldType:
    """Return the type of a field; `alternatives` are the texts that the guideline lists for it."""
    kinds = {type(token) for token in tokens}
    if not kinds & {Number, Date, Clock}:
        return _type_of_words(tokens, alternatives)
    if Range in kinds:
        return FieldType.RANGE
    if kinds == {Date}:
        return FieldType.DATE
    if kinds == {Clock}:
        return FieldType.CLOCK
    return _type_with_number(tokens, name, guideline)


def _type_of_words(tokens: Sequence[Token], alternatives: Sequence[str]) -> FieldType:
    words = [token.text for token in tokens if isinstance(token, Word)]
    if words in (["yes"], ["no"]):
        return FieldType.YES_NO
    if len(words) == len(tokens) == 1:
        if words[0] in CALENDAR_MONTHS:
            return FieldType.MONTH
        if words[0] in CALENDAR_WEEKDAYS:
            return FieldType.WEEKDAY
    return FieldType.CATEGORY if alternatives else FieldType.TEXT


def _type_with_number(tokens: Sequence[Token], name: str, guideline: str) -> FieldType:
    number = sole_number(tokens)
    if number is None:
        return FieldType.MIXED
    others = [token for token in tokens if token is not number]
    if not others:
        return _type_of_number(number, name, guideline)
    marks = [token for token in others if isinstance(token, Mark)]
    if len(marks) == len(others) and all(mark.text[:1] in _COMPARISONS or mark.text == "+" for mark in marks):
        return FieldType.INEQUALITY
    is_with_unit = tokens[0] is number and len(others) == 1 and isinstance(others[0], Word)
    return FieldType.NUMBER_WITH_UNIT if is_with_unit else FieldType.MIXED


def _type_of_number(number: Number, name: str, guideline: str) -> FieldType:
    if number.is_percent:
        return FieldType.PERCENT
    if number.currency:
        return FieldType.CURRENCY
    if number.scale:
        return FieldType.SCALED
    if is_year(number) and ("year" in name or (not name and "year" in guideline)):
        return FieldType.YEAR
    return FieldType.INTEGER if number.is_integer else FieldType.DECIMAL


def sole_number(tokens: Sequence[Token]) -> Number | None:
    """Return the number of a field that holds one quantity only."""
    numbers = [token for token in tokens if isinstance(token, Number)]
    has_others = any(isinstance(token, Date | Clock | Range) for token in tokens)
    return numbers[0] if len(numbers) == 1 and not has_others else None


def is_year(number: Number) -> bool:
    """Whether a number may be a year: an integer of 1800 to 2100 without separators."""
    return number.is_integer and not number.has_thousands and number.value in YEARS


def is_free_text(tokens: Sequence[Token], guideline: str) -> bool:
    """Whether a text is a sentence, or a description for which the guideline gives no words."""
    words = sum(isinstance(token, Word) for token in tokens)
    return words >= _WORDS_OF_A_SENTENCE or (words > _FEW_WORDS and _DESCRIBES.search(guideline) is not None)
