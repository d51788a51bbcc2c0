"""Comparing one field of an answer with the gold's: token by token, numbers by the gold's own precision."""

import re
from decimal import Decimal

from coda_bench.answers.dates import Date
from coda_bench.answers.spec import FieldSpec, FieldType, Rules
from coda_bench.answers.tokens import Mark, Number, Range, Token, Word
from coda_bench.records.scores import Reason

Tokens = tuple[Token, ...]

_FULL_PRECISION_DIGITS = 15
"""A gold with as many significant digits is a float printed in full; its last digits are noise."""
_FLOAT_NOISE = Decimal("1e-12")
_HALF = Decimal("0.5")
_PERCENT_FACTOR = 100
_MAGNITUDES = frozenset(Decimal(10) ** power for power in (-9, -6, -3, 3, 6, 9))
_CALENDAR_NAMES = re.compile(
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
)
_SHORTEST_CALENDAR_NAME = 3
_YEARS = range(1800, 2101)


def compare_field(found: Tokens, field: FieldSpec, rules: Rules) -> Reason:
    """Say whether the tokens of an answer's field mean what the gold's mean, or how they differ.

    Beyond equality, forgiven are: a label or unit that the guideline gives away left out, such a unit
    added, the two sides of `A and B` exchanged where no order is stated, and `Name (Abbreviation)` by
    either part where the guideline allows it.
    """
    found, gold = _with_shared_percent(found), _with_shared_percent(field.tokens)
    outcome = _compare(found, gold, field, rules)
    if outcome is Reason.MATCH:
        return outcome
    others = [*_given_away(found, gold, field, rules), *_exchanged(found, gold, rules)]
    is_match = any(_compare(one, other, field, rules) is Reason.MATCH for one, other in others)
    return Reason.MATCH if is_match else outcome


def _compare(found: Tokens, gold: Tokens, field: FieldSpec, rules: Rules) -> Reason:
    if len(found) != len(gold):
        return _different_shape(found, gold)
    outcomes = [_compare_token(one, other, field, rules) for one, other in zip(found, gold, strict=True)]
    wrong = [outcome for outcome in outcomes if outcome is not Reason.MATCH]
    numeric = [outcome for outcome in wrong if outcome is not Reason.WRONG_LABEL]
    return (numeric or wrong or [Reason.MATCH])[0]


def _different_shape(found: Tokens, gold: Tokens) -> Reason:
    """Name the difference of two fields with different numbers of tokens."""
    numbers = [token for token in found if isinstance(token, Number | Date)]
    wanted = [token for token in gold if isinstance(token, Number | Date)]
    if not wanted:
        return Reason.WRONG_LABEL
    if not numbers:
        return Reason.UNPARSABLE
    if [token[0] for token in numbers] == [token[0] for token in wanted]:
        units_only = all(isinstance(token, Word) for token in gold[1:]) and isinstance(found[0], Number)
        return Reason.UNIT_MISMATCH if units_only else Reason.WRONG_LABEL
    return Reason.WRONG_VALUE


def _compare_token(found: Token, gold: Token, field: FieldSpec, rules: Rules) -> Reason:
    if isinstance(gold, Number):
        if isinstance(found, Number):
            return compare_number(found, gold, rules, is_alone=field.type is not FieldType.MIXED)
        return Reason.UNPARSABLE if len(field.tokens) == 1 else Reason.WRONG_VALUE
    if isinstance(gold, Date):
        return Reason.MATCH if isinstance(found, Date) and found.same_as(gold) else Reason.WRONG_VALUE
    if isinstance(gold, Range):
        return Reason.MATCH if isinstance(found, Range) else Reason.WRONG_VALUE
    if found == gold or _is_calendar_name_cut_short(found, gold):
        return Reason.MATCH
    is_unit = field.type is FieldType.NUMBER_WITH_UNIT or (field.type is FieldType.RANGE and isinstance(gold, Word))
    return Reason.UNIT_MISMATCH if is_unit else Reason.WRONG_LABEL


def _is_calendar_name_cut_short(found: Token, gold: Token) -> bool:
    if not (isinstance(found, Word) and isinstance(gold, Word) and _CALENDAR_NAMES.fullmatch(gold.text)):
        return False
    return len(found.text) >= _SHORTEST_CALENDAR_NAME and gold.text.startswith(found.text)


def compare_number(found: Number, gold: Number, rules: Rules, *, is_alone: bool = True) -> Reason:
    """Compare two numbers: equal to half a unit of the gold's last decimal, integers exactly.

    A percent sign may be missing or added only where the value cannot be meant as a fraction; a currency
    may be missing or added, not another one.
    """
    by_value = _compare_value(found, gold, rules, is_alone=is_alone)
    if found.is_percent != gold.is_percent:
        return _compare_percent(found, gold, rules, by_value)
    if found.currency and found.currency != gold.currency and (gold.currency or _is_year(gold)):
        return Reason.UNIT_MISMATCH if by_value is Reason.MATCH else by_value
    return by_value


def _compare_percent(found: Number, gold: Number, rules: Rules, by_value: Reason) -> Reason:
    if by_value is Reason.MATCH:
        is_clear = gold.value == 0 or abs(gold.value) > 1
        return Reason.MATCH if is_clear and (gold.is_percent or rules.speaks_of_percent) else Reason.UNIT_MISMATCH
    factor = _PERCENT_FACTOR if gold.is_percent else Decimal(1) / _PERCENT_FACTOR
    unit = max(gold.unit, found.unit * factor)
    return Reason.PERCENT_VS_FRACTION if abs(found.value * factor - gold.value) <= unit else by_value


def _is_year(number: Number) -> bool:
    return number.is_integer and not number.has_thousands and number.value in _YEARS


def _compare_value(found: Number, gold: Number, rules: Rules, *, is_alone: bool) -> Reason:
    distance = abs(found.value - gold.value)
    if distance <= _tolerance(found, gold, rules, is_alone=is_alone) and _keeps_truncation(found, gold, rules):
        return Reason.MATCH
    if gold.value and found.value == -gold.value:
        return Reason.SIGN
    if gold.decimals and distance <= gold.unit:
        return Reason.ROUNDING
    if found.unit > gold.unit and distance <= found.unit * _HALF and found.value:
        return Reason.ROUNDING
    if found.value and gold.value and found.value / gold.value in _MAGNITUDES:
        return Reason.UNIT_MISMATCH
    return Reason.WRONG_VALUE


def _tolerance(found: Number, gold: Number, rules: Rules, *, is_alone: bool) -> Decimal:
    if gold.is_integer:
        # A percentage or single value rounded to an integer may come unrounded; a count may not.
        is_rounded = is_alone and rules.rounds_to_integer and gold.is_percent and found.decimals > 0
        return _HALF if is_rounded else Decimal(0)
    noise = (
        abs(gold.value) * _FLOAT_NOISE if len(gold.value.as_tuple().digits) >= _FULL_PRECISION_DIGITS else Decimal(0)
    )
    half = gold.unit if rules.truncates and found.unit < gold.unit else gold.unit * _HALF
    return max(half, noise)


def _keeps_truncation(found: Number, gold: Number, rules: Rules) -> bool:
    """Whether an unrounded value lies on the side of the gold from which truncation leads to it."""
    if not rules.truncates or found.unit >= gold.unit or gold.is_integer:
        return True
    return abs(gold.value) <= abs(found.value) < abs(gold.value) + gold.unit or found.value == gold.value


def _with_shared_percent(tokens: Tokens) -> Tokens:
    """Give both ends of `24-78%` the sign that stands at the second."""
    result = list(tokens)
    for place in range(1, len(result) - 1):
        left, sign, right = result[place - 1 : place + 2]
        if isinstance(sign, Range) and isinstance(left, Number) and isinstance(right, Number):
            result[place - 1] = left._replace(is_percent=left.is_percent or right.is_percent)
    return tuple(result)


def _given_away(found: Tokens, gold: Tokens, field: FieldSpec, rules: Rules) -> list[tuple[Tokens, Tokens]]:
    """Return both sides without what the guideline gives away: label, unit, name or abbreviation."""
    pairs = []
    if field.label:
        pairs.append((found, gold[len(field.label) :]))
    if len(found) != len(gold):
        pairs += [(_without_unit(found, rules), gold), (found, _without_unit(gold, rules))]
    if rules.allows_abbreviation and Mark("(") in gold:
        opening = gold.index(Mark("("))
        pairs += [(found, gold[:opening]), (found, gold[opening + 1 : -1])]
    return pairs


def _without_unit(tokens: Tokens, rules: Rules) -> Tokens:
    """Drop words after a leading number or range, when the guideline names every one of them."""
    n_numbers = next((n for n, token in enumerate(tokens) if not isinstance(token, Number | Range)), len(tokens))
    unit = [token for token in tokens[n_numbers:] if isinstance(token, Word)]
    is_named = n_numbers > 0 and len(unit) == len(tokens) - n_numbers and all(word.text in rules.words for word in unit)
    return tokens[:n_numbers] if is_named else tokens


def _exchanged(found: Tokens, gold: Tokens, rules: Rules) -> list[tuple[Tokens, Tokens]]:
    """Return `B and A` for `A and B` where no order is stated."""
    link = Word("and")
    if rules.states_order or found.count(link) != 1:
        return []
    place = found.index(link)
    return [((*found[place + 1 :], link, *found[:place]), gold)]
