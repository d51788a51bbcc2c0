"""`coda-bench run`: an agent over a release."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.table import Table

from coda_bench.cli.console import EXIT_FINDINGS, console, errors, guarded, print_json
from coda_bench.cli.evaluate import rate_table
from coda_bench.cli.run_progress import shown_on
from coda_bench.cli.scoring import score_run
from coda_bench.errors import BadInput
from coda_bench.layout import Release
from coda_bench.records.attempt import AttemptStatus
from coda_bench.records.record import first_problem
from coda_bench.records.run import LIMIT_PRESETS, Backend, Limits, Setting
from coda_bench.records.scores import Scores
from coda_bench.run.batch import RunSummary, run_batch
from coda_bench.run.plan import RunOptions, parse_instances
from coda_bench.run.prices import parse_prices
from coda_bench.sandbox.spec import BACKEND_VARIABLE

_SCALAR = re.compile(r"true|false|null|-?(0|[1-9]\d*)(\.\d+)?")
_WHAT, _LIMITS, _MODEL, _HOW = "What to run", "Limits of one attempt", "Model", "How to run"


def _option(panel: str, help_text: str = "", *, flag: str | None = None, least: float | None = None) -> Any:
    names = (flag,) if flag else ()
    return typer.Option(*names, help=help_text or None, min=least, rich_help_panel=panel)


_AGENTS = "reference, nothing, open-everything, command, keyword, react, or package.module:Class."
ReleaseOption = Annotated[Path, _option(_WHAT, "Release directory.")]
AgentOption = Annotated[str, _option(_WHAT, _AGENTS)]
AgentArgs = Annotated[
    list[str] | None, _option(_WHAT, "Argument of the agent, NAME=VALUE; repeat.", flag="--agent-arg")
]
SettingOption = Annotated[Setting, _option(_WHAT, "What the agent is told about the data.")]
Instances = Annotated[str | None, _option(_WHAT, "Instance ids, such as 1,2,5-9; default: all.")]
First = Annotated[int | None, _option(_WHAT, "Only the first N of them.", least=1)]
Epochs = Annotated[int, _option(_WHAT, "Attempts per task.", least=1)]
Environment = Annotated[str, _option(_WHAT, "Analysis environment: current or older.")]
Isolation = Annotated[
    Backend, typer.Option(help="What holds the commands.", envvar=BACKEND_VARIABLE, rich_help_panel=_HOW)
]
Preset = Annotated[str, _option(_LIMITS, "paper (600 s, 4 GB, 2 CPUs) or release (8 GB).")]
TimeLimit = Annotated[float | None, _option(_LIMITS, "Wall clock in seconds.", least=1)]
MemoryLimit = Annotated[int | None, _option(_LIMITS, "Memory of all its processes.", least=64)]
Cpus = Annotated[int | None, _option(_LIMITS, least=1)]
Processes = Annotated[int | None, _option(_LIMITS, least=8)]
Disk = Annotated[int | None, _option(_LIMITS, "Writable space.", least=1)]
Output = Annotated[int | None, _option(_LIMITS, "Output kept of each stream of a command.", least=1)]
Messages = Annotated[int | None, _option(_LIMITS, "Messages of the conversation.", least=1)]
TokenLimit = Annotated[int | None, _option(_LIMITS, "Tokens of the conversation.", least=1)]
Model = Annotated[str | None, _option(_MODEL, "Inspect's name of a model, such as openai/gpt-5.")]
BaseUrl = Annotated[str | None, _option(_MODEL, "Server of an OpenAI-compatible model.")]
ModelArgs = Annotated[
    list[str] | None, _option(_MODEL, "Argument of the model, NAME=VALUE; repeat.", flag="--model-arg")
]
Temperature = Annotated[float | None, _option(_MODEL, "Default: the model's own.", least=0)]
MaxTokens = Annotated[int | None, _option(_MODEL, "Most tokens of one answer of the model.", least=1)]
ModelRetries = Annotated[int, _option(_MODEL, "Repeats of one model call, with growing waits.", least=0)]
Prices = Annotated[list[str] | None, _option(_MODEL, "MODEL=INPUT,OUTPUT: USD per million; repeat.", flag="--price")]
MaxCost = Annotated[float | None, _option(_MODEL, "Start no attempt once so many USD are spent.", least=0)]
Jobs = Annotated[int | None, _option(_HOW, "Attempts at once; default: one per CPU, up to 4.", least=1)]
Retries = Annotated[int, _option(_HOW, "Repeats of an attempt that the machine ended.", least=0)]
Out = Annotated[Path | None, _option(_HOW, "Run directory; default: below runs/, the same again.")]
AsJson = Annotated[bool, _option(_HOW, "Print the summary as JSON.", flag="--json")]


@guarded
def run(
    release: ReleaseOption,
    agent: AgentOption,
    *,
    agent_arg: AgentArgs = None,
    setting: SettingOption = Setting.COMMUNITY,
    instances: Instances = None,
    limit: First = None,
    epochs: Epochs = 1,
    environment: Environment = "current",
    preset: Preset = "paper",
    time_limit: TimeLimit = None,
    memory_mb: MemoryLimit = None,
    cpus: Cpus = None,
    processes: Processes = None,
    disk_mb: Disk = None,
    output_kb: Output = None,
    sandbox: Isolation = Backend.BUBBLEWRAP,
    message_limit: Messages = None,
    token_limit: TokenLimit = None,
    model: Model = None,
    model_base_url: BaseUrl = None,
    model_arg: ModelArgs = None,
    temperature: Temperature = None,
    max_tokens: MaxTokens = None,
    model_retries: ModelRetries = 6,
    price: Prices = None,
    max_cost: MaxCost = None,
    jobs: Jobs = None,
    retries: Retries = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Run an agent over a release and score it; the same command again continues where the last one stopped.

    Exit codes: 0 all attempts made; 1 some are missing; 2 unusable input or machine; 130 Ctrl-C; 143 SIGTERM.
    """
    changed = {"time_s": time_limit, "memory_mb": memory_mb, "cpus": cpus, "processes": processes}
    options = _options(
        {"release": release, "agent": agent, "agent_args": _pairs(agent_arg, "--agent-arg")},
        {"setting": setting, "instances": parse_instances(instances) if instances else None, "limit": limit},
        {"epochs": epochs, "environment": environment, "sandbox": sandbox},
        {"message_limit": message_limit, "token_limit": token_limit},
        {"limits": _limits(preset, {**changed, "disk_mb": disk_mb, "output_kb": output_kb})},
        {"model": model, "model_base_url": model_base_url, "model_args": _scalars(_pairs(model_arg, "--model-arg"))},
        {"temperature": temperature, "max_tokens": max_tokens},
        {"prices": parse_prices(price or []), "max_cost_usd": max_cost, "retries": retries, "out": out},
        {"model_retries": model_retries, **({"jobs": jobs} if jobs else {})},
    )
    with shown_on(errors) as observer:
        summary = run_batch(options, observer)
    scores = None if summary.interrupted_by else score_run(Path(summary.directory), Release.open(release))
    if as_json:
        print_json(summary.model_dump(mode="json") | {"scores": scores and scores.to_row()})
    else:
        _print(summary, scores)
    _leave(summary)


def _options(*groups: dict[str, Any]) -> RunOptions:
    fields = {name: value for group in groups for name, value in group.items()}
    try:
        return RunOptions(**fields)
    except ValidationError as error:
        raise BadInput(f"option {first_problem(error)}") from error


def _limits(preset: str, changed: dict[str, Any]) -> Limits:
    if preset not in LIMIT_PRESETS:
        raise BadInput(f"--preset {preset}: choose one of {', '.join(LIMIT_PRESETS)}")
    return LIMIT_PRESETS[preset].model_copy(update={name: value for name, value in changed.items() if value})


def _pairs(texts: Sequence[str] | None, option: str) -> dict[str, str]:
    texts = texts or []
    pairs = dict(text.split("=", 1) for text in texts if "=" in text)
    if len(pairs) < len(texts):
        raise BadInput(f"{option}: write NAME=VALUE, each name once")
    return pairs


def _scalars(pairs: Mapping[str, str]) -> dict[str, Any]:
    """Read numbers and true or false as such: the engine's models are particular about types."""
    return {name: json.loads(text) if _SCALAR.fullmatch(text) else text for name, text in pairs.items()}


def _print(summary: RunSummary, scores: Scores | None) -> None:
    if scores:
        console.print(rate_table(scores))
        console.print()
    table = Table(box=None, pad_edge=False)
    table.add_column("attempts ended as")
    table.add_column("count", justify="right")
    for status, count in sorted(summary.progress.statuses.items()):
        table.add_row(_status_words(status), str(count))
    console.print(table)
    progress = summary.progress
    cost = f"{progress.cost_usd:.4f} USD" + ("" if progress.cost_complete else " known, some prices are unknown")
    console.print(f"{progress.done} of {progress.total} attempts done, {summary.seconds:.1f} s, {cost}", markup=False)
    console.print(f"run directory: {summary.directory}", markup=False, soft_wrap=True)


def _status_words(status: AttemptStatus) -> str:
    words = status.value.replace("_", " ")
    return f"{words} (the machine's failure, not scored)" if status.is_machine_failure else words


def _leave(summary: RunSummary) -> None:
    if summary.missing:
        shown = ", ".join(str(instance) for instance, _ in summary.missing[:10])
        more = " …" if len(summary.missing) > 10 else ""  # noqa: PLR2004  # as many as fit a line
        errors.print(f"{len(summary.missing)} attempts are missing (tasks {shown}{more})", style="yellow")
        if summary.budget_reached:
            errors.print("the spending limit is reached; repeat with a higher --max-cost to continue")
        else:
            errors.print("repeat the command to continue")
    if summary.interrupted_by:
        raise typer.Exit(128 + summary.interrupted_by)
    if summary.missing:
        raise typer.Exit(EXIT_FINDINGS)
