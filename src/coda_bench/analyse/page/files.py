"""Files opened against targets: the picture, and the look-alikes that took the attention."""

from collections.abc import Mapping, Sequence

from coda_bench.analyse.evidence import Evidence
from coda_bench.analyse.opened import SWEEP_SHARE, LookAlike, OpenedFiles, Unmeasured, look_alikes, opened_files
from coda_bench.analyse.page.figures import draw_opened
from coda_bench.layout import counts_for_discovery
from coda_bench.markup import Child, Markup, csv_link, element, join, quoted, table

SHOWN = 4


def files_section(evidence: Evidence, *, with_golds: bool) -> Markup:
    """Return the picture of files opened against targets and, with golds, the look-alikes: they tell what is none."""
    placed, unplaced = opened_files(evidence)
    labels = [run.label for run in evidence.runs]
    return element(
        "section",
        element("h2", "How much was opened to find the targets"),
        _figure(placed, unplaced, labels, evidence) if placed else _nothing(unplaced),
        _look_alikes(placed, evidence) if placed and with_golds else None,
        id="files",
    )


def _figure(
    placed: Sequence[OpenedFiles], unplaced: Mapping[str, Unmeasured], labels: Sequence[str], evidence: Evidence
) -> Markup:
    drawn = [label for label in labels if any(attempt.label == label for attempt in placed)]
    size = _largest_community(evidence)
    rows = [(a.label, a.instance_id, a.epoch, a.opened, a.found, a.targets, a.used_targets) for a in placed]
    header = ("agent", "instance_id", "epoch", "files_opened", "targets_opened", "targets", "used_exactly_the_targets")
    caption = element("figcaption", _caption(placed, unplaced, size), " ", csv_link("files_opened.csv", header, rows))
    return element("figure", draw_opened(placed, drawn, size), caption)


def _largest_community(evidence: Evidence) -> int:
    return max((sum(map(counts_for_discovery, files)) for files in evidence.hashes.values()), default=0)


def _caption(placed: Sequence[OpenedFiles], unplaced: Mapping[str, Unmeasured], size: int) -> str:
    whole = f" Dotted line: every file of the largest community ({size:,})." if size else ""
    return (
        f"n = {len(placed):,} attempts with measured file access, in places by number of files opened (above ten in "
        "classes of the log scale) and by how many of the task's targets were among them; area and number: attempts. "
        "Diamonds: the final computation read exactly the targets; circles: it read others, or none."
        f"{whole} Identical copies count as their target. Counts, so no intervals. Excluded: {_excluded(unplaced)}."
    )


def _excluded(unplaced: Mapping[str, Unmeasured]) -> str:
    reasons = (
        ("without known targets", sum(u.without_targets for u in unplaced.values())),
        ("without file access", sum(u.without_access for u in unplaced.values())),
        ("with incomplete file access", sum(u.incomplete for u in unplaced.values())),
    )
    told = ", ".join(f"{n:,} {reason}" for reason, n in reasons if n)
    return told or "none"


def _nothing(unplaced: Mapping[str, Unmeasured]) -> Markup:
    return element("p", f"No attempt has both known targets and measured file access. Excluded: {_excluded(unplaced)}.")


def _look_alikes(placed: Sequence[OpenedFiles], evidence: Evidence) -> Markup:
    found = look_alikes(placed, evidence)
    sweeps = sum(attempt.sweep for attempt in placed)
    told = (
        f"Of the {sweeps:,} attempts that opened {100 * SWEEP_SHARE:.0f} % of their community or more, only files that "
        "the final computation read are counted, and none where that read as much."
    )
    title = element("h3", "Look-alikes opened most")
    if not found:
        return join(title, element("p", f"No file but targets. {told}"))
    head: list[Child] = [
        "File",
        element("th", "opened", class_="n"),
        element("th", "used", class_="n"),
        "Agents",
        "Tasks",
        "Targets of these tasks",
    ]
    rows = [_look_alike(file) for file in found]
    note = "Files that are no target of the task, by attempts that opened them and whose final computation read them."
    return join(
        title, table(head, rows, label="Look-alikes", class_="paths"), element("p", f"{note} {told}", class_="small")
    )


def _look_alike(file: LookAlike) -> list[Child]:
    tasks = [element("a", id_, href=f"#task-{id_}") for id_ in file.tasks[:SHOWN]]
    listed: list[Child] = [part for task in tasks for part in (task, " ")]
    agents = ", ".join(file.agents[:SHOWN])
    return [
        quoted(file.path, 160),
        element("td", file.opened, class_="n"),
        element("td", file.used or "·", class_="n"),
        quoted(agents, 160)
        if len(file.agents) <= SHOWN
        else join(quoted(agents, 160), f" and {len(file.agents) - SHOWN} more"),
        join(listed, f"and {len(file.tasks) - SHOWN} more" if len(file.tasks) > SHOWN else None),
        _targets(file.targets),
    ]


def _targets(paths: Sequence[str]) -> Markup:
    more = f"and {len(paths) - SHOWN} more" if len(paths) > SHOWN else None
    return join([(quoted(path, 160), element("br")) for path in paths[:SHOWN]], more)
