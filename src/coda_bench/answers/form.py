"""Whether an answer has the form its guideline asks for, be its value right or wrong."""

import re
from collections.abc import Sequence
from decimal import Decimal

from coda_bench.answers.breaches import breaches
from coda_bench.answers.dates import Clock, Date
from coda_bench.answers.field import FieldSpec
from coda_bench.answers.guideline import Rules
from coda_bench.answers.quantities import Number, Range, Token
from coda_bench.answers.refusals import is_abstention
from coda_bench.answers.spec import AnswerSpec, split_fields
from coda_bench.answers.text import canonical
from coda_bench.answers.tokens import tokenise
from coda_bench.answers.unwrap import LABEL
from coda_bench.records.answer_spec import FieldType

_LAST_WORD = re.compile(r"(?<![0-9])[^\W\d_]+(?=\.?$)")
_PAIRS = (("**", "**"), ('"', '"'), ("'", "'"), ("`", "`"))
_MOST_WORDS_BESIDE_GOLD = 12
_THOUSAND = Decimal(1000)
_TEXTS = frozenset({FieldType.TEXT, FieldType.FREE_TEXT, FieldType.MONTH, FieldType.WEEKDAY, FieldType.CATEGORY})


def has_form(prediction: str, spec: AnswerSpec) -> bool:
    """Whether an answer obeys its guideline to the letter, as far as gold and guideline show it.

    Asked for: the gold's number of fields, separated as in the gold; in each field the gold's sequence of
    numbers, dates and ranges with the same decimals, percent signs, currency, suffix and notation; thousands
    separators where the guideline wants or forbids them; one of the listed texts where it lists some. Quotes
    or Markdown bold round the whole, white space, a trailing full stop, typographic dashes and quotes do not
    count against it. `Not Applicable` has the form of no answer.
    """
    bare = _bare(prediction.strip())
    text = canonical(bare)
    fields = split_fields(text, spec.separator)
    if is_abstention(text) or "\n" in prediction.strip() or _breaks_a_rule(bare, fields, spec):
        return False
    if text == spec.text:
        return True
    if len(fields) != len(spec.fields) or text.endswith(spec.separator):
        return False
    return all(_field_has_form(one, field, spec.rules) for one, field in zip(fields, spec.fields, strict=True))


def _breaks_a_rule(bare: str, fields: Sequence[str], spec: AnswerSpec) -> bool:
    """Whether an answer breaks what the guideline states outright, or comes with a label before it."""
    if breaches([tokenise(field) for field in fields], spec.rules, spec.separator):
        return True
    lacks_blank = spec.rules.needs_blank and len(fields) > 1 and f"{spec.separator} " not in bare
    is_labelled = LABEL.match(bare) is not None and not spec.is_labelled
    return lacks_blank or is_labelled or (spec.rules.fixes_case and not _has_case(bare, spec))


def _has_case(bare: str, spec: AnswerSpec) -> bool:
    """Whether the fields that agree with the gold but for upper and lower case agree in these too."""
    found = split_fields(canonical(bare, keep_case=True), spec.separator)
    wanted = split_fields(canonical(spec.gold, keep_case=True), spec.separator)
    pairs = zip(found, wanted, strict=False)
    return all(one.strip(". ") == other.strip(". ") for one, other in pairs if one.casefold() == other.casefold())


def _bare(text: str) -> str:
    for opening, closing in _PAIRS:
        if text.startswith(opening) and text.endswith(closing) and len(text) > len(opening + closing):
            inside = text[len(opening) : -len(closing)]
            return inside if opening not in inside else text
    return text


def _field_has_form(text: str, field: FieldSpec, rules: Rules) -> bool:
    tokens = tokenise(text)
    if not tokens or len(tokens) > 3 * len(field.tokens) + _MOST_WORDS_BESIDE_GOLD:
        return False
    if field.type is FieldType.YES_NO:
        return text.strip(".") in {"yes", "no"}
    if field.type in _TEXTS:
        return not field.alternatives or tokens in map(tokenise, field.alternatives) or tokens == field.tokens
    found, wanted = _shape(tokens), _shape(field.tokens)
    if len(found) != len(wanted) or _unit(text, field) != _unit(field.text, field):
        return False
    return all(_token_has_form(one, other, rules) for one, other in zip(found, wanted, strict=True))


def _unit(text: str, field: FieldSpec) -> str:
    """Return the last word of a number with a unit, or of a range that may have one."""
    has_unit = field.type in {FieldType.NUMBER_WITH_UNIT, FieldType.RANGE}
    found = _LAST_WORD.search(text) if has_unit else None
    return found[0] if found else ""


def _shape(tokens: Sequence[Token]) -> list[Token | None]:
    """Return the quantities in order, with None for each run of words and marks."""
    shape: list[Token | None] = []
    for token in tokens:
        if isinstance(token, Number | Date | Clock | Range):
            shape.append(token)
        elif not shape or shape[-1] is not None:
            shape.append(None)
    return shape


def _token_has_form(found: Token | None, gold: Token | None, rules: Rules) -> bool:
    if isinstance(found, Number) and isinstance(gold, Number):
        return _number_has_form(found, gold, rules)
    if isinstance(found, Date) and isinstance(gold, Date):
        return found.notation == gold.notation
    if isinstance(found, Clock) and isinstance(gold, Clock):
        return found.notation == gold.notation
    if isinstance(found, Range) and isinstance(gold, Range):
        return found.style == gold.style
    return found is gold


def _number_has_form(found: Number, gold: Number, rules: Rules) -> bool:
    return (
        found.style == gold.style
        and (gold.has_exponent or not found.has_exponent)
        and _decimals_have_form(found, gold, rules)
        and _thousands_have_form(found, gold, rules)
    )


def _decimals_have_form(found: Number, gold: Number, rules: Rules) -> bool:
    if not gold.decimals:
        return not found.decimals
    return found.decimals == gold.decimals or not rules.fixes_decimals


def _thousands_have_form(found: Number, gold: Number, rules: Rules) -> bool:
    if found.has_thousands:
        return not rules.forbids_thousands
    return not (rules.needs_thousands and gold.has_thousands and abs(found.value) >= _THOUSAND)
