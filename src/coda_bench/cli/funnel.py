"""`coda-bench funnel`: how much of a corpus got how far, as a table and a picture."""

from pathlib import Path
from typing import Annotated

import typer

from coda_bench.cli.console import errors, guarded, print_json
from coda_bench.cli.making import funnel, print_funnel
from coda_bench.tasks.draw import draw_funnel


@guarded
def funnel_command(
    build: Annotated[Path, typer.Argument(help="Directory of `coda-bench build`.", metavar="BUILD")],
    *,
    picture: Annotated[Path | None, typer.Option(help="Draw it into this file (.png, .svg or .pdf).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show how many notebooks, cells and results got how far on the way to tasks, and why the others did not."""
    found = funnel(build)
    if picture is not None:
        draw_funnel(found, picture)
        errors.print(f"drawn: {picture}", markup=False)
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        print_funnel(found, build)
