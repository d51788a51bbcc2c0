"""`coda-bench demo`: the whole path on this machine: release, runs, scores, report."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.table import Table
from rich.text import Text

from coda_bench.analyse.report import write_report
from coda_bench.cli.console import EXIT_FINDINGS, EXIT_SIGNAL, console, errors, guarded, print_json
from coda_bench.cli.demo_release import build_demo_release
from coda_bench.cli.run_progress import duration, shown_on
from coda_bench.cli.scoring import score_run
from coda_bench.demo.notebook_sources import older_generations
from coda_bench.errors import AnalysisEnvironmentMissing, AnalysisEnvironmentNotBuilt, MissingExtra
from coda_bench.layout import Release
from coda_bench.records.run import Limits
from coda_bench.records.scores import Scores
from coda_bench.run.batch import RunSummary, run_batch
from coda_bench.run.local_model import local_model, model_file
from coda_bench.run.plan import RunOptions
from coda_bench.run.prices import Price
from coda_bench.sandbox import analysis_env
from coda_bench.sandbox.analysis_env import AnalysisEnvironment

BASELINES = ("reference", "keyword", "open-everything", "nothing")
LOCAL_MODEL_TASKS = 3
"""The local model is there to show the path of a model, not to be ranked: a few tasks show it."""
LINE_EVERY_S = 5.0


class Finished(NamedTuple):
    """One agent's run, scored."""

    agent: str
    summary: RunSummary
    scores: Scores


class Stopwatch:
    """Seconds by stage, in the order of the stages."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time the block and announce it."""
        errors.print(f"── {name}", style="bold", markup=False)
        start = time.monotonic()
        yield
        self.seconds[name] = round(time.monotonic() - start, 1)


@guarded
def demo(
    *,
    out: Annotated[Path, typer.Option(help="Directory for release, runs and report.")] = Path("demo-output"),
    jobs: Annotated[int, typer.Option(min=1, help="Attempts at once.")] = 2,
    model: Annotated[bool, typer.Option(help="Let a small local model take part, if it is installed.")] = True,
    json: Annotated[bool, typer.Option("--json", help="Print paths, rates and times as JSON.")] = False,
) -> None:
    """Build the demo benchmark, run baseline agents in sandboxes, score them, write the report.

    A small language model takes part when the extra `local` and its model file are installed.
    Repeating the command continues or reuses what is there.

    Exit codes: 0 done and the baselines are where they must be; 1 they are not, or attempts are missing;
    2 the machine or the installation cannot do it.
    """
    watch = Stopwatch()
    with watch.stage("analysis environments"):
        _ensure_environments()
    with watch.stage("demo release"), _counting() as progress:
        release = build_demo_release(out / "release", progress=progress)
    finished = [_run(name, release, out / "runs" / name, jobs=jobs, watch=watch) for name in BASELINES]
    if model and _has_local_model():
        with local_model(threads=jobs) as served:
            options = _react_options(release, out / "runs" / "react", served.base_url)
            finished.append(_finish("react", options, release, watch))
    with watch.stage("report"):
        report = write_report(
            [Path(one.summary.directory) for one in finished], release.root, out / "report.html"
        ).resolve()
    problems = [problem for one in finished for problem in broken_promises(one)]
    _show(finished, problems, report=report, seconds=watch.seconds, as_json=json)
    if problems:
        raise typer.Exit(EXIT_FINDINGS)


def _ensure_environments() -> None:
    """Build what is missing: agents find the current one inside, and some notebook of the corpus needs the older.

    Without the older one, as where a new Python has no packages of then, that notebook is not run; the release is the
    same.
    """
    _say(str(_ensured("current").root))
    for generation in older_generations():
        try:
            _say(str(_ensured(generation).root))
        except AnalysisEnvironmentNotBuilt as error:
            _say(f"going on without the {generation} generation: {error}")


def _ensured(generation: str) -> AnalysisEnvironment:
    try:
        return analysis_env.find(generation)
    except AnalysisEnvironmentMissing:
        return analysis_env.build(generation, progress=_say)


def _say(line: str) -> None:
    errors.print(line, markup=False)


@contextmanager
def _counting() -> Iterator[Callable[[str], None]]:
    """Yield what shows quickly changing lines: one that renews itself on a terminal, now and then one elsewhere."""
    if errors.is_terminal:
        with errors.status("") as status:
            yield lambda line: status.update(Text(line))
        return
    last = [-LINE_EVERY_S]

    def now_and_then(line: str) -> None:
        if time.monotonic() - last[0] >= LINE_EVERY_S:
            last[0] = time.monotonic()
            _say(line)

    yield now_and_then


def _has_local_model() -> bool:
    try:
        model_file()
    except MissingExtra as missing:
        _say(f"no model takes part: {missing}")
        return False
    return True


def _run(agent: str, release: Release, directory: Path, *, jobs: int, watch: Stopwatch) -> Finished:
    return _finish(agent, RunOptions(release=release.root, agent=agent, out=directory, jobs=jobs), release, watch)


def _react_options(release: Release, directory: Path, base_url: str) -> RunOptions:
    name = "openai-api/local/smollm2"
    return RunOptions(
        release=release.root,
        agent="react",
        out=directory,
        model=name,
        model_base_url=base_url,
        model_args={"api_key": "not-needed"},
        prices={name: Price(input=0, output=0)},
        limit=LOCAL_MODEL_TASKS,
        limits=Limits(time_s=120),
        message_limit=8,
        max_tokens=120,
        jobs=1,
    )


def _finish(agent: str, options: RunOptions, release: Release, watch: Stopwatch) -> Finished:
    with watch.stage(f"run {agent}"):
        with shown_on(errors) as observer:
            summary = run_batch(options, observer)
        if summary.interrupted_by:
            raise typer.Exit(EXIT_SIGNAL + summary.interrupted_by)
        return Finished(agent, summary, score_run(Path(summary.directory), release))


def broken_promises(one: Finished) -> list[str]:
    """Return in words what a baseline did not do that it must do on any sound benchmark."""
    scores = one.scores
    n, da_n = scores.n_gold, scores.da_n
    wanted: dict[str, list[tuple[str, bool]]] = {
        "reference": [
            ("EA must be 100 %", scores.ea_correct == n),
            ("DA_solution must be 100 %", scores.da_solution_correct == n),
            ("DA_superset must be 100 %", scores.da_superset_correct == n),
        ],
        "nothing": [("EA must be 0", scores.ea_correct == 0)],
        "open-everything": [
            ("EA must be 0", scores.ea_correct == 0),
            ("DA_superset must be 100 %", scores.da_superset_correct == n),
            ("DA_solution must be 0", scores.da_solution_correct == 0),
        ],
        "keyword": [
            ("EA must lie between 0 and 100 %", 0 < scores.ea_correct < n),
            ("DA_solution must lie between 0 and 100 %", 0 < scores.da_solution_correct < da_n),
        ],
    }
    broken = [f"{one.agent}: {promise}" for promise, kept in wanted.get(one.agent, []) if not kept]
    if one.summary.missing:
        broken.append(f"{one.agent}: {len(one.summary.missing)} attempts are missing or ended by the machine")
    return broken


def _show(
    finished: list[Finished], problems: list[str], *, report: Path, seconds: dict[str, float], as_json: bool
) -> None:
    if as_json:
        rows = [{"agent": one.agent, "run": one.summary.directory, **_rates(one.scores)} for one in finished]
        print_json({"report": str(report), "runs": rows, "seconds": seconds, "problems": problems})
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("agent", "EA", "DA_solution", "DA_superset", "DA_touched"):
        table.add_column(heading, justify="left" if heading == "agent" else "right")
    for one in finished:
        table.add_row(one.agent, *(f"{correct}/{n}" for correct, n in _rates(one.scores).values()))
    console.print(table)
    first = seconds["analysis environments"]
    rest = sum(seconds.values()) - first
    console.print(f"analysis environments {duration(first)}, everything else {duration(rest)}", markup=False)
    for problem in problems:
        errors.print(f"not as it must be: {problem}", style="bold red", markup=False)
    console.print(Text(f"report: {report}"), soft_wrap=True)


def _rates(scores: Scores) -> dict[str, tuple[int, int]]:
    """Return the four headline rates as numerator and denominator."""
    return {
        "ea": (scores.ea_correct, scores.n_gold),
        "da_solution": (scores.da_solution_correct, scores.da_n),
        "da_superset": (scores.da_superset_correct, scores.da_n),
        "da_touched": (scores.da_touched_correct, scores.da_n),
    }
