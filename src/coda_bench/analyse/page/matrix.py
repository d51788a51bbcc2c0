"""Every agent at every task in one picture of small cells, community by community."""

from collections.abc import Iterator, Mapping, Sequence

from coda_bench.analyse.evidence import Evidence
from coda_bench.analyse.outcomes import Cell, Outcome
from coda_bench.markup import Child, Markup, csv_link, cut, element, quoted, scrolling
from coda_bench.records.record import Record
from coda_bench.records.task import Task

MARKS = {
    Outcome.RIGHT: ("✓", "r"),
    Outcome.WRONG: ("✕", "w"),
    Outcome.NO_ANSWER: ("\u2013", "a"),
    Outcome.MACHINE_FAILURE: ("!", "m"),
    Outcome.MISSING: ("?", "q"),
    Outcome.UNSCORED: ("…", "u"),
    Outcome.OUTSIDE: ("", "o"),
}
"""Sign and class of each outcome: told apart by sign as well as by colour."""

TASKS_PER_LINE = 36
MAX_TOLD_CELLS = 2_000
"""Above this many cells only the task numbers carry hover text, or the page would be too large to open."""


class Board(Record):
    """The outcomes of all runs: by run label, then by instance id."""

    rows: dict[str, dict[int, Cell]]
    tasks: tuple[Task, ...]
    """Tasks that any run planned, in file order."""
    with_golds: bool

    @property
    def is_large(self) -> bool:
        """Whether hover text and answers must be kept short."""
        return len(self.rows) * len(self.tasks) > MAX_TOLD_CELLS


def board(rows: Mapping[str, dict[int, Cell]], evidence: Evidence, *, with_golds: bool) -> Board:
    """Set out the outcomes over the tasks that any run touches."""
    touched = {id_ for row in rows.values() for id_ in row}
    tasks = tuple(task for task in evidence.tasks if task.instance_id in touched)
    return Board(rows=dict(rows), tasks=tasks, with_golds=with_golds)


def matrix_section(found: Board, evidence: Evidence) -> Markup:
    """Return the matrix with its legend and caption."""
    hard = evidence.hard_ids or frozenset()
    return element(
        "section",
        element("h2", "Task by task"),
        _legend(found),
        element(
            "figure",
            element(
                "div",
                [_community(*group, found, hard) for group in by_community(found.tasks).items()],
                class_="communities",
            ),
            element("figcaption", _caption(found), " ", _csv(found)),
        ),
        id="matrix",
    )


def by_community(tasks: Sequence[Task]) -> dict[str, list[Task]]:
    """Group tasks by community, communities and tasks in file order."""
    groups: dict[str, list[Task]] = {}
    for task in tasks:
        groups.setdefault(task.release_community, []).append(task)
    return groups


def _legend(found: Board) -> Markup:
    present = {cell.outcome for row in found.rows.values() for cell in row.values()}
    items = [_legend_item(outcome) for outcome in MARKS if outcome in present]
    files = element("li", element("span", "\u00a0", class_="cell f"), " bar: exactly the right files were used")
    return element("ul", items, files, class_="legend")


def _legend_item(outcome: Outcome) -> Markup:
    return element("li", mark(outcome), f" {outcome.value}")


def mark(outcome: Outcome) -> Markup:
    """Return the sign of an outcome in its colour."""
    sign, class_ = MARKS[outcome]
    return element("span", sign, class_=f"cell {class_}", role="img", aria_label=outcome.value)


def _caption(found: Board) -> str:
    cells = [cell for row in found.rows.values() for cell in row.values()]
    hover = "Task numbers show the question" if found.is_large else "Cells show question and answer"
    return (
        f"n = {len(found.tasks):,} tasks by {len(found.rows)} agents; {len(cells):,} cells planned, "
        f"{sum(c.outcome is Outcome.RIGHT for c in cells):,} right; no intervals (single attempts), nothing excluded. "
        f"{hover} when pointed at; a number leads to the task's answers below; bold numbers are Hard tasks. "
        "With several epochs the first is shown and scored."
    )


def _community(name: str, tasks: Sequence[Task], found: Board, hard: frozenset[int]) -> Markup:
    lines = [tasks[start : start + TASKS_PER_LINE] for start in range(0, len(tasks), TASKS_PER_LINE)]
    title = element("h3", name, element("small", f" {len(tasks):,} tasks"))
    return element("div", title, [_line(name, line, found, hard) for line in lines], class_="community")


def _line(name: str, tasks: Sequence[Task], found: Board, hard: frozenset[int]) -> Markup:
    head = element("tr", element("th", "task", scope="col", class_="agent"), [_number(task, hard) for task in tasks])
    rows = [element("tr", _row(label, cells, tasks, found)) for label, cells in found.rows.items()]
    grid = element("table", element("thead", head), element("tbody", rows), class_="matrix")
    first, last = tasks[0].instance_id, tasks[-1].instance_id
    return scrolling(grid, label=f"{name}, tasks {first} to {last}")


def _number(task: Task, hard: frozenset[int]) -> Markup:
    link = element("a", task.instance_id, href=f"#task-{task.instance_id}")
    return element(
        "th", link, scope="col", title=cut(task.question, 300), class_="hard" if task.instance_id in hard else None
    )


def _row(label: str, cells: Mapping[int, Cell], tasks: Sequence[Task], found: Board) -> Iterator[Child]:
    yield element("th", quoted(label, 40), scope="row", class_="agent", title=cut(label, 200))
    for task in tasks:
        cell = cells.get(task.instance_id) or Cell(outcome=Outcome.OUTSIDE)
        sign, class_ = MARKS[cell.outcome]
        told = None if found.is_large else _told(label, task, cell, with_golds=found.with_golds)
        yield element("td", sign, class_=f"{class_} f" if cell.used_targets else class_, title=told)


def _told(label: str, task: Task, cell: Cell, *, with_golds: bool) -> str:
    lines = [f"{cut(label, 60)}, task {task.instance_id}: {cell.outcome.value}", cut(task.question, 160)]
    if with_golds and cell.answer.strip():
        lines.append(f"answered: {cut(cell.answer, 80)}")
    if cell.status and cell.status.value not in ("answered", "no_answer"):
        lines.append(f"ended: {cell.status.value.replace('_', ' ')}")
    return "\n".join(lines)


def _csv(found: Board) -> Markup:
    rows = (
        (task.instance_id, task.release_community, *(_outcome_of(row, task.instance_id) for row in found.rows.values()))
        for task in found.tasks
    )
    return csv_link("tasks.csv", ("instance_id", "community", *found.rows), rows)


def _outcome_of(row: Mapping[int, Cell], instance_id: int) -> str:
    return row[instance_id].outcome.value if instance_id in row else Outcome.OUTSIDE.value
