"""`coda-bench image`: the image of the sandbox's containers."""

from enum import StrEnum
from typing import Annotated

import typer

from coda_bench.cli.console import console, errors, guarded, print_json
from coda_bench.records.run import Backend
from coda_bench.sandbox import analysis_env
from coda_bench.sandbox.container import engine as engines
from coda_bench.sandbox.container import image

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Make the image that sandboxes in containers of Docker or Podman start from.",
)


class EngineName(StrEnum):
    """A container engine."""

    DOCKER = "docker"
    PODMAN = "podman"


EngineOption = Annotated[EngineName, typer.Option(help="The container engine.")]


@app.command()
@guarded
def build(
    engine: EngineOption = EngineName.DOCKER,
    base: Annotated[
        str | None,
        typer.Option(help="Base image with apt; without it, this machine's distribution is bootstrapped (as root)."),
    ] = None,
) -> None:
    """Make the image: this distribution's packages, no Python of its own, nothing of the benchmark. About a minute."""
    found = engines.find(Backend(engine.value))
    made = image.build(found, base=base, progress=lambda text: errors.print(text, markup=False))
    version = image.check(found, made, analysis_env.find("current"))
    console.print(f"{made.name} {made.id} (pandas {version} runs in it)", soft_wrap=True, markup=False)


@app.command("list")
@guarded
def list_images(
    engine: EngineOption = EngineName.DOCKER,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")] = False,
) -> None:
    """Say which image this release uses and what its content's id is. Exit code 2 when it has not been made."""
    found = engines.find(Backend(engine.value))
    made = image.find(found)
    if as_json:
        print_json({"engine": found.name, "version": found.version, "name": made.name, "id": made.id})
    else:
        console.print(f"{found.name} {found.version}: {made.name} {made.id}", soft_wrap=True, markup=False)
