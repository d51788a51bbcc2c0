"""Defects that only show when tasks are set beside one another: repeated, conflicting and over-represented ones."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from coda_bench.answers.fieldtype import YEARS
from coda_bench.answers.text import canonical
from coda_bench.answers.verdict import judge
from coda_bench.records.audit import AuditFinding, DefectClass
from coda_bench.records.task import Task
from coda_bench.tasks.audit.finding import finding

_WORD = re.compile(r"[^\W\d_]+|[0-9][0-9,.]*")
_NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][\w-]*|'[^']+'|\"[^\"]+\"")
_SILENT = frozenset(
    (
        "a an the of in on for to and or is are was were be by with from at as that this these those what which who "
        "how many much does do did has have had each per their its it all any among using use based dataset data set "
        "column columns value values given following respectively calculate determine identify find total number "
        "count there case record accident incident occurrence recorded reported occurred occur represent frequency "
        "figure within between during after before than more most out up reading observation entry"
    ).split()
)
"""Words, in the singular, that do not tell two questions apart."""
_SAME_WORD = {"daily": "day", "frequent": "frequency", "recorded": "record", "countries": "country", "cities": "city"}
_ALIKE = 0.75
_LONGEST_RARE = 40
"""A word in more questions than this starts no comparison."""
_SHARE_OF_NOTEBOOK = 0.015
_FEWEST_OF_NOTEBOOK = 10
_SHARE_OF_COMMUNITY = 0.10


def check_together(tasks: Sequence[Task]) -> Iterator[AuditFinding]:
    """Yield the defects of a file's tasks as a whole."""
    yield from _repeated(tasks)
    yield from _alike(tasks)
    yield from _same_answers(tasks)
    yield from _over_represented(tasks)


def _repeated(tasks: Iterable[Task]) -> Iterator[AuditFinding]:
    by_question: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        by_question[canonical(task.question)].append(task)
    for question, group in by_question.items():
        if len(group) < 2:  # noqa: PLR2004 a pair
            continue
        yield finding(DefectClass.EXACT_DUPLICATE, group, question)
        first = group[0]
        if any(not (_agrees(first, other) or _agrees(other, first)) for other in group[1:]):
            evidence = " against ".join(task.answer for task in group)
            yield finding(DefectClass.CONTRADICTING_GOLDS, group, f"{evidence}: {question}")


class _Question:
    """A question as sets, for comparing many of them."""

    def __init__(self, task: Task) -> None:
        self.task = task
        words = (word for word in _WORD.findall(task.question.lower()) if word not in _SILENT)
        self.words = frozenset(map(_stem, words)) - _SILENT
        self.numbers = frozenset(word.strip(".,") for word in _WORD.findall(task.question) if word[0].isdigit())
        self.names = frozenset(name.strip("'\"").lower() for name in _NAME.findall(task.question))


def _stem(word: str) -> str:
    return _SAME_WORD.get(word, word.rstrip(".,").removesuffix("s"))


def _alike(tasks: Sequence[Task]) -> Iterator[AuditFinding]:
    """Yield pairs of questions with nearly the same words, numbers and names, whose golds differ."""
    questions = [_Question(task) for task in tasks]
    for one, other in sorted(_candidates(questions)):
        first, second = questions[one], questions[other]
        if not _asks_the_same(first, second):
            continue
        is_one = _is_part(first.task, second.task) or _agrees(first.task, second.task)
        if not (is_one or _agrees(second.task, first.task)):
            evidence = f"{first.task.answer} against {second.task.answer}: {first.task.question}"
            yield finding(DefectClass.CONFLICTING_DUPLICATES, (first.task, second.task), evidence)


def _candidates(questions: Sequence[_Question]) -> set[tuple[int, int]]:
    """Return pairs of places of one community that share a rare word."""
    by_word: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, question in enumerate(questions):
        for word in question.words:
            by_word[question.task.release_community, word].append(place)
    rare = (places for places in by_word.values() if len(places) <= _LONGEST_RARE)
    return {pair for places in rare for pair in combinations(places, 2)}


def _asks_the_same(first: _Question, second: _Question) -> bool:
    if first.numbers != second.numbers or first.names ^ second.names:
        return False
    both = first.words | second.words
    return bool(both) and len(first.words & second.words) / len(both) >= _ALIKE


def _agrees(task: Task, other: Task) -> bool:
    return judge(other.answer, task.answer, task.answer_guidelines, question=task.question).ea


def _is_part(task: Task, other: Task) -> bool:
    """Whether all parts of one gold are parts of the other's: one question then asks for more."""
    parts, others = ({part.strip() for part in canonical(one.answer).split(";")} for one in (task, other))
    return parts <= others or others <= parts


def _same_answers(tasks: Iterable[Task]) -> Iterator[AuditFinding]:
    by_answer: dict[tuple[str, str], list[Task]] = defaultdict(list)
    for task in tasks:
        if _is_telling(task.answer):
            by_answer[task.release_community, canonical(task.answer)].append(task)
    for group in by_answer.values():
        if len(group) > 1:
            yield finding(DefectClass.SAME_ANSWER, group, group[0].answer)


def _is_telling(answer: str) -> bool:
    """Whether two tasks hardly have an answer in common by chance."""
    digits = "".join(filter(str.isdigit, answer)).strip("0")
    if answer.strip().isdigit() and int(answer) in YEARS:
        return False
    return len(digits) > 3 or (";" in answer and len(answer) > 12)  # noqa: PLR2004 four digits, a pair of names


def _over_represented(tasks: Sequence[Task]) -> Iterator[AuditFinding]:
    limit = max(_FEWEST_OF_NOTEBOOK, _SHARE_OF_NOTEBOOK * len(tasks))
    for notebook, n in sorted(Counter(task.notebook for task in tasks).items()):
        if notebook and n >= limit:
            group = [task for task in tasks if task.notebook == notebook]
            yield finding(DefectClass.OVER_REPRESENTED, group, f"notebook {notebook}: {n} of {len(tasks)} tasks")
    for community, n in sorted(Counter(task.release_community for task in tasks).items()):
        if len(tasks) > n > max(_FEWEST_OF_NOTEBOOK, _SHARE_OF_COMMUNITY * len(tasks)):
            group = [task for task in tasks if task.release_community == community]
            yield finding(DefectClass.OVER_REPRESENTED, group, f"{community}: {n} of {len(tasks)} tasks")
