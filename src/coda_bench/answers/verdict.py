"""The typed comparison of one answer with its gold: right or not, in the form asked for or not, and why."""

import json
import re
from collections.abc import Iterator, Sequence
from decimal import localcontext
from itertools import permutations
from typing import Any, NamedTuple

from coda_bench.answers.compare import compare_field
from coda_bench.answers.form import has_form
from coda_bench.answers.spec import SEPARATOR, AnswerSpec, FieldType, compile_spec, split_fields
from coda_bench.answers.text import canonical
from coda_bench.answers.tokens import LONGEST_NUMBER, Token, Word, tokenise
from coda_bench.answers.unwrap import has_no_value, is_abstention, list_lines, readings
from coda_bench.records.scores import Reason

_ROOM_BESIDE_GOLD = 2_000
"""Characters; an answer longer than four golds and this is none."""
_WORDS_OF_PROSE = 3
_MOST_PERMUTED_FIELDS = 5

_DECIMAL_COMMA = re.compile(
    r"(?P<whole>[-+]?[$€£]?(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+)),(?P<decimals>[0-9]+)(?P<rest>\s?%?)"
)
_SPACED_THOUSANDS = re.compile(r"[-+]?[0-9]{1,3}(?: [0-9]{3})+(?:\.[0-9]+)?\s?%?")


class Verdict(NamedTuple):
    """What the comparison says of one answer."""

    ea: bool
    """Whether it means what the gold means."""
    format_ok: bool
    """Whether it has the form asked for, be its value right or wrong."""
    reason: Reason


def judge(prediction: str, gold: str, guideline: str = "", *, question: str = "") -> Verdict:
    """Judge an answer of any size and content; takes bounded time, raises nothing, evaluates nothing.

    Args:
        prediction: the answer as the agent gave it.
        gold: the task's answer.
        guideline: the task's answer guideline; without it only the gold's shape is known.
        question: read only for whether it states an order.
    """
    if len(prediction) > 4 * len(gold) + _ROOM_BESIDE_GOLD:
        reason = Reason.NOT_AN_ANSWER if prediction.strip() else Reason.ABSTAINED
        return Verdict(ea=False, format_ok=False, reason=reason)
    text = canonical(prediction)
    if text == canonical(gold) and not has_no_value(text):
        return Verdict(ea=True, format_ok=not is_abstention(text), reason=Reason.MATCH)
    spec = compile_spec(gold, guideline, question)
    # Numbers of up to this many digits are compared exactly, not to the default context's 28.
    with localcontext(prec=2 * LONGEST_NUMBER):
        reason = _reason(prediction, gold, spec)
        return Verdict(ea=reason is Reason.MATCH, format_ok=has_form(prediction, spec), reason=reason)


def _reason(prediction: str, gold: str, spec: AnswerSpec) -> Reason:
    if has_no_value(canonical(gold)):
        return Reason.ABSTAINED if is_abstention(canonical(prediction)) else Reason.WRONG_VALUE
    if not any(field.tokens for field in spec.fields):
        # Nothing but quotes or full stops: no token tells such a gold from a blank.
        return Reason.MATCH if canonical(prediction) == spec.text else Reason.WRONG_VALUE
    outcomes = []
    for reading in readings(prediction):
        outcome = _compare_reading(canonical(reading), reading, spec)
        if outcome is Reason.MATCH or _same_json(reading, gold, spec):
            return Reason.MATCH
        outcomes.append(outcome)
    if is_abstention(canonical(reading)):
        return Reason.ABSTAINED
    return outcomes[-1]


def _compare_reading(text: str, raw: str, spec: AnswerSpec) -> Reason:
    """Compare one reading of an answer, in each way it may be cut into fields."""
    outcome = Reason.WRONG_ARITY
    for fields in _splits(text, raw, spec):
        if len(fields) == len(spec.fields):
            outcome = _compare_fields(fields, spec)
            break
    if outcome is not Reason.MATCH and _is_prose(text, raw, spec):
        return Reason.NOT_AN_ANSWER
    return outcome


def _splits(text: str, raw: str, spec: AnswerSpec) -> Iterator[list[str]]:
    """Yield the cuts at the separator, then at line breaks and commas where the gold has neither."""
    yield split_fields(text)
    if SEPARATOR in text or len(spec.fields) == 1:
        return
    yield [canonical(line) for line in list_lines(raw)]
    if not any("," in field.text for field in spec.fields):
        yield split_fields(text, ", ")


def _compare_fields(fields: Sequence[str], spec: AnswerSpec) -> Reason:
    outcomes = [_compare_one(text, place, spec) for place, text in enumerate(fields)]
    wrong = [outcome for outcome in outcomes if outcome is not Reason.MATCH]
    if not wrong:
        return Reason.MATCH
    if len(fields) > 1 and _matches_in_other_order(fields, spec):
        return Reason.MATCH if spec.rules.fields_may_permute else Reason.WRONG_ORDER
    numeric = [outcome for outcome in wrong if outcome is not Reason.WRONG_LABEL]
    return (numeric or wrong)[0]


def _compare_one(text: str, place: int, spec: AnswerSpec) -> Reason:
    outcomes = [compare_field(tokens, spec.fields[place], spec.rules) for tokens in _field_readings(text)]
    return Reason.MATCH if Reason.MATCH in outcomes else outcomes[0]


def _field_readings(text: str) -> Iterator[tuple[Token, ...]]:
    """Yield a field's tokens, then those with a decimal comma or blanks between thousands read as such."""
    tokens = tokenise(text)
    yield tokens
    if len(tokens) == 1:
        return
    if found := _DECIMAL_COMMA.fullmatch(text):
        yield tokenise(f"{found['whole'].replace('.', '')}.{found['decimals']}{found['rest']}")
    elif _SPACED_THOUSANDS.fullmatch(text):
        yield tokenise(re.sub(r"(?<=[0-9]) (?=[0-9])", ",", text))


def _matches_in_other_order(fields: Sequence[str], spec: AnswerSpec) -> bool:
    """Whether some permutation of the fields matches; tried for short answers only."""
    if len(fields) > _MOST_PERMUTED_FIELDS:
        return sorted(fields) == sorted(field.text for field in spec.fields)
    places = range(len(fields))
    table = [[_compare_one(text, place, spec) is Reason.MATCH for place in places] for text in fields]
    return any(all(table[at][place] for place, at in enumerate(order)) for order in permutations(places))


def _is_prose(text: str, raw: str, spec: AnswerSpec) -> bool:
    """Whether an answer that does not match goes on where the gold is brief."""
    words = sum(isinstance(token, Word) for token in tokenise(text))
    wanted = sum(isinstance(token, Word) for field in spec.fields for token in field.tokens)
    is_numeric = all(field.type not in {FieldType.TEXT, FieldType.MIXED} for field in spec.fields)
    room = _WORDS_OF_PROSE if is_numeric else 2 * _WORDS_OF_PROSE + wanted
    return words >= wanted + room or len(raw.splitlines()) > max(len(spec.fields), 2)


def _same_json(reading: str, gold: str, spec: AnswerSpec) -> bool:
    """Whether a gold that is itself a JSON object or array is met by an equal one."""
    if gold.lstrip()[:1] not in {"{", "["}:
        return False
    try:
        return _same_value(json.loads(reading), json.loads(gold), spec)
    except (ValueError, RecursionError):
        return False


def _same_value(found: Any, gold: Any, spec: AnswerSpec) -> bool:
    if isinstance(gold, dict):
        return (
            isinstance(found, dict)
            and found.keys() == gold.keys()
            and all(_same_value(found[key], value, spec) for key, value in gold.items())
        )
    if isinstance(gold, list):
        return (
            isinstance(found, list)
            and len(found) == len(gold)
            and all(_same_value(one, other, spec) for one, other in zip(found, gold, strict=True))
        )
    if isinstance(found, dict | list) or found is None or isinstance(found, bool) != isinstance(gold, bool):
        return found is gold
    return _reason(str(found), str(gold), compile_spec(str(gold))) is Reason.MATCH
