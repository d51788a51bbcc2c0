"""What is wrong with a gold: no answer at all, against its guideline, of another kind than asked for, free text."""

import re
from collections.abc import Iterator

from coda_bench.answers.breaches import Breach
from coda_bench.answers.refusals import has_no_value, is_abstention
from coda_bench.answers.spec import AnswerSpec, compile_spec
from coda_bench.answers.template import stated_parts
from coda_bench.answers.text import canonical
from coda_bench.records.answer_spec import FieldType
from coda_bench.records.audit import AuditFinding, DefectClass
from coda_bench.records.task import Task
from coda_bench.tasks.audit.finding import finding

_TELLS_WHAT_TO_GIVE = re.compile(
    r"(?:must|should) (?:be|contain|have|include|list)\b|each row\b|table or list|\be\.g\.|structured (?:pivot )?table"
)
_SHARED_WORDS = 6
_WORD = re.compile(r"\w+")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_ASKS_FOR_NUMBER = re.compile(
    r"^(?:how (?:many|much)|what (?:is|was|are|were) the (?:[\w-]+ ){0,3}?(?:number|count|percentage|proportion"
    r"|average|mean|median|total|sum|ratio|rate|correlation|accuracy|probability)\b"
    r"|what percentage|calculate the (?:mean|average))"
)
_ASKS_FOR_P_VALUE = re.compile(r"(?:coefficient|statistic|correlation)\b.{0,40} and (?:the |its )?p-value")
_ASKS_FOR_NAME = re.compile(r"^(?:which|who|what is the name|name the|list the)\b")
_ALSO_ASKS = re.compile(r"\b(?:and|respectively|which|who|name|list|or|whether|describe|type|category|trend)\b|[,;]")
_NUMBER_WORDS = re.compile(
    r"\b(?:many|much|number|count|percentage|value|year|rate|total|average|score|rank|age|date|time|month|day|hour|range"
    r"|width|bin|threshold|quarter|decade|digit|group|version|price|amount|level|lag|k|id|code|season|week)s?\b"
)
_NUMERIC = frozenset(FieldType) - {
    FieldType.TEXT,
    FieldType.FREE_TEXT,
    FieldType.CATEGORY,
    FieldType.YES_NO,
    FieldType.MONTH,
    FieldType.WEEKDAY,
}
_PURE_NUMBER = frozenset({FieldType.INTEGER, FieldType.DECIMAL, FieldType.PERCENT, FieldType.CURRENCY})


def check_gold(task: Task) -> Iterator[AuditFinding]:
    """Yield what is wrong with the gold of a task."""
    text = canonical(task.answer)
    spec = compile_spec(task.answer, task.answer_guidelines, task.question)
    reason = _why_no_answer(text, spec)
    if reason:
        yield finding(DefectClass.GOLD_NOT_AN_ANSWER, task, f"{reason}: {task.answer}")
    for breach in spec.breaches:
        yield finding(DefectClass.GOLD_AGAINST_GUIDELINE, task, f"{breach}: {task.answer}")
    if Breach.PARTS in spec.breaches and not reason:
        wanted = stated_parts(spec.rules.guideline, spec.separator)
        if len(spec.fields) < min(wanted):
            evidence = f"{len(spec.fields)} of {min(wanted)} parts: {task.answer}"
            yield finding(DefectClass.GOLD_INCOMPLETE, task, evidence)
    if (unsorted := _not_alphabetical(task, spec)) is not None:
        yield finding(DefectClass.GOLD_AGAINST_GUIDELINE, task, f"not in alphabetical order: {unsorted}")
    if not reason:
        yield from _free_text(task, spec)
        yield from _other_kind(task, spec)


def _why_no_answer(text: str, spec: AnswerSpec) -> str | None:
    if is_abstention(text) or has_no_value(text):
        return "the gold declines to answer"
    if _TELLS_WHAT_TO_GIVE.search(text):
        return "the gold tells what an answer should be"
    if any(field.alternatives for field in spec.fields) or "must explicitly" in spec.rules.guideline:
        return None
    words, guideline = _WORD.findall(text), " ".join(_WORD.findall(spec.rules.guideline))
    runs = (" ".join(words[at : at + _SHARED_WORDS]) for at in range(len(words) - _SHARED_WORDS + 1))
    is_repeated = any(run in guideline for run in runs if not any(map(str.isdigit, run)))
    return "the gold repeats its guideline" if is_repeated else None


def _not_alphabetical(task: Task, spec: AnswerSpec) -> str | None:
    """Return the texts of a gold that its guideline wants in alphabetical order and that are not."""
    if "alphabetical" not in spec.rules.guideline or "reverse" in spec.rules.guideline:
        return None
    texts = [field.text for field in spec.fields if field.type in {FieldType.TEXT, FieldType.CATEGORY}]
    if any(":" in text for text in texts):
        return None
    if len(texts) == 1 and "," in texts[0]:
        texts = [part.strip() for part in texts[0].split(",")]
    if len(texts) < 2 or len(texts) not in {len(spec.fields), 1 + task.answer.count(",")}:  # noqa: PLR2004 a pair
        return None
    keys = ["".join(filter(str.isalnum, text)) for text in texts]
    return None if keys == sorted(keys) or texts == sorted(texts) else "; ".join(texts)


def _free_text(task: Task, spec: AnswerSpec) -> Iterator[AuditFinding]:
    for field in spec.fields:
        if field.type is FieldType.FREE_TEXT and f"'{value_of(field.text)}'" not in spec.rules.guideline:
            yield finding(DefectClass.FREE_TEXT, task, field.text)
            return


def value_of(text: str) -> str:
    """Return what stands after a leading `label: `."""
    label, colon, value = text.partition(": ")
    return value if colon else label


def _other_kind(task: Task, spec: AnswerSpec) -> Iterator[AuditFinding]:
    """Compare what a short question asks for with what the gold holds."""
    question = spec.rules.asked
    kinds = {field.type for field in spec.fields}
    if _ASKS_FOR_NUMBER.match(question) and not _ALSO_ASKS.search(question) and not kinds & _NUMERIC:
        yield finding(DefectClass.QUESTION_ANSWER_MISMATCH, task, f"asks for a number, the gold is {task.answer}")
    asks_for_name = _ASKS_FOR_NAME.match(question) and not _NUMBER_WORDS.search(question)
    if asks_for_name and kinds <= _PURE_NUMBER:
        yield finding(DefectClass.QUESTION_ANSWER_MISMATCH, task, f"asks for a name, the gold is {task.answer}")
    if _ASKS_FOR_P_VALUE.search(question) and len(spec.fields) == 1 and "p-value" not in spec.rules.guideline:
        evidence = f"the question asks for a p-value too, the gold is {task.answer}"
        yield finding(DefectClass.GOLD_INCOMPLETE, task, evidence)
    asked = {word.removesuffix("s") for word in _LETTERS.findall(question)}
    wanted = {word.removesuffix("s") for field in spec.fields for word in _LETTERS.findall(field.name)}
    strangers = wanted & _THINGS
    if strangers and asked & _THINGS and not strangers & asked:
        there, here = ", ".join(sorted(strangers)), ", ".join(sorted(asked & _THINGS))
        evidence = f"the guideline wants {there}, the question asks about {here}"
        yield finding(DefectClass.QUESTION_ANSWER_MISMATCH, task, evidence)


_THINGS = frozenset(
    (
        "industry timezone company team player school product brand artist song language vaccine street director"
        " platform airport university course author publisher"
    ).split()
)
"""Nouns for what data are about; a guideline that asks for another of them than its question is suspicious."""
