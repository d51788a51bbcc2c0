"""What is wrong with the words of a task: leaked answers, hidden notebooks, notes, other scripts, vague wording."""

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal

from coda_bench.answers.quantities import Number
from coda_bench.answers.spec import AnswerSpec, compile_spec
from coda_bench.answers.text import canonical
from coda_bench.records.answer_spec import FieldType
from coda_bench.records.audit import AuditFinding, DefectClass
from coda_bench.records.task import Task
from coda_bench.tasks.audit.finding import finding
from coda_bench.tasks.audit.golds import value_of

_FILE = re.compile(r"[\w-]+\.(?:csv|tsv|xlsx?|json|parquet|feather|sqlite3?|db|txt|npy|geojson|shp)\b")
_APPROXIMATE = re.compile(
    r"\b(?:approximate(?:ly)?|roughly|about what|around what)\b(?!,? (?:[0-9]|half|one|two|three|the (?:central|top)))"
)
_HIDDEN = re.compile(
    r"\b(?:(?:stated|described|mentioned|noted|concluded|highlighted|discussed|suggested|according to)"
    r" (?:in|by|to)?\s?(?:the )?(?:notebook|author|analysis|text|summary|commentary|conclusions?|report|markdown)"
    r"|in (?:the|this) (?:notebook|kernel)\b|analysis (?:states?|summary|concludes?)"
    r"|notebook'?s? (?:author|text|states?)"
    r"|is (?:stated|recommended)|limit stated|recommended (?:\w+ ){0,3}action"
    r"|(?:cleaning|what) action is (?:taken|recommended))"
)
_HIDDEN_IN_GUIDELINE = re.compile(
    r"found in the analysis|as (?:stated|described|noted) in the (?:analysis|notebook|text)"
)
_HIDDEN_IN_CODE = re.compile(
    r"(?:notebook|markdown|author|text|analysis)(?:'s (?:text|conclusion|markdown))? (?:explicitly )?"
    r"(?:states|says|mentions|notes|concludes|stated|asserts)|what is stated|in the markdown"
)
_USUAL_SCRIPTS = ("LATIN", "GREEK", "MICRO", "MASC", "FEM")
_NUMBER = re.compile(r"(?<![\w.])[0-9]{1,30}(?:,[0-9]{3}){0,9}(?:\.[0-9]{1,30})?(?![\w])")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
_TEXTS = frozenset({FieldType.TEXT, FieldType.FREE_TEXT})
_FEWEST_WORDS = 5
_TELLING_DIGITS = 3
_TELLING_LETTERS = 4
_NOTE_SHARE = 0.25


def check_wording(task: Task) -> Iterator[AuditFinding]:
    """Yield what is wrong with the words of a task."""
    spec = compile_spec(task.answer, task.answer_guidelines, task.question)
    if (note := _annotators_note(task.question)) is not None:
        yield finding(DefectClass.ANNOTATOR_NOTE, task, note)
    for name, text in (("question", task.question), ("guideline", task.answer_guidelines), ("gold", task.answer)):
        if foreign := foreign_letters(text):
            yield finding(DefectClass.NON_ENGLISH, task, f"{name}: {foreign}")
    if found := _FILE.search(spec.rules.asked):
        yield finding(DefectClass.FILE_NAMED, task, found[0])
    if found := _APPROXIMATE.search(spec.rules.asked):
        yield finding(DefectClass.APPROXIMATE_WORDING, task, _around(spec.rules.asked, found))
    yield from _hidden(task, spec)
    if (leak := _leak(spec)) is not None:
        yield finding(DefectClass.LEAKED_ANSWER, task, leak)


def foreign_letters(text: str) -> str:
    """Return the letters of a text that belong to another script than Latin or Greek."""
    letters = [letter for letter in text if not letter.isascii() and letter.isalpha()]
    foreign = [
        one
        for one in letters
        if not unicodedata.name(one, "LATIN").startswith(("LATIN", "GREEK", "MICRO", "MASC", "FEM"))
    ]
    return "".join(foreign)


def _annotators_note(question: str) -> str | None:
    """Return a question that is no question: blank, mostly in another script, or a handful of words."""
    words = _LATIN_WORD.findall(question)
    foreign = foreign_letters(question)
    is_short = len(words) < _FEWEST_WORDS and "?" not in question
    if is_short or len(foreign) > _NOTE_SHARE * max(1, len(question)):
        return question.strip() or "the question is blank"
    return None


def _around(text: str, found: re.Match[str]) -> str:
    return text[max(0, found.start() - 40) : found.end() + 40]


def _hidden(task: Task, spec: AnswerSpec) -> Iterator[AuditFinding]:
    found = _HIDDEN.search(spec.rules.asked)
    if found:
        yield finding(DefectClass.HIDDEN_NOTEBOOK, task, _around(spec.rules.asked, found))
        return
    if in_guideline := _HIDDEN_IN_GUIDELINE.search(spec.rules.guideline):
        yield finding(DefectClass.HIDDEN_NOTEBOOK, task, _around(spec.rules.guideline, in_guideline))
        return
    code = canonical(task.reference_code)
    in_code = _HIDDEN_IN_CODE.search(code)
    texts = [field.text for field in spec.fields if field.type in _TEXTS and field.text.count(" ") > 1]
    if in_code and any(f'"{text}"' in code or f"'{text}'" in code for text in texts):
        yield finding(DefectClass.HIDDEN_NOTEBOOK, task, _around(code, in_code))


def _leak(spec: AnswerSpec) -> str | None:
    """Return the part of the gold that stands in question or guideline where it is not a choice or an echo."""
    for field in spec.fields:
        quoted = f"'{value_of(field.text)}'"
        is_telling = field.type in _TEXTS and len(field.text) >= _TELLING_LETTERS
        if is_telling and quoted in spec.rules.guideline and not field.alternatives and quoted not in spec.rules.asked:
            return f"the guideline quotes {field.text}"
    asked, told = (numbers_in(text) for text in (spec.rules.asked, spec.rules.guideline))
    for field in spec.fields:
        numbers = [token for token in field.tokens if isinstance(token, Number)]
        is_alone = len(numbers) == len(field.tokens) == 1 and field.type is not FieldType.YEAR
        if is_alone and _is_telling(numbers[0]) and abs(numbers[0].value) in asked | told:
            return f"{field.text} stands in the {'question' if abs(numbers[0].value) in asked else 'guideline'}"
    return None


def numbers_in(text: str) -> frozenset[Decimal]:
    """Return the numbers of a text, without their signs."""
    return frozenset(Decimal(found.replace(",", "")) for found in _NUMBER.findall(text))


def _is_telling(number: Number) -> bool:
    digits = str(abs(number.value)).replace(".", "").lstrip("0").rstrip("0")
    return len(digits) >= _TELLING_DIGITS
