"""The umbrella command `coda-bench`; each subcommand is imported only when it is called.

Running agents needs an engine that takes a second to import: `coda-bench --help` and the scoring
commands must not pay for it.
"""

from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from coda_bench import __version__


class Entry(NamedTuple):
    """Where a subcommand lives and what the overview says of it."""

    target: str
    """`module:attribute`, the attribute a function or a typer app."""
    summary: str
    panel: str


_START = "Start here"
_BUILD = "Build a benchmark"
_RUN = "Run agents"
_SCORE = "Score and report"

COMMANDS = {
    "demo": Entry("coda_bench.cli.demo:demo", "Build the demo benchmark, run baseline agents, score, report.", _START),
    "doctor": Entry(
        "coda_bench.cli.doctor:doctor", "Say what this machine can do and what to do about the rest.", _START
    ),
    "cleanup": Entry("coda_bench.cli.cleanup:cleanup", "Remove what killed runs left on this machine.", _START),
    "env": Entry("coda_bench.cli.env:app", "Build, list and remove the Python that agents find inside.", _START),
    "image": Entry("coda_bench.cli.image:app", "Make the image of sandboxes in containers.", _START),
    "data": Entry("coda_bench.cli.data:app", "Fetch, extract, verify, list and pack the communities.", _START),
    "kaggle": Entry(
        "coda_bench.cli.kaggle:kaggle", "Download notebooks and data sets of Kaggle at pinned versions.", _BUILD
    ),
    "build": Entry("coda_bench.cli.build:build_command", "Build a benchmark from notebooks and data sets.", _BUILD),
    "corpus": Entry("coda_bench.cli.corpus:corpus", "Read which notebooks use which data sets.", _BUILD),
    "communities": Entry(
        "coda_bench.cli.communities:communities", "Find, list, choose and draw communities of data sets.", _BUILD
    ),
    "environment": Entry(
        "coda_bench.cli.environment:environment", "Show what communities hold and how close their noise is.", _BUILD
    ),
    "profile": Entry("coda_bench.cli.profile:profile", "Say what data files hold, told by their content.", _BUILD),
    "prove": Entry("coda_bench.cli.prove:prove_command", "Run the proofs of tasks again.", _BUILD),
    "funnel": Entry("coda_bench.cli.funnel:funnel_command", "Show and draw how much of a corpus became tasks.", _BUILD),
    "targets": Entry(
        "coda_bench.cli.targets:targets_command", "Find which files reference programs read, for scoring DA.", _SCORE
    ),
    "tasks": Entry("coda_bench.cli.tasks:app", "List and show tasks; golds stay hidden unless asked for.", _RUN),
    "run": Entry("coda_bench.cli.run:run", "Run an agent over a release; repeat the command to continue.", _RUN),
    "shell": Entry("coda_bench.cli.shell:shell", "Open the sandbox of a task for a person.", _RUN),
    "track": Entry("coda_bench.cli.track:track", "Run any command and say which data files it opened.", _RUN),
    "replay": Entry(
        "coda_bench.cli.replay:replay_command", "Run saved solutions again: same answer, same files?", _SCORE
    ),
    "validate": Entry("coda_bench.cli.validate:validate", "Check a predictions file; every finding at once.", _SCORE),
    "evaluate": Entry("coda_bench.cli.evaluate:evaluate", "Score a predictions file: EA, and DA with targets.", _SCORE),
    "spec": Entry("coda_bench.cli.spec:spec", "Explain how answers to a task are judged; shows its gold.", _SCORE),
    "rescore": Entry(
        "coda_bench.cli.rescore:rescore", "Score finished runs or predictions anew and say what changed.", _SCORE
    ),
    "audit": Entry("coda_bench.cli.audit:audit", "Find defects of the tasks in a file; shows golds.", _SCORE),
    "report": Entry("coda_bench.cli.report:report", "Write the HTML report of finished runs.", _SCORE),
}


def load(entry: Entry, name: str) -> Any:
    """Import a subcommand and return it as a command the parser can call."""
    module, _, attribute = entry.target.partition(":")
    found = getattr(import_module(module), attribute)
    if isinstance(found, typer.Typer):
        return typer.main.get_command(found)
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command(name)(found)
    return typer.main.get_command(app)


class LazyGroup(TyperGroup):
    """A group that knows its subcommands by name and imports the one that is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names in the order of the overview."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a stand-in with the summary, enough for the overview and for spelling suggestions."""
        del ctx
        entry = COMMANDS.get(cmd_name)
        return entry and TyperCommand(cmd_name, help=entry.summary, rich_help_panel=entry.panel)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Replace the stand-in of the command that is really called."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, (load(COMMANDS[name], name) if name in COMMANDS else command), rest


app = typer.Typer(cls=LazyGroup, add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"coda-bench {__version__}")
        raise typer.Exit


@app.callback()
def overview(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Build and run CoDA-Bench-style benchmarks: find the right data, then compute the answer.

    An independent implementation of CoDA-Bench (arXiv 2606.15300); not related to Codabench, the competition platform.

    Exit codes: 0 done; 1 done with findings or with attempts missing; 2 unusable input or machine; 130 interrupted.
    """
    del version


def main() -> None:
    """Entry point of `coda-bench`."""
    app()
