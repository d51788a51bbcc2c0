"""The answers to every task, equal ones together, beside the gold where golds may be shown."""

from collections.abc import Sequence
from typing import NamedTuple

from coda_bench.analyse.evidence import Evidence
from coda_bench.analyse.outcomes import Cell, Outcome
from coda_bench.analyse.page.matrix import Board, mark
from coda_bench.markup import Child, Markup, element, quoted, table
from coda_bench.records.scores import Reason
from coda_bench.records.task import Task

SHOWN_NAMES = 6


def answers_section(found: Board, evidence: Evidence) -> Markup:
    """Return one row a task: question, gold, target files, and who answered what."""
    hard = evidence.hard_ids or frozenset()
    head = ["Task", "Question", *(["Gold and target files"] if found.with_golds else []), "Answers"]
    rows = [_row(task, found, evidence, hard) for task in found.tasks]
    told = "Equal answers stand together. Answers are shown as the agents wrote them, long ones cut."
    if not found.with_golds:
        told = "Golds, target files and answers are left out of this report: a right answer would give the gold away."
    return element(
        "section",
        element("h2", "Questions and answers"),
        element("p", told, class_="small"),
        table(head, rows, label="Questions and answers", class_="answers"),
        id="answers",
    )


def _row(task: Task, found: Board, evidence: Evidence, hard: frozenset[int]) -> list[Child]:
    tag = element("small", element("br"), "Hard") if task.instance_id in hard else None
    place = element("small", element("br"), task.release_community)
    number = element("th", task.instance_id, place, tag, scope="row", id=f"task-{task.instance_id}")
    question = element("td", quoted(task.question, 240 if found.is_large else 1_500))
    gold = [_gold(task, evidence)] if found.with_golds else []
    return [number, question, *gold, element("ul", _groups(task.instance_id, found), class_="plain")]


def _gold(task: Task, evidence: Evidence) -> Markup:
    targets = evidence.targets.get(task.instance_id)
    files = [element("li", quoted(path, 160)) for path in targets or ()] or element("li", "targets not known")
    return element(
        "td", element("b", quoted(task.answer, 300)), element("ul", files, class_="plain paths"), class_="gold"
    )


class _Group(NamedTuple):
    """What equal answers share: how they are marked, what they say, and why they failed."""

    outcome: Outcome
    answer: str
    why: str


def _groups(instance_id: int, found: Board) -> list[Markup]:
    """Return one item for each different answer, in the order of the agents."""
    groups: dict[_Group, list[str]] = {}
    for label, row in found.rows.items():
        if instance_id in row:
            groups.setdefault(_group(row[instance_id], with_golds=found.with_golds), []).append(label)
    limit = 5 if found.is_large else len(groups)
    items = [_item(group, labels, found) for group, labels in list(groups.items())[:limit]]
    return items if len(groups) <= limit else [*items, element("li", f"and {len(groups) - limit} other answers")]


def _group(cell: Cell, *, with_golds: bool) -> _Group:
    if not with_golds:
        return _Group(cell.outcome, "", "")
    return _Group(cell.outcome, cell.answer.strip(), _why(cell))


def _why(cell: Cell) -> str:
    """Return the error, or the scorer's reason where it says more than the mark does."""
    if cell.outcome is Outcome.RIGHT or cell.reason in (Reason.WRONG_VALUE, Reason.MATCH):
        return cell.error or ""
    return cell.error or (cell.reason.replace("_", " ") if cell.reason and cell.outcome is Outcome.WRONG else "")


def _item(group: _Group, labels: Sequence[str], found: Board) -> Markup:
    told = element("b", quoted(group.answer, 80 if found.is_large else 200)) if group.answer else group.outcome.value
    why = (": ", quoted(group.why, 160)) if group.why else ()
    return element("li", mark(group.outcome), " ", told, " ", element("small", _names(labels), why))


def _names(labels: Sequence[str]) -> Child:
    shown = ", ".join(labels[:SHOWN_NAMES])
    return element("bdi", shown if len(labels) <= SHOWN_NAMES else f"{shown} and {len(labels) - SHOWN_NAMES} more")
