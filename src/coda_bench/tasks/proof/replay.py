"""Replay: a stored proof shown again, from nothing but the proof and the community's files."""

import ast
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from coda_bench.errors import BadInput
from coda_bench.layout import file_sha256
from coda_bench.records.anchor import StatementId
from coda_bench.records.proof import Decoy, Effect, Proof, Without
from coda_bench.sandbox.analysis_env import AnalysisEnvironment
from coda_bench.tasks.execution.execute import CellSource
from coda_bench.tasks.execution.room import Room
from coda_bench.tasks.proof import checks
from coda_bench.tasks.proof.program import Program
from coda_bench.tasks.proof.staging import inside
from coda_bench.tasks.proof.trial import Lab


class Finding(NamedTuple):
    """One claim of a proof, and whether it holds today."""

    claim: str
    holds: bool
    detail: str = ""


def replay(
    proof: Proof, data: Path, environment: AnalysisEnvironment, others: Sequence[AnalysisEnvironment] = ()
) -> list[Finding]:
    """Run everything that a proof says once more.

    Args:
        proof: as it is stored.
        data: the community's `full_community`.
        environment: the generation that the proof was made in.
        others: those that it was tried in beside.

    Raises:
        BadInput: a file of the proof is missing.
        SandboxError: this machine cannot run it.
    """
    files = _files(proof, data)
    found = [Finding(f"file {path}", same, "" if same else "has another content") for path, same in files]
    lab = Lab(Room(data, proof.datasets, proof.folder), environment, 120.0)
    one = checks.Tried(_program(proof), frozenset(path for path, _ in files))
    held = checks.held([one], lab)[0]
    expected = set(one.program.expected())
    found.append(Finding("sufficient", held.keys == expected, f"{len(held.keys)} of {len(expected)} parts"))
    found += [_needed(stored, now) for stored, now in zip(proof.necessary, checks.without([one], lab)[0], strict=True)]
    moved = {key for keys in held.moved.values() for key in keys}
    found.append(Finding("sensitive", moved >= expected, f"{len(moved & expected)} of {len(expected)} parts"))
    found += _elsewhere(proof, one, others, lab)
    return found + list(_decoys(proof, one, lab))


def _files(proof: Proof, data: Path) -> list[tuple[str, bool]]:
    return [(file.path, file_sha256(inside(data, file.path)) == file.sha256) for file in proof.files]


def _program(proof: Proof) -> Program:
    """Return the stored program, each statement at the place in its cell that it had in the notebook."""
    kept = [StatementId(*one) for one in proof.kept]
    cells = tuple(
        CellSource(cell.cell, _placed(cell.source, [one.position for one in kept if one.cell == cell.cell]))
        for cell in proof.program
    )
    return Program("replayed", cells, proof.statement_id, frozenset(kept), proof.candidates)


def _placed(source: str, positions: Sequence[int]) -> str:
    """Put `pass` where a cell had statements that the slice leaves out."""
    lines, placed, count = source.split("\n"), list[str](), 0
    for node, position in zip(ast.parse(source).body, positions, strict=True):
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
        placed += ["pass"] * (position - count)
        placed += lines[first - 1 : node.end_lineno]
        count = position + 1
    return "\n".join(placed)


def _needed(stored: Without, now: Without) -> Finding:
    return Finding(f"needs {stored.path}", now.effect is not Effect.SAME, f"without it: {now.effect}")


def _elsewhere(proof: Proof, one: checks.Tried, others: Sequence[AnalysisEnvironment], lab: Lab) -> list[Finding]:
    built = {other.lock_sha256: other for other in others}
    missing = [record for record in proof.elsewhere if record.environment_lock not in built]
    found = [Finding(f"generation {record.generation}", True, "not built here: not tried") for record in missing]
    wanted = [built[record.environment_lock] for record in proof.elsewhere if record.environment_lock in built]
    for record, differing in checks.elsewhere([one], wanted, lab)[0]:
        found.append(Finding(f"generation {record.generation}", not differing, str(record.effect)))
    return found


def _decoys(proof: Proof, one: checks.Tried, lab: Lab) -> list[Finding]:
    alike: dict[str, list[str]] = {}
    for decoy in proof.decoys:
        alike.setdefault(decoy.instead_of, []).append(decoy.path)
    again: dict[tuple[str, str], Decoy] = {
        (decoy.path, decoy.instead_of): decoy for decoy in checks.decoys(one, alike, lab)
    }
    pairs = [(stored, again[stored.path, stored.instead_of]) for stored in proof.decoys]
    return [Finding(f"decoy {old.path}", old.effect == now.effect, f"gives {now.effect}") for old, now in pairs]


def proof_of(row: object, *, where: str) -> Proof:
    """Return the proof of a provenance row.

    Raises:
        BadInput: there is none, or it cannot be read.
    """
    if row is None:
        raise BadInput(f"{where}: no proof is stored for this task: its gold was checked in another way")
    return Proof.from_stored(row, where=where)
