"""The audit as one HTML page that needs nothing beside it; every text of a task is escaped."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from coda_bench.markup import Markup, element, join
from coda_bench.records.audit import Audit, AuditFinding, DefectClass
from coda_bench.records.task import Task

_STYLE = """
:root { color-scheme: light dark; --line: #8886; --soft: #8882; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { line-height: 1.2; } h2 { margin-top: 2.5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.evidence { overflow-wrap: anywhere; }
details { border-bottom: 1px solid var(--line); padding: .4rem 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem .8rem; margin: .5rem 0; }
dt { font-weight: 600; } dd { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; min-width: 0; }
.tag { font-size: .85em; padding: .05rem .4rem; border: 1px solid var(--line); border-radius: .6rem; }
.fatal { background: #c2253a; color: #fff; border-color: #c2253a; }
.serious { background: #b45309; color: #fff; border-color: #b45309; }
.notice { background: var(--soft); padding: .6rem .9rem; border-radius: .4rem; }
@media (max-width: 34rem) { .says { display: none; } }
@media (max-width: 34rem) { dl { grid-template-columns: 1fr; } td, th { padding-right: .5rem; } }
"""


def audit_page(audit: Audit, tasks: Sequence[Task], *, title: str) -> str:
    """Return the page: a table of the classes, then every finding with its tasks, golds shown."""
    by_id = {task.instance_id: task for task in tasks}
    by_class: dict[DefectClass, list[AuditFinding]] = defaultdict(list)
    for finding in audit.findings:
        by_class[finding.defect].append(finding)
    head = join(
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", Markup(_STYLE)),
    )
    body = join(
        element("h1", title),
        element("p", _summary(audit)),
        element("p", "This page shows golds: keep it away from agents and from training data.", class_="notice"),
        _class_table(audit, by_class),
        *(_section(defect, findings, by_id) for defect, findings in by_class.items()),
    )
    document = element("html", element("head", head), element("body", body), lang="en")
    return f"<!doctype html>\n{document}\n"


def _summary(audit: Audit) -> str:
    n_fatal = len(audit.fatal_ids)
    return (
        f"{audit.n_tasks} tasks, {len(audit.findings)} findings; {n_fatal} tasks with a fatal one, which the view "
        f"“sound” leaves out. Audit version {audit.audit_version}. Rules find them: each is a hint with its evidence, "
        "not a proof."
    )


def _class_table(audit: Audit, by_class: dict[DefectClass, list[AuditFinding]]) -> Markup:
    rows = [
        element(
            "tr",
            element("td", element("a", defect.value, href=f"#{defect.value}")),
            element("td", _tag(defect)),
            element("td", len(audit.ids_of(defect)), class_="n"),
            element("td", defect.meaning, class_="says"),
        )
        for defect in by_class
    ]
    heads = element(
        "tr",
        element("th", "class"),
        element("th", "severity"),
        element("th", "tasks", class_="n"),
        element("th", "says"),
    )
    return element("div", element("table", heads, *rows), class_="scroll")


def _tag(defect: DefectClass) -> Markup:
    return element("span", defect.severity.value, class_=f"tag {defect.severity.value}")


def _section(defect: DefectClass, findings: Sequence[AuditFinding], by_id: dict[int, Task]) -> Markup:
    return join(
        element("h2", defect.value, " ", _tag(defect), id=defect.value),
        element("p", defect.meaning),
        *(_finding(finding, by_id) for finding in findings),
    )


_MOST_TASKS = 6


def _finding(finding: AuditFinding, by_id: dict[int, Task]) -> Markup:
    ids = ", ".join(map(str, finding.instance_ids[:_MOST_TASKS]))
    more = len(finding.instance_ids) - _MOST_TASKS
    heading = f"{ids}{f' and {more} more' if more > 0 else ''}: "
    shown = [by_id[id_] for id_ in finding.instance_ids[:_MOST_TASKS] if id_ in by_id]
    return element(
        "details",
        element("summary", element("b", heading), element("span", finding.evidence, class_="evidence")),
        *(element("dl", *_task(task)) for task in shown),
    )


def _task(task: Task) -> Iterator[Markup]:
    for name, text in (
        ("task", f"{task.instance_id} ({task.release_community}, {task.notebook})"),
        ("question", task.question),
        ("guideline", task.answer_guidelines),
        ("gold", task.answer),
    ):
        yield element("dt", name)
        yield element("dd", text)
