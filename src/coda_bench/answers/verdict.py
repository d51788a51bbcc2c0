"""The typed comparison of one answer with its gold: right or not, in the form asked for or not, and why."""

from collections.abc import Sequence
from decimal import localcontext
from functools import lru_cache
from typing import NamedTuple

from coda_bench.answers.compare import compare_field
from coda_bench.answers.form import has_form
from coda_bench.answers.jsonvalues import same_json
from coda_bench.answers.order import matching
from coda_bench.answers.quantities import Word
from coda_bench.answers.readings import field_readings, readings, splits
from coda_bench.answers.refusals import has_no_value, is_abstention
from coda_bench.answers.spec import NOTHING_STATED, AnswerSpec, compile_spec
from coda_bench.answers.text import canonical
from coda_bench.answers.tokens import LONGEST_NUMBER, tokenise
from coda_bench.records.answer_spec import FieldType, StatedSpec
from coda_bench.records.scores import Reason

_ROOM_BESIDE_GOLD = 2_000
"""Characters; an answer longer than four golds and this is none."""
_WORDS_OF_PROSE = 3
_MOST_PERMUTED_FIELDS = 12
_WORDY = frozenset({FieldType.TEXT, FieldType.FREE_TEXT, FieldType.CATEGORY, FieldType.MIXED})


class Verdict(NamedTuple):
    """What the comparison says of one answer."""

    ea: bool
    """Whether it means what the gold means."""
    format_ok: bool
    """Whether it has the form asked for, be its value right or wrong."""
    reason: Reason
    fields: tuple[Reason, ...] = ()
    """The reason for each field of the gold; empty where the answer has another number of fields."""


class _Outcome(NamedTuple):
    reason: Reason
    fields: tuple[Reason, ...] = ()


_MATCH = _Outcome(Reason.MATCH)


def judge(
    prediction: str,
    gold: str,
    guideline: str = "",
    *,
    question: str = "",
    stated: StatedSpec | None = None,
) -> Verdict:
    """Judge an answer of any size and content; takes bounded time, raises nothing, evaluates nothing.

    Args:
        prediction: the answer as the agent gave it.
        gold: the task's answer.
        guideline: the task's answer guideline; without it only the gold's shape is known.
        question: read for whether it states an order and for what it counts.
        stated: what the task states itself about its answer.
    """
    return judge_by(prediction, spec_of(gold, guideline, question=question, stated=stated))


def spec_of(gold: str, guideline: str = "", *, question: str = "", stated: StatedSpec | None = None) -> AnswerSpec:
    """Compile the spec by which `judge` judges."""
    return compile_spec(gold, guideline, question, stated or NOTHING_STATED)


def judge_by(prediction: str, spec: AnswerSpec) -> Verdict:
    """Judge an answer by a compiled spec."""
    if len(prediction) > 4 * len(spec.gold) + _ROOM_BESIDE_GOLD:
        reason = Reason.NOT_AN_ANSWER if prediction.strip() else Reason.ABSTAINED
        return Verdict(ea=False, format_ok=False, reason=reason)
    text = canonical(prediction)
    # Numbers of up to this many digits are compared exactly, not to the default context's 28.
    with localcontext(prec=2 * LONGEST_NUMBER):
        if text == spec.text and not has_no_value(text):
            matched = (Reason.MATCH,) * len(spec.fields)
            return Verdict(ea=True, format_ok=has_form(prediction, spec), reason=Reason.MATCH, fields=matched)
        outcome = _judge(prediction, spec)
        is_right = outcome.reason is Reason.MATCH
        fields = (Reason.MATCH,) * len(spec.fields) if is_right else outcome.fields
        return Verdict(ea=is_right, format_ok=has_form(prediction, spec), reason=outcome.reason, fields=fields)


def _judge(prediction: str, spec: AnswerSpec) -> _Outcome:
    """Judge by the gold, then by the further answers that the task states to be right."""
    outcome = _by_one(prediction, spec)
    if outcome.reason is Reason.MATCH:
        return outcome
    is_right = any(_by_one(prediction, other).reason is Reason.MATCH for other in spec.further)
    return _MATCH if is_right else outcome


def _by_one(prediction: str, spec: AnswerSpec) -> _Outcome:
    if has_no_value(spec.text):
        return _Outcome(Reason.ABSTAINED if is_abstention(canonical(prediction)) else Reason.WRONG_VALUE)
    if not any(field.tokens for field in spec.fields):
        # Nothing but quotes or full stops: no token tells such a gold from a blank.
        return _MATCH if canonical(prediction) == spec.text else _Outcome(Reason.WRONG_VALUE)
    outcome = _Outcome(Reason.WRONG_VALUE)
    for reading in readings(prediction, spec):
        outcome = _compare_reading(canonical(reading), reading, spec)
        if outcome.reason is Reason.MATCH or same_json(reading, spec.gold, _is_right_text):
            return _MATCH
    return _Outcome(Reason.ABSTAINED) if is_abstention(canonical(reading)) else outcome


def _is_right_text(found: str, gold: str) -> bool:
    return _by_one(found, compile_spec(gold)).reason is Reason.MATCH


def _compare_reading(text: str, raw: str, spec: AnswerSpec) -> _Outcome:
    """Compare one reading of an answer, in each way it may be cut into fields."""
    outcome = _Outcome(Reason.WRONG_ARITY)
    for n_cut, fields in enumerate(splits(text, raw, spec)):
        if len(fields) == len(spec.fields):
            found = _compare_fields(fields, spec)
            outcome = found if outcome.reason is Reason.WRONG_ARITY or found.reason is Reason.MATCH else outcome
            if found.reason is Reason.MATCH:
                return found
            if n_cut == 0 and len(fields) > 1:
                break  # cut at its own separator an answer has the right number of fields: no other cut is meant
    return _Outcome(Reason.NOT_AN_ANSWER) if _is_prose(text, raw, spec) else outcome


def _compare_fields(fields: Sequence[str], spec: AnswerSpec) -> _Outcome:
    reasons = tuple(_compare_one(text, place, spec) for place, text in enumerate(fields))
    wrong = [reason for reason in reasons if reason is not Reason.MATCH]
    if not wrong or _matches_by_ties(fields, reasons, spec):
        return _MATCH
    if len(wrong) > 1 and _matches_in_other_order(fields, spec):
        return _MATCH if spec.is_set else _Outcome(Reason.WRONG_ORDER, reasons)
    numeric = [reason for reason in wrong if reason is not Reason.WRONG_LABEL]
    return _Outcome((numeric or wrong)[0], reasons)


@lru_cache(maxsize=1 << 14)
def _compare_one(text: str, place: int, spec: AnswerSpec) -> Reason:
    field = spec.fields[place]
    outcomes = [compare_field(tokens, field, spec.rules) for tokens in field_readings(text, field)]
    return Reason.MATCH if Reason.MATCH in outcomes else outcomes[0]


def _matches_by_ties(fields: Sequence[str], reasons: Sequence[Reason], spec: AnswerSpec) -> bool:
    """Whether all that is wrong becomes right when the blocks of each tie change places."""
    tied = {place for group in spec.ties for block in group for place in block if place < len(fields)}
    wrong = {place for place, reason in enumerate(reasons) if reason is not Reason.MATCH}
    return bool(wrong) and wrong <= tied and all(_group_matches(fields, group, spec) for group in spec.ties)


def _group_matches(fields: Sequence[str], group: Sequence[Sequence[int]], spec: AnswerSpec) -> bool:
    def fits(one: int, other: int) -> bool:
        pairs = zip(group[one], group[other], strict=True)
        return all(_compare_one(fields[place], gold, spec) is Reason.MATCH for place, gold in pairs)

    return matching(len(group), fits)


def _matches_in_other_order(fields: Sequence[str], spec: AnswerSpec) -> bool:
    """Whether some permutation of the fields matches; tried for short answers only."""
    if len(fields) > _MOST_PERMUTED_FIELDS:
        return sorted(fields) == sorted(field.text for field in spec.fields)
    return matching(len(fields), lambda one, other: _compare_one(fields[one], other, spec) is Reason.MATCH)


def _is_prose(text: str, raw: str, spec: AnswerSpec) -> bool:
    """Whether an answer that does not match goes on where the gold is brief."""
    words = sum(isinstance(token, Word) for token in tokenise(text))
    wanted = sum(isinstance(token, Word) for field in spec.fields for token in field.tokens)
    is_numeric = not any(field.type in _WORDY for field in spec.fields)
    room = _WORDS_OF_PROSE if is_numeric else 2 * _WORDS_OF_PROSE + wanted
    return words >= wanted + room or len(raw.splitlines()) > max(len(spec.fields), 2)
