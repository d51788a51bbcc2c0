"""An answer spec in words: what is accepted for a task, what is not, and why."""

from collections.abc import Iterator

from coda_bench.answers.field import FieldSpec
from coda_bench.answers.guideline import Rules
from coda_bench.answers.quantities import Mark, Number
from coda_bench.answers.spec import AnswerSpec
from coda_bench.records.answer_spec import FieldType, Rounding

_KINDS = {
    FieldType.INTEGER: "an integer",
    FieldType.DECIMAL: "a decimal number",
    FieldType.PERCENT: "a percentage",
    FieldType.CURRENCY: "an amount of money",
    FieldType.NUMBER_WITH_UNIT: "a number with its unit, in any spelling of it; another unit is wrong (unit_mismatch)",
    FieldType.SCALED: "a number in thousands, millions or billions",
    FieldType.RANGE: "a range of two ends, with a dash or in words",
    FieldType.INEQUALITY: "a bound (more than, at least, ...)",
    FieldType.DATE: "a date, in any notation that names the same day or month",
    FieldType.MONTH: "the name of a month, in full or cut short",
    FieldType.WEEKDAY: "the name of a weekday, in full or cut short",
    FieldType.YEAR: "a year",
    FieldType.CLOCK: "a time of day",
    FieldType.YES_NO: "Yes or No",
    FieldType.CATEGORY: "one of the listed texts",
    FieldType.TEXT: "a text; case, quotes and accents do not matter, every word does (wrong_label)",
    FieldType.FREE_TEXT: "a sentence or description; it must agree word by word",
    FieldType.MIXED: "words with numbers among them; both must agree",
}


def explain_answer(spec: AnswerSpec) -> list[str]:
    """Return what holds for the answer as a whole, one sentence an item."""
    return list(_whole(spec))


def _whole(spec: AnswerSpec) -> Iterator[str]:
    n_fields = len(spec.fields)
    if n_fields > 1:
        name = "semicolons" if spec.separator == ";" else "commas"
        yield f"{n_fields} fields, separated by {name}; another number of fields is wrong (wrong_arity)"
        yield _order(spec)
    else:
        yield "one field"
    for group in spec.ties:
        blocks = " and ".join("fields " + ", ".join(str(place + 1) for place in block) for block in group)
        yield f"tied, so they may change places: {blocks}"
    if not spec.rules.states_order and any(" and " in field.text for field in spec.fields):
        yield "no order is stated: `A and B` may be `B and A`"
    for other in spec.further:
        yield f"also right: {other.gold}"
    yield from _form(spec.rules)
    for breach in spec.breaches:
        yield f"the gold breaks its own guideline: {breach}"


def _order(spec: AnswerSpec) -> str:
    if spec.is_set:
        return "the fields may stand in any order"
    if spec.rules.states_order:
        return "in the order asked for; the right fields in another order are wrong (wrong_order)"
    return "in the gold's order; the right fields in another order are wrong (wrong_order)"


def _form(rules: Rules) -> Iterator[str]:
    """Say what matters for the form only."""
    for holds, text in (
        (rules.needs_thousands, "thousands separators are asked for"),
        (rules.forbids_thousands, "thousands separators are forbidden"),
        (rules.fixes_decimals, "the number of decimals is asked for"),
        (rules.fixes_case, "upper and lower case are asked for"),
        (rules.needs_blank, "a blank after the separator is asked for"),
    ):
        if holds:
            yield f"form only (format_ok, not EA): {text}"


def explain_field(field: FieldSpec, rules: Rules) -> list[str]:
    """Return what holds for one field, one sentence an item."""
    return [_KINDS[field.type], *_number(field, rules), *_texts(field)]


def _number(field: FieldSpec, rules: Rules) -> Iterator[str]:
    numbers = [token for token in field.tokens if isinstance(token, Number)]
    if not numbers:
        return
    number = numbers[0]
    if field.rounding is Rounding.TRUNCATE:
        yield f"an answer with more digits is cut to {_digits(number)}, not rounded"
    elif field.rounding is Rounding.HALF or number.decimals:
        yield f"an answer with more digits is rounded to {_digits(number)} (a half may go either way)"
    else:
        yield "must be equal: no tolerance"
    if number.is_percent:
        yield "a percentage: the fraction is wrong (percent_vs_fraction)" + _bare_percent(number)
    elif rules.speaks_of_percent:
        yield "given without a percent sign; one may be added where the value is above 1"
    if number.currency:
        yield f"the currency ({number.currency.upper()}) may be left out, another one is wrong (unit_mismatch)"
    if field.interval:
        yield f"anything from {field.interval[0]} to {field.interval[1]} is right"
    if field.unit:
        yield f"the unit {field.unit} may be written or left out"


def _digits(number: Number) -> str:
    return f"{number.decimals} decimal{'s' if number.decimals != 1 else ''}" if number.decimals else "an integer"


def _bare_percent(number: Number) -> str:
    return "; the sign may be missing" if abs(number.value) > 1 else "; without the sign it could be a fraction: wrong"


def _texts(field: FieldSpec) -> Iterator[str]:
    name, colon, _ = field.text.partition(":")
    if colon and Mark(":") in field.tokens:
        rule = "may be left out" if field.label else "is needed"
        yield f"the label {name!r} {rule}; another one is wrong (wrong_label)"
    if field.alternatives:
        yield "listed: " + ", ".join(field.alternatives)
    if field.accepted:
        yield "also right: " + ", ".join(" ".join(str(token[0]) for token in tokens) for tokens in field.accepted)
