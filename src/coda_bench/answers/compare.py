"""Comparing one field of an answer with the gold's, token by token."""

from collections.abc import Iterator

from coda_bench.answers.dates import CALENDAR_MONTHS, CALENDAR_WEEKDAYS, Clock, Date
from coda_bench.answers.field import FieldSpec
from coda_bench.answers.fieldtype import sole_number
from coda_bench.answers.guideline import Rules
from coda_bench.answers.numbers import compare_number
from coda_bench.answers.phrases import MEASURES
from coda_bench.answers.quantities import Mark, Number, Range, Token, Word
from coda_bench.answers.text import without_accents
from coda_bench.answers.tokens import tokenise
from coda_bench.records.answer_spec import FieldType, Rounding
from coda_bench.records.scores import Reason

Tokens = tuple[Token, ...]

_CALENDAR_NAMES = (*CALENDAR_MONTHS, *CALENDAR_WEEKDAYS)
_SHORTEST_CALENDAR_NAME = 3
_MOST_UNIT_WORDS = 3
_NO_NAMES = frozenset({"error", "warning", "exception", "failed", "note", "step", "iteration", "line", "row"})
"""What a log says before a number."""
_GENERIC_NAMES = frozenset({"value", "number", "result", "answer"})
_NUMBER_NAMES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
]
_NUMBER_OF_NAME = {name: str(number) for number, name in enumerate(_NUMBER_NAMES)}


def compare_field(found: Tokens, field: FieldSpec, rules: Rules) -> Reason:
    """Say whether the tokens of an answer's field mean what the gold's mean, or how they differ.

    Beyond equality, forgiven are: a label, name or unit that the task gives away written or left out, the
    two sides of `A and B` exchanged where no order is stated, `Name (Abbreviation)` by either part where the
    guideline allows it, and the further contents and the interval that the task states.
    """
    found, gold = _with_shared_percent(found), _with_shared_percent(field.tokens)
    outcome = _compare(found, gold, field, rules)
    if outcome is Reason.MATCH or _is_accepted(found, field, rules):
        return Reason.MATCH
    for one, other in _forgiven(found, gold, field, rules):
        if _compare(one, other, field, rules) is Reason.MATCH or _is_accepted(one, field, rules):
            return Reason.MATCH
    return outcome


def _is_accepted(found: Tokens, field: FieldSpec, rules: Rules) -> bool:
    if not field.accepted and field.interval is None:
        return False
    if any(_compare(found, other, field, rules) is Reason.MATCH for other in field.accepted):
        return True
    number = sole_number(found) if field.interval and len(found) == 1 else None
    gold = sole_number(field.tokens)
    if field.interval is None or number is None or gold is None or number.is_percent != gold.is_percent:
        return False
    return field.interval[0] <= number.value <= field.interval[1]


def _compare(found: Tokens, gold: Tokens, field: FieldSpec, rules: Rules) -> Reason:
    if len(found) != len(gold):
        return _different_shape(found, gold)
    outcomes = [_compare_token(one, other, field, rules) for one, other in zip(found, gold, strict=True)]
    wrong = [outcome for outcome in outcomes if outcome is not Reason.MATCH]
    numeric = [outcome for outcome in wrong if outcome is not Reason.WRONG_LABEL]
    return (numeric or wrong or [Reason.MATCH])[0]


def _different_shape(found: Tokens, gold: Tokens) -> Reason:
    """Name the difference of two fields with different numbers of tokens."""
    numbers = [token for token in found if isinstance(token, Number | Date | Clock)]
    wanted = [token for token in gold if isinstance(token, Number | Date | Clock)]
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
            return compare_number(found, gold, _rounding(gold, field), may_lack_percent=rules.speaks_of_percent)
        return Reason.UNPARSABLE if len(field.tokens) == 1 else Reason.WRONG_VALUE
    if isinstance(gold, Date | Clock | Range):
        return Reason.MATCH if _same_moment_or_sign(found, gold) else Reason.WRONG_VALUE
    if found == gold or _is_same_word(found, gold):
        return Reason.MATCH
    is_unit = field.type is FieldType.NUMBER_WITH_UNIT or (field.type is FieldType.RANGE and isinstance(gold, Word))
    return Reason.UNIT_MISMATCH if is_unit else Reason.WRONG_LABEL


def _same_moment_or_sign(found: Token, gold: Date | Clock | Range) -> bool:
    if isinstance(gold, Range):
        return isinstance(found, Range)
    if isinstance(gold, Date):
        return isinstance(found, Date) and found.same_as(gold)
    return isinstance(found, Clock) and found.same_as(gold)


def _rounding(gold: Number, field: FieldSpec) -> Rounding:
    """Return the rounding of one number of a field; in a field of several, integers stay exact."""
    if field.type is not FieldType.MIXED:
        return field.rounding
    if gold.is_integer:
        return Rounding.EXACT
    return Rounding.HALF if field.rounding is Rounding.EXACT else field.rounding


def _is_same_word(found: Token, gold: Token) -> bool:
    """Whether a word is the gold's without the marks on its letters, or the name of a month or weekday cut short."""
    if not (isinstance(found, Word) and isinstance(gold, Word)):
        return False
    if not gold.text.isascii() and without_accents(gold.text) == without_accents(found.text):
        return found.text.isascii()
    return (
        gold.text in _CALENDAR_NAMES and len(found.text) >= _SHORTEST_CALENDAR_NAME and gold.text.startswith(found.text)
    )


def _with_shared_percent(tokens: Tokens) -> Tokens:
    """Give both ends of `24-78%` the sign that stands at the second."""
    if Range not in map(type, tokens):
        return tokens
    result = list(tokens)
    for place in range(1, len(result) - 1):
        left, sign, right = result[place - 1 : place + 2]
        if isinstance(sign, Range) and isinstance(left, Number) and isinstance(right, Number):
            result[place - 1] = left._replace(is_percent=left.is_percent or right.is_percent)
    return tuple(result)


def _forgiven(found: Tokens, gold: Tokens, field: FieldSpec, rules: Rules) -> Iterator[tuple[Tokens, Tokens]]:
    """Yield both sides without what the task gives away: label, name, unit, abbreviation, order of two."""
    if field.label:
        yield found, gold[len(field.label) :]
    if (named := _without_name(found, field, rules)) is not None:
        yield named, gold
        yield _without_unit(named, field, rules), gold
    if len(found) != len(gold):
        yield _without_unit(found, field, rules), gold
        yield found, _without_unit(gold, field, rules)
    if rules.allows_abbreviation and Mark("(") in gold:
        opening = gold.index(Mark("("))
        yield found, gold[:opening]
        yield found, gold[opening + 1 : -1]
    if len(found) == 1 and isinstance(found[0], Word) and found[0].text in _NUMBER_OF_NAME:
        yield tokenise(_NUMBER_OF_NAME[found[0].text]), gold
    yield from _exchanged(found, gold, rules)


def _without_name(tokens: Tokens, field: FieldSpec, rules: Rules) -> Tokens | None:
    """Drop a leading `Name:` whose words are those by which the task calls this very field."""
    if Mark(":") not in tokens:
        return None
    colon = tokens.index(Mark(":"))
    label, name = tokens[:colon], tokenise(field.name)
    words = {token.text for token in label if isinstance(token, Word)}
    is_name = bool(label) and (label == name or _is_part_of_name(label, words, name, rules))
    return tokens[colon + 1 :] if is_name else None


def _is_part_of_name(label: Tokens, words: set[str], name: Tokens, rules: Rules) -> bool:
    """Whether a label of words alone says no more than the field's name, or than the task of its only field."""
    if not all(isinstance(token, Word) for token in label) or words <= _NO_NAMES:
        return False
    known = {token.text for token in name if isinstance(token, Word)}
    return words <= known or (rules.n_fields == 1 and words <= rules.words | _GENERIC_NAMES)


def _without_unit(tokens: Tokens, field: FieldSpec, rules: Rules) -> Tokens:
    """Drop the words after a leading number or range where the task gives them away."""
    n_numbers = next((n for n, token in enumerate(tokens) if not isinstance(token, Number | Range)), len(tokens))
    unit = [token.text for token in tokens[n_numbers:] if isinstance(token, Word)]
    is_unit = 0 < n_numbers < len(tokens) == n_numbers + len(unit) and len(unit) <= _MOST_UNIT_WORDS
    return tokens[:n_numbers] if is_unit and _is_given_away(unit, field, rules) else tokens


def _is_given_away(unit: list[str], field: FieldSpec, rules: Rules) -> bool:
    if field.unit is not None:
        return [Word(word) for word in unit] == list(tokenise(f"1 {field.unit}")[1:])
    if all(word in MEASURES for word in unit):
        return all(word in rules.measures for word in unit)
    if all(word in field.name.split() for word in unit):
        return True
    return rules.n_fields == 1 and all(word in rules.counted for word in unit)


def _exchanged(found: Tokens, gold: Tokens, rules: Rules) -> Iterator[tuple[Tokens, Tokens]]:
    """Yield `B and A` for `A and B` where no order is stated."""
    link = Word("and")
    if rules.states_order or found.count(link) != 1:
        return
    place = found.index(link)
    yield (*found[place + 1 :], link, *found[:place]), gold
