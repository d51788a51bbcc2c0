"""`coda-bench prove`: the proof of a task, run again."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from coda_bench.cli.console import EXIT_FINDINGS, console, errors, guarded, print_json, visible
from coda_bench.errors import AnalysisEnvironmentMissing, BadInput
from coda_bench.layout import Release
from coda_bench.records.proof import Proof
from coda_bench.records.storage import read_json_lines
from coda_bench.records.targets import Provenance
from coda_bench.sandbox.analysis_env import GENERATIONS, AnalysisEnvironment, find
from coda_bench.tasks.proof.replay import Finding, proof_of, replay


@guarded
def prove_command(
    instances: Annotated[list[int], typer.Argument(help="Instance ids.", metavar="TASK…")],
    *,
    release: Annotated[Path, typer.Option(help="Release directory.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Run the proofs of tasks again: are their files enough and needed, do other libraries agree, do decoys differ?

    Each run is in a fresh sandbox that holds only the files named. Exit codes: 0 all of it holds; 1 something does not;
    2 unusable input or machine.
    """
    opened = Release.open(release)
    found: dict[int, list[Finding]] = {}
    for number in instances:
        community, proof = _proof(opened, number)
        own, others = _environments(proof)
        found[number] = replay(proof, opened.community_directory(community), own, others)
        errors.print(f"task {number}: {_verdict(found[number])}", markup=False)
    if as_json:
        print_json({str(number): [one._asdict() for one in rows] for number, rows in found.items()})
    else:
        for number, rows in found.items():
            _print(number, rows)
    if not all(one.holds for rows in found.values() for one in rows):
        raise typer.Exit(EXIT_FINDINGS)


def _proof(release: Release, number: int) -> tuple[str, Proof]:
    """Return a task's community and proof."""
    path = release.provenance_file
    communities = {task.instance_id: task.release_community for task in release.tasks()}
    for line, row in read_json_lines(path):
        provenance = Provenance.from_stored(row, where=f"{path}:{line}")
        if provenance.instance_id == number and number in communities:
            return communities[number], proof_of(provenance.proof, where=f"{path}:{line}")
    raise BadInput(f"{path}: no task {number}; `coda-bench tasks list --release {release.root}` shows the ids")


def _environments(proof: Proof) -> tuple[AnalysisEnvironment, list[AnalysisEnvironment]]:
    """Return the environment of a proof and the others that are built here.

    Raises:
        BadInput: its own was built from another lock.
    """
    run = proof.sufficient[0]
    own = find(run.generation)
    if own.lock_sha256 != run.environment_lock:
        errors.print(f"generation {run.generation} has another lock here than in the proof", style="yellow")
    others = []
    for generation in GENERATIONS:
        try:
            others.append(find(generation))
        except AnalysisEnvironmentMissing:
            continue
    return own, others


def _verdict(rows: list[Finding]) -> str:
    failing = [one.claim for one in rows if not one.holds]
    return f"does not hold: {', '.join(failing)}" if failing else f"{len(rows)} claims hold"


def _print(number: int, rows: list[Finding]) -> None:
    table = Table(title=f"task {number}", box=None, pad_edge=False, title_justify="left")
    for name in ("claim", "holds", "detail"):
        table.add_column(name, overflow="fold")
    for one in rows:
        table.add_row(visible(one.claim), "yes" if one.holds else "no", visible(one.detail))
    console.print(table)
