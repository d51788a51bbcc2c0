"""Changes of a gold that make it wrong; each field is changed alone."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal

from generation.numbers import Found, numbers, replaced

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
REFUSALS = (
    "", "  ", "Not Applicable", "N/A", "None", "null", "NaN", "unknown",
    "I cannot determine the answer from the data.", "Unable to find the dataset.",
)  # fmt: skip
_MOST_DIGITS = 12
_ISO = re.compile(r"(?<![\w-])([0-9]{4})-([0-9]{2})-([0-9]{2})(?![\w-])")
_MONTH_NAME = re.compile(rf"\b(?:{'|'.join(MONTHS)})\b")
_WEEKDAY = re.compile(rf"\b(?:{'|'.join(WEEKDAYS)})\b")
_CHOICE = re.compile(r"'([^']{1,60})'(?:,? or | or |, )'([^']{1,60})'")
_YES_NO = re.compile(r"^(?:Yes|No)$", re.IGNORECASE)


def mutants(gold: str, others: Sequence[str], guideline: str = "") -> Iterator[tuple[str, str]]:
    """Yield `(kind, text)` of wrong answers.

    Args:
        gold: the right one.
        others: text fields of other golds, to be taken for another category.
        guideline: read for the texts it lists to choose from, of which every other one is wrong.
    """
    yield from _of_choices(gold, guideline)
    for found in numbers(gold):
        yield from _of_number(gold, found)
    yield from _of_calendar(gold)
    yield from _of_fields(gold, others)
    for text in REFUSALS:
        yield "refusal", text
    yield "prose", f"Based on the analysis of the data, I found that it is {gold} in the end"
    yield "prose", f"The value {gold} was printed by the script before it failed"
    yield "guesses", f"{gold} or 5678"
    yield "guesses", f"either 5678 or {gold}"
    yield "guesses", f"{gold}\n5678"


def _of_number(gold: str, found: Found) -> Iterator[tuple[str, str]]:
    is_zero = not re.search("[1-9]", found.digits + found.decimals)
    if not is_zero and not found.in_range:
        yield "sign", replaced(gold, found, found.written(sign="" if found.sign else "-"))
    for step in (1, -1):
        text = _stepped(found, step)
        if text is not None and not (found.in_range and text.startswith("-")):
            yield "last digit", replaced(gold, found, text)
    if is_zero:
        return
    for power, kind in ((1, "times 10"), (3, "times 1000")):
        value = Decimal(found.digits + found.decimals).scaleb(power)
        yield kind, replaced(gold, found, f"{found.sign}{found.currency}{value:f}{found.suffix}{found.percent}")
    yield from _of_percent(gold, found)


def _stepped(found: Found, step: int) -> str | None:
    """Return the number with its last kept digit, at most the twelfth significant one, one up or down."""
    text = found.digits + found.decimals
    significant = len(text.replace(".", "").lstrip("0"))
    places = len(found.decimals[1:]) - max(0, significant - _MOST_DIGITS)
    value = Decimal(found.sign + text) + step * Decimal(1).scaleb(-places)
    sign = "-" if value < 0 else ""
    return f"{sign}{found.currency}{abs(value):f}{found.suffix}{found.percent}"


def _of_percent(gold: str, found: Found) -> Iterator[tuple[str, str]]:
    value = Decimal(found.digits + found.decimals)
    if found.percent and not found.in_range:
        yield "percent to fraction", replaced(gold, found, f"{found.sign}{value / 100:f}")
    elif found.decimals and value < 1 and not (found.in_range or found.suffix or found.currency):
        yield "fraction to percent", replaced(gold, found, f"{found.sign}{value * 100:f}%")


def _of_calendar(gold: str) -> Iterator[tuple[str, str]]:
    for found in _ISO.finditer(gold):
        day = date(int(found[1]), int(found[2]), int(found[3]))
        for step in (1, -1, 31):
            yield "neighbouring date", gold[: found.start()] + str(day + timedelta(step)) + gold[found.end() :]
    for found in _WEEKDAY.finditer(gold):
        other = WEEKDAYS[(WEEKDAYS.index(found[0]) + 1) % 7]
        yield "neighbouring weekday", gold[: found.start()] + other + gold[found.end() :]
    for found in _MONTH_NAME.finditer(gold):
        other = MONTHS[(MONTHS.index(found[0]) + 1) % 12]
        yield "neighbouring month", gold[: found.start()] + other + gold[found.end() :]


def _of_choices(gold: str, guideline: str) -> Iterator[tuple[str, str]]:
    """Yield the gold with a listed text replaced by the one listed beside it."""
    if "acceptable" in guideline or "accepted" in guideline:
        return
    for found in _CHOICE.finditer(guideline):
        for one, other in (found.groups(), found.groups()[::-1]):
            fields = [field.strip() for field in gold.split(";")]
            if one in fields and one != other:
                yield "another choice", "; ".join(other if field == one else field for field in fields)


def _of_fields(gold: str, others: Sequence[str]) -> Iterator[tuple[str, str]]:
    fields = [field.strip() for field in gold.split(";")]
    yield "field added", f"{gold}; 7"
    yield "field added", f"{gold}; {fields[-1]}"
    for place, field in enumerate(fields):
        rest = [*fields[:place], *fields[place + 1 :]]
        if rest:
            yield "field dropped", "; ".join(rest)
        for text, kind in _of_field(field, others):
            yield kind, "; ".join([*fields[:place], text, *fields[place + 1 :]])
        for later in range(place + 1, len(fields)):
            yield from _swapped(fields, place, later)


def _of_field(field: str, others: Sequence[str]) -> Iterator[tuple[str, str]]:
    if _YES_NO.match(field):
        yield ("No" if field.lower() == "yes" else "Yes"), "yes or no"
    elif re.search("[A-Za-z]{2}", field) and not re.search("[0-9]", field):
        other = next(text for text in others if text.lower() != field.lower())
        yield other, "another category"
        yield f"{other} {field}", "another category"
        if " " in field:
            yield field.rsplit(" ", 1)[0], "part of the category"


def _swapped(fields: Sequence[str], one: int, other: int) -> Iterator[tuple[str, str]]:
    if fields[one].lower() == fields[other].lower():
        return
    swapped = list(fields)
    swapped[one], swapped[other] = fields[other], fields[one]
    yield "swapped fields", "; ".join(swapped)
    labels = [field.partition(":") for field in (fields[one], fields[other])]
    if all(colon and value.strip() for _, colon, value in labels) and labels[0][0] != labels[1][0]:
        swapped[one], swapped[other] = labels[1][0] + ":" + labels[0][2], labels[0][0] + ":" + labels[1][2]
        if swapped[one].lower() != fields[one].lower() and labels[0][2].strip() != labels[1][2].strip():
            yield "swapped labels", "; ".join(swapped)
