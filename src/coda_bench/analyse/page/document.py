"""The whole page: its head, its order, its notices; one file that needs nothing else."""

from importlib.resources import files

from coda_bench.analyse.evidence import Evidence
from coda_bench.analyse.outcomes import cells
from coda_bench.analyse.page.answers import answers_section
from coda_bench.analyse.page.files import files_section
from coda_bench.analyse.page.headline import effort_section, lede, machine_trouble, rates_section, span
from coda_bench.analyse.page.matrix import board, matrix_section
from coda_bench.analyse.page.settings import settings_section
from coda_bench.markup import Markup, element, join, quoted
from coda_bench.records.run import Setting

SECTIONS = {
    "rates": "Rates",
    "effort": "Effort",
    "matrix": "Task by task",
    "files": "Files opened",
    "answers": "Answers",
    "settings": "Settings",
}


def document(evidence: Evidence, *, with_golds: bool) -> str:
    """Return the report as HTML; equal evidence gives equal bytes."""
    runs = evidence.runs
    found = board({run.label: cells(run) for run in runs}, evidence, with_golds=with_golds)
    body = element(
        "main",
        _header(evidence),
        machine_trouble(runs),
        lede(runs),
        _golds_notice(with_golds=with_golds),
        rates_section(runs, evidence),
        effort_section(runs),
        matrix_section(found, evidence),
        files_section(evidence, with_golds=with_golds),
        answers_section(found, evidence),
        settings_section(runs),
    )
    return f"<!doctype html>\n{element('html', _head(evidence), element('body', body), lang='en')}\n"


def _head(evidence: Evidence) -> Markup:
    style = files("coda_bench.analyse.page").joinpath("style.css").read_text("utf-8")
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="robots", content="noindex"),
        element("title", f"Data and answers: {evidence.release_name}"),
        element("style", Markup(style)),
    )


def _header(evidence: Evidence) -> Markup:
    communities = {task.release_community for task in evidence.tasks}
    given = [len(run.config.instances) for run in evidence.runs]
    blind = all(run.config.setting is Setting.COMMUNITY for run in evidence.runs)
    told = join(
        "Release directory ",
        element("b", quoted(evidence.release_name, 80)),
        f": {len(evidence.tasks):,} tasks in {len(communities)} communities. "
        f"{len(evidence.runs)} agents were given {span(given)} of them, each attempt alone in a sandbox",
        " with the data of one community and a question that names no file." if blind else "; see the settings.",
    )
    links = [element("a", title, href=f"#{name}") for name, title in SECTIONS.items()]
    return element(
        "header",
        element("h1", "Did they find the data, and the answer?"),
        element("p", told),
        element("nav", links, aria_label="Sections"),
    )


def _golds_notice(*, with_golds: bool) -> Markup:
    if with_golds:
        text = "This page contains gold answers and target files: do not publish it with an unreleased benchmark."
        return element("p", element("b", "Contains golds. "), text, class_="notice", role="note")
    return element(
        "p",
        "Gold answers, target files, look-alikes and agents' answers are left out of this page.",
        class_="notice",
        role="note",
    )
