"""Answers near a gold, judged: what a spec accepts and refuses, shown rather than promised."""

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple

from coda_bench.answers.dates import CALENDAR_MONTHS, Date
from coda_bench.answers.field import FieldSpec
from coda_bench.answers.quantities import Number
from coda_bench.answers.spec import AnswerSpec, split_fields
from coda_bench.answers.text import canonical
from coda_bench.answers.verdict import Verdict, judge_by
from coda_bench.records.answer_spec import FieldType

_HUNDRED = 100


class Example(NamedTuple):
    """One answer near the gold with its verdict."""

    answer: str
    verdict: Verdict


def examples(spec: AnswerSpec) -> list[Example]:
    """Return variations of the gold, one a line, each judged by the spec itself."""
    texts = list(dict.fromkeys(_variations(spec)))
    return [Example(text, judge_by(text, spec)) for text in texts if text != spec.gold]


def _variations(spec: AnswerSpec) -> Iterator[str]:
    parts = split_fields(canonical(spec.gold, keep_case=True), spec.separator)
    join = f"{spec.separator} ".join
    if len(parts) > 1:
        yield spec.separator.join(parts)
        yield " | ".join(parts)
        yield join(reversed(parts))
        yield join(parts[:-1])
    for place, field in enumerate(spec.fields):
        for text in _of_field(parts[place], field):
            yield join([*parts[:place], text, *parts[place + 1 :]])
    yield f"Answer: {spec.gold}"
    yield f"The analysis shows that it is {spec.gold}."
    yield "Not Applicable"


def _of_field(text: str, field: FieldSpec) -> Iterator[str]:
    numbers = [token for token in field.tokens if isinstance(token, Number)]
    if len(numbers) == 1 and len(field.tokens) == 1:
        yield from _of_number(numbers[0], field)
    elif field.type in {FieldType.TEXT, FieldType.CATEGORY, FieldType.FREE_TEXT}:
        yield text.upper()
        yield f"{text}."
        yield from (other for other in field.alternatives if other != field.text)
    elif field.type is FieldType.YES_NO:
        yield "No" if field.text == "yes" else "Yes"
    elif field.type is FieldType.RANGE:
        yield text.replace("-", " to ") if "-" in text else text.replace(" to ", "-")
    elif field.type is FieldType.DATE and isinstance(field.tokens[0], Date):
        yield from _of_date(field.tokens[0])
    if ": " in text:
        yield f"Other: {text.partition(': ')[2]}"


def _of_date(found: Date) -> Iterator[str]:
    try:
        day = date(found.year or 0, found.month, found.day or 0)
        yield day.isoformat()
        yield f"{day.day} {CALENDAR_MONTHS[day.month - 1].title()} {day.year}"
        yield (day + timedelta(1)).isoformat()
    except (ValueError, OverflowError):
        return  # a month, or a day without its year


def _of_number(number: Number, field: FieldSpec) -> Iterator[str]:
    sign = "%" if number.is_percent else ""
    value = number.value
    yield f"{value:f}{sign}"
    yield f"{value:,f}{sign}"
    yield f"{value + number.unit:f}{sign}"
    if number.decimals or field.rounding.value != "exact":
        yield f"{value + number.unit * Decimal('0.3'):f}{sign}"
        yield f"{value + number.unit * Decimal('0.7'):f}{sign}"
    if number.is_percent:
        yield f"{value:f}"
        yield f"{value / _HUNDRED:f}"
