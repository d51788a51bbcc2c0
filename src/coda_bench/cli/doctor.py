"""`coda-bench doctor`: what this machine can do, and what to do about the rest."""

from typing import Annotated

import typer

from coda_bench.cli.console import EXIT_FINDINGS, console, guarded, print_json
from coda_bench.sandbox.doctor import examine


@guarded
def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")] = False,
) -> None:
    """Say what this machine can do and what to do about the rest.

    Really starts a sandbox and runs a tracked command in it. Exit codes: 0 all is well; 1 something is missing.
    """
    checks = examine()
    well = all(check.ok for check in checks)
    if as_json:
        print_json({"ok": well, "checks": [check.model_dump() for check in checks]})
    else:
        width = max(len(check.name) for check in checks)
        for check in checks:
            mark = "[green]ok     [/]" if check.ok else "[red]missing[/]"
            console.print(f"{mark} {check.name:{width}}  ", end="")
            console.print(check.detail, markup=False, soft_wrap=True)
            if check.remedy:
                console.print(f"        {'':{width}}  {check.remedy}", markup=False, soft_wrap=True)
        console.print("This machine can run agents." if well else "See the remedies above, then run doctor again.")
    if not well:
        raise typer.Exit(EXIT_FINDINGS)
