"""`coda-bench env`: build, list and remove the Python that agents find inside."""

import shutil
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from coda_bench.cli.console import console, errors, guarded, print_json
from coda_bench.sandbox import analysis_env

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Build, list and remove the Python that agents find inside every sandbox at /opt/analysis.",
)


class Choice(StrEnum):
    """A generation of the analysis environment, or all of them."""

    CURRENT = "current"
    OLDER = "older"
    OLDEST = "oldest"
    ALL = "all"

    @property
    def generations(self) -> tuple[str, ...]:
        """The generations meant."""
        return analysis_env.GENERATIONS if self is Choice.ALL else (self.value,)


Generation = Annotated[
    Choice,
    typer.Option(
        help="`current` has pandas 3 and NumPy 2, `older` pandas 2.2 and NumPy 1.26, `oldest` "
        "pandas 1.5 and NumPy 1.24; answers differ between them."
    ),
]


@app.command()
@guarded
def build(
    generation: Generation = Choice.CURRENT,
    force: Annotated[bool, typer.Option("--force", help="Build anew what is there already.")] = False,
) -> None:
    """Build the environment: a copy of this Python and the locked packages. About a minute and 1 GB each."""
    for name in generation.generations:
        environment = analysis_env.build(name, force=force, progress=_say)
        console.print(f"{name}: {environment.root}", soft_wrap=True, markup=False)


@app.command("list")
@guarded
def list_environments(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")] = False,
) -> None:
    """List what is built, with the lock each was built from; one of an outdated lock is not used any more."""
    rows = [_row(root) for root in analysis_env.built()]
    if as_json:
        print_json(rows)
        return
    columns = ("generation", "python_version", "pandas", "numpy", "packages", "mebibytes", "in_use")
    table = Table("generation", "Python", "pandas", "NumPy", "packages", "MiB", "in use")
    for row in rows:
        table.add_row(*(str(row[column]) for column in columns))
    console.print(table)
    for row in rows:
        console.print(str(row["directory"]), soft_wrap=True, markup=False)
    for name in analysis_env.GENERATIONS:
        if not any(row["generation"] == name and row["in_use"] for row in rows):
            errors.print(f"{name}: not built; run `coda-bench env build --generation {name}`", markup=False)


@app.command()
@guarded
def remove(generation: Generation = Choice.ALL) -> None:
    """Remove built environments, also those of outdated locks and what killed builds left."""
    gone = [path for name in generation.generations for path in analysis_env.remove(name)]
    for path in gone:
        console.print(f"removed {path}", soft_wrap=True, markup=False)
    if not gone:
        console.print("nothing to remove")


def _row(root: Path) -> dict[str, str | int | bool]:
    manifest = analysis_env.read_manifest(root)
    return {
        "generation": manifest.generation,
        "python_version": manifest.python_version,
        "pandas": manifest.packages.get("pandas", ""),
        "numpy": manifest.packages.get("numpy", ""),
        "packages": len(manifest.packages),
        "mebibytes": sum(path.lstat().st_size for path in root.rglob("*")) >> 20,
        "in_use": root == analysis_env.directory(manifest.generation),
        "directory": str(root),
        "lock_sha256": manifest.lock_sha256,
        "built_at": manifest.built_at.isoformat(),
    }


def _say(line: str) -> None:
    width = shutil.get_terminal_size().columns
    errors.print(line[: width - 1] if errors.is_terminal else line, markup=False)
