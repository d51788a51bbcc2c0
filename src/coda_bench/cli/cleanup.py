"""`coda-bench cleanup`: remove what killed runs left on this machine."""

from pathlib import Path
from typing import Annotated

import typer

from coda_bench.cli.console import EXIT_FINDINGS, console, guarded, print_json
from coda_bench.sandbox.cleanup import find, remove


@guarded
def cleanup(
    places: Annotated[
        list[Path] | None,
        typer.Argument(help="Directories where half-made folders may lie, such as that of a release.", metavar="DIR"),
    ] = None,
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what is left and leave it.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")] = False,
) -> None:
    """Remove what killed runs left: processes, mounts, control groups, half-made folders.

    Another user's things and those of a run that goes on are never touched. Exit codes: 0 nothing is left; 1 something
    is, since `--dry-run` was given or it cannot be removed.
    """
    outcomes = [(found, "left" if dry_run else remove(found)) for found in find(places or ())]
    if as_json:
        print_json({"leftovers": [found.model_dump() | {"problem": problem} for found, problem in outcomes]})
    else:
        for found, problem in outcomes:
            word = "left   " if dry_run else "kept   " if problem else "removed"
            why = f" ({problem})" if problem and not dry_run else ""
            console.print(f"{word} {found.kind} {found.where}: {found.detail}{why}", markup=False, soft_wrap=True)
        if not outcomes:
            console.print("Nothing is left of killed runs.")
    if any(problem for _, problem in outcomes):
        raise typer.Exit(EXIT_FINDINGS)
