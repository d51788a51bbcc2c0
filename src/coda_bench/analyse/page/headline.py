"""The first sections: what was found in three sentences, rates with intervals, how attempts ended, what they cost."""

from collections.abc import Sequence

from coda_bench.analyse.effort import Effort, effort
from coda_bench.analyse.evidence import Evidence, FinishedRun
from coda_bench.analyse.outcomes import RATE_NAMES, Rate, hard_rates, rates
from coda_bench.analyse.page.figures import RateRow, draw_rates
from coda_bench.markup import Child, Markup, csv_link, element, join, quoted, table
from coda_bench.records.attempt import AttemptStatus
from coda_bench.records.scores import CommunityScore, Scores

RATE_TITLES = {
    "ea": ("EA", "the answer is right: typed comparison that follows the task's guideline"),
    "da_solution": ("DA_solution", "the final computation read exactly the target files"),
    "da_superset": ("DA_superset", "all target files were among the files opened; opening everything satisfies it"),
    "da_touched": ("DA_touched", "exactly the target files were opened, nothing else"),
    "ea_paper": ("ea_paper", "equal after removing white space and case and rounding to the gold's decimals"),
    "exact": ("coda_exact", "the released exact matcher"),
    "numeric": ("coda_numeric", "the released numeric matcher: it looks at numbers only"),
    "format_ok": ("format_ok", "the answer has the form the guideline asks for"),
}


def lede(runs: Sequence[FinishedRun]) -> Markup:
    """Return the findings in words, best agent first; runs without scores are left to the tables."""
    scored = [(run, found) for run in runs if (found := rates(run))["ea"] is not None]
    if not scored:
        return element("p", "No run in this report has been scored yet.", class_="lede")
    return element("ul", [element("li", _sentence(run, found)) for run, found in scored[:5]], class_="lede")


def _sentence(run: FinishedRun, found: dict[str, Rate | None]) -> Markup:
    right, files = found["ea"], found["da_solution"]
    told = join(element("b", quoted(run.label, 60)), f" answered {_of(right)} tasks right")
    if files is None or not files.n:
        return join(told, "; which files it used was not measured.")
    return join(told, f" and computed from exactly the right files in {_of(files)}.")


def _of(rate: Rate | None) -> str:
    return "none" if rate is None else f"{rate.correct:,} of {rate.n:,}"


def machine_trouble(runs: Sequence[FinishedRun]) -> Markup | None:
    """Return a notice of machine failures and missing attempts, or None when there were none."""
    lines = [line for run in runs if (line := _trouble(run, effort(run)))]
    if not lines:
        return None
    told = (
        "Attempts that the machine ended, or that never ran, count as wrong in every rate below. "
        "Repeating the run command repeats exactly these."
    )
    return element(
        "div",
        element("h2", "Not every attempt ran to its end"),
        element("p", told),
        element("ul", lines),
        class_="notice bad",
        role="note",
    )


def _trouble(run: FinishedRun, spent: Effort) -> Markup | None:
    told = []
    if spent.machine_failures:
        told.append(
            f"{spent.machine_failures:,} of {spent.planned:,} attempts ended by machine failure ({_failures(spent)})"
        )
    if spent.missing:
        told.append(f"{spent.missing:,} of {spent.planned:,} attempts are missing")
    if run.unreadable_lines:
        told.append(f"{run.unreadable_lines} journal lines were cut short and not counted")
    if run.scores is None:
        told.append("there is no scores.json: the run has not been scored")
    return element("li", element("b", quoted(run.label, 60)), ": ", "; ".join(told), ".") if told else None


def _failures(spent: Effort) -> str:
    failures = sorted((s, n) for s, n in spent.by_status.items() if s.is_machine_failure)
    return ", ".join(f"{status.value.replace('_', ' ')} {n}" for status, n in failures)


def rates_section(runs: Sequence[FinishedRun], evidence: Evidence) -> Markup:
    """Return the picture and the table of rates."""
    rows = [(run, rates(run)) for run in runs]
    drawing = draw_rates([RateRow(label=run.label, answer=r["ea"], files=r["da_solution"]) for run, r in rows])
    return element(
        "section",
        element("h2", "Who found the data, who found the answer"),
        element("figure", drawing, element("figcaption", _rates_caption(rows), " ", _rates_csv(rows))),
        element("h3", "All rates"),
        table(
            ["Agent", *[_rate_head(name) for name in RATE_NAMES]],
            [_rate_row(run, r) for run, r in rows],
            label="Rates of each agent",
            class_="rates",
        ),
        element(
            "p",
            "Each cell: percent, numerator/denominator, 95 % Wilson interval in percent. Missing attempts and machine "
            "failures without an answer count as wrong.",
            class_="small",
        ),
        _hard(runs, evidence),
        _by_community(runs),
        element("h3", "What the rates mean"),
        element(
            "dl",
            [(element("dt", title), element("dd", meaning)) for title, meaning in RATE_TITLES.values()],
            class_="terms",
        ),
        id="rates",
    )


def _rates_caption(rows: Sequence[tuple[FinishedRun, dict[str, Rate | None]]]) -> str:
    tasks = span([r["ea"].n for _, r in rows if r["ea"]])
    known = span([r["da_solution"].n for _, r in rows if r["da_solution"]])
    unmeasured = sum(len(run.scores.da_not_measured_ids) for run, _ in rows if run.scores)
    return (
        f"{len(rows)} agents. Points: share of tasks; lines: 95 % Wilson score intervals, which take tasks as "
        f"independent (tasks of one community are not quite). EA of n = {tasks} tasks; DA_solution of n = {known} "
        f"tasks with known targets and measured file access. Excluded from DA because access was not measured: "
        f"{unmeasured:,} attempts. Nothing is excluded from EA. Missing attempts and machine failures without an "
        "answer count against both."
    )


def span(values: Sequence[int]) -> str:
    """Return the one number, or the lowest and the highest."""
    if not values:
        return "0"
    low, high = min(values), max(values)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _rates_csv(rows: Sequence[tuple[FinishedRun, dict[str, Rate | None]]]) -> Markup:
    lines = []
    for run, found in rows:
        for name, rate in found.items():
            if rate is not None:
                low, high = rate.interval or (None, None)
                lines.append((run.label, RATE_TITLES[name][0], rate.correct, rate.n, rate.value, low, high))
    return csv_link("rates.csv", ("agent", "rate", "correct", "n", "share", "wilson_low", "wilson_high"), lines)


def _rate_head(name: str) -> Markup:
    title, meaning = RATE_TITLES[name]
    return element("th", title, scope="col", title=meaning, class_="n")


def _rate_row(run: FinishedRun, found: dict[str, Rate | None]) -> list[Child]:
    return [quoted(run.label, 60), *[_rate_cell(found[name]) for name in RATE_NAMES]]


def _rate_cell(rate: Rate | None) -> Markup:
    if rate is None or rate.value is None or rate.interval is None:
        return element("td", element("span", "not measured", class_="muted"), class_="n")
    low, high = rate.interval
    spread = element("small", f"{rate.correct:,}/{rate.n:,}", element("br"), f"{100 * low:.1f}\u2013{100 * high:.1f}")
    return element("td", element("b", f"{rate.value * 100:.1f} %"), element("br"), spread, class_="n")


def _hard(runs: Sequence[FinishedRun], evidence: Evidence) -> Markup | None:
    if evidence.hard_ids is None:
        return None
    rows = [(run, hard_rates(run, evidence)) for run in runs]
    body = [[quoted(run.label, 60), _rate_cell(r["ea"]), _rate_cell(r["da_solution"])] for run, r in rows]
    head = ["Agent", _rate_head("ea"), _rate_head("da_solution")]
    return join(
        element("h3", "Hard subset"),
        element(
            "p",
            f"{len(evidence.hard_ids)} tasks of the release are Hard: two or more target files and a long computation. "
            "Same rules and intervals as above.",
            class_="small",
        ),
        table(head, body, label="Rates on the Hard subset", class_="rates"),
    )


def _by_community(runs: Sequence[FinishedRun]) -> Markup | None:
    """Return EA and DA_solution community by community with their macro averages, or None for a single community."""
    scored = [(run, run.scores) for run in runs if run.scores]
    names = list(dict.fromkeys(one.release_community for _, scores in scored for one in scores.per_community))
    if len(names) < 2:  # noqa: PLR2004 - one community is the whole
        return None
    head = ["Agent", *[element("th", name, scope="col", class_="n") for name in ("macro average", *names)]]
    rows = [[quoted(run.label, 60), _macro(scores), *_communities(scores, names)] for run, scores in scored]
    told = (
        "Right answers, and below them DA_solution, over the tasks of each community. The macro average gives every "
        "community the same weight, however many tasks it has."
    )
    return join(
        element("h3", "By community"),
        table(head, rows, label="Rates by community", class_="rates"),
        element("p", told, class_="small"),
    )


def _macro(scores: Scores) -> Markup:
    files = scores.macro_da_solution_accuracy
    told = "DA not measured" if files is None else f"DA {100 * files:.1f} %"
    answers = element("b", f"EA {100 * scores.macro_ea_accuracy:.1f} %")
    return element("td", answers, element("br"), element("small", told), class_="n")


def _communities(scores: Scores, names: Sequence[str]) -> list[Markup]:
    found = {one.release_community: one for one in scores.per_community}
    return [_community(found.get(name)) for name in names]


def _community(one: CommunityScore | None) -> Markup:
    if one is None:
        return element("td", "\u00b7", class_="n muted")
    files = f"DA {one.da_solution_correct}/{one.da_n}" if one.da_n else "DA not measured"
    return element("td", f"EA {one.ea_correct}/{one.n_gold}", element("br"), element("small", files), class_="n")


def effort_section(runs: Sequence[FinishedRun]) -> Markup:
    """Return how attempts ended and what they cost."""
    rows = [(run, effort(run)) for run in runs]
    statuses = [status for status in AttemptStatus if any(status in spent.by_status for _, spent in rows)]
    head: list[Child] = [
        "Agent",
        *[_status_head(status) for status in statuses],
        element("th", "missing", scope="col", class_="n"),
        element("th", "planned", scope="col", class_="n"),
    ]
    spending = ["turns, mean", "tokens, mean", "cost, total", "seconds, median"]
    return element(
        "section",
        element("h2", "How attempts ended, and what they cost"),
        table(head, [_status_row(run, spent, statuses) for run, spent in rows], label="Attempts by status"),
        element(
            "p",
            "Striped: ended by the machine, not by the agent. Status is independent of whether the answer is right.",
            class_="small",
        ),
        table(
            ["Agent", *[element("th", title, scope="col", class_="n") for title in spending]],
            [_spent_row(run, spent) for run, spent in rows],
            label="Effort of each agent",
        ),
        element(
            "p",
            "Turns are model calls; tokens are input and output, cached input included; all per attempt. "
            "A cost is unknown when the price of any attempt is.",
            class_="small",
        ),
        id="effort",
    )


def _status_head(status: AttemptStatus) -> Markup:
    return element(
        "th", status.value.replace("_", " "), scope="col", class_="n machine" if status.is_machine_failure else "n"
    )


def _status_row(run: FinishedRun, spent: Effort, statuses: Sequence[AttemptStatus]) -> list[Child]:
    counts = [_count(spent.by_status.get(status, 0), bad=status.is_machine_failure) for status in statuses]
    return [quoted(run.label, 60), *counts, _count(spent.missing, bad=True), _count(spent.planned, bad=False)]


def _count(n: int, *, bad: bool) -> Markup:
    return element("td", f"{n:,}" if n else "·", class_="n machine" if bad and n else "n" if n else "n muted")


def _spent_row(run: FinishedRun, spent: Effort) -> list[Child]:
    values = (
        _number(spent.mean_turns, ".1f"),
        _number(spent.mean_tokens, ",.0f"),
        _cost(spent),
        _number(spent.median_seconds, ".1f"),
    )
    return [quoted(run.label, 60), *[element("td", value, class_="n") for value in values]]


def _number(value: float | None, form: str) -> str:
    return "no attempt" if value is None else format(value, form)


def _cost(spent: Effort) -> str:
    if not spent.attempts:
        return "no attempt"
    return f"unknown ({spent.unknown_costs:,} attempts)" if spent.cost_usd is None else f"${spent.cost_usd:,.2f}"
