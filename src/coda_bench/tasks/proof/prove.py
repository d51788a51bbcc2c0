"""Prove: from the results that a notebook displays to proofs of those that a few statements and files decide.

A proof says: these files and these statements are enough (two runs under different conditions), each file is needed,
other generations of the libraries agree, and the result moves with the data. What falls on the way has its reason.
"""

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from coda_bench.layout import file_sha256
from coda_bench.records.anchor import Candidate, Repair, StatementId, Unfit
from coda_bench.records.proof import Decoy, Effect, Elsewhere, Fallen, ProgramCell, Proof, Without
from coda_bench.records.targets import DataFile
from coda_bench.sandbox.analysis_env import AnalysisEnvironment
from coda_bench.tasks.anchors.rules import fit_leaves, unfit
from coda_bench.tasks.execution.execute import CellSource
from coda_bench.tasks.execution.room import Room
from coda_bench.tasks.proof import checks
from coda_bench.tasks.proof.program import Key, Program, lines_of
from coda_bench.tasks.proof.settle import Bench, Settled, settle
from coda_bench.tasks.proof.trial import Lab
from coda_bench.tasks.slicing.flow import Flow, Statement, read_flow
from coda_bench.tasks.slicing.names import effects

MOST_ROUNDS = 6
"""Of leaving out files that turn out not to be needed."""
MOST_DECOYS = 12
"""Of one file."""


class Given(NamedTuple):
    """What proofs of one notebook are made from."""

    notebook: str
    cells: tuple[CellSource, ...]
    room: Room
    environment: AnalysisEnvironment
    others: tuple[AnalysisEnvironment, ...] = ()
    """Other generations."""
    alike: Callable[[str, Sequence[str]], Sequence[str]] = lambda _file, _sources: ()
    """Files of the community that have the columns that statements use of a file."""
    limit_s: float = 120.0
    """Seconds that a program may take."""
    repairs: tuple[Repair, ...] = ()
    """What was replaced in the cells."""


class Proven(NamedTuple):
    """What came of the displayed values of one notebook."""

    proofs: tuple[Proof, ...]
    fallen: tuple[Fallen, ...]


def prove(candidates: Sequence[Candidate], given: Given) -> Proven:
    """Prove what can be proven of a notebook's displayed values.

    Raises:
        SandboxError: this machine cannot run the notebook's statements.
    """
    flow = read_flow(given.cells)
    programs = _programs(candidates, given)
    settled = settle(programs, flow, Bench(given.room, given.environment, given.limit_s))
    fallen = [
        Fallen(candidate=candidate, why=Unfit.UNPROVEN)
        for one in programs
        for candidate in one.candidates
        if one.name not in settled or candidate.place not in _places(settled[one.name].program)
    ]
    by_id = {statement.id: statement for statement in flow.statements}
    ready = []
    for one in settled.values():
        kept, fell = _by_rules(one, by_id, flow)
        fallen += fell
        if kept is not None:
            ready.append(kept)
    proofs, fell = _checked(ready, by_id, given)
    return Proven(tuple(sorted(proofs, key=lambda one: one.statement)), tuple(fallen + fell))


def _places(program: Program) -> set[object]:
    return {candidate.place for candidate in program.candidates}


def _programs(candidates: Iterable[Candidate], given: Given) -> list[Program]:
    by_statement: dict[StatementId, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        by_statement[candidate.place.statement].append(candidate)
    return [
        Program(f"c{target.cell}-s{target.position}", given.cells, target, frozenset(), tuple(found))
        for target, found in sorted(by_statement.items())
    ]


def _sources(kept: Iterable[StatementId], statements: Mapping[StatementId, Statement]) -> list[str]:
    return [one.source for one in statements.values() if one.id in set(kept)]


def _by_rules(
    settled: Settled, statements: Mapping[StatementId, Statement], flow: Flow
) -> tuple[Settled | None, list[Fallen]]:
    """Take out displayed values, and parts of them, that are unfit."""
    program, kept, fallen = settled.program, [], []
    reads = bool(settled.outcome.files | settled.silent)
    for candidate in program.candidates:
        sources = _needed_by(candidate, program, statements, flow)
        why = unfit(candidate, sources, reads=reads)
        leaves, none = fit_leaves(candidate, sources) if why is None else ([], why)
        if none is not None:
            fallen.append(Fallen(candidate=candidate, why=none))
        else:
            kept.append(candidate.model_copy(update={"leaves": tuple(leaves)}))
    if not kept:
        return None, fallen
    return settled._replace(program=program._replace(candidates=tuple(kept))), fallen


def _needed_by(
    candidate: Candidate, program: Program, statements: Mapping[StatementId, Statement], flow: Flow
) -> list[str]:
    """Return the statements that one displayed value needs, of those that its statement does."""
    try:
        names = effects(ast.parse(candidate.expression.strip(), mode="eval")).uses
    except SyntaxError:
        return _sources(program.kept, statements)
    needed = flow.slice_of(program.target, names=names) - {program.target}
    return _sources(program.kept & needed, statements)


class _Checked(NamedTuple):
    """A program on the files that it needs, with what was seen of it."""

    settled: Settled
    program: Program
    files: frozenset[str]
    moved: dict[str, set[Key]]
    necessary: tuple[Without, ...]
    elsewhere: tuple[Elsewhere, ...] = ()


def _checked(
    ready: Sequence[Settled], statements: Mapping[StatementId, Statement], given: Given
) -> tuple[list[Proof], list[Fallen]]:
    lab = Lab(given.room, given.environment, given.limit_s)
    held, fallen = _on_their_files(ready, lab)
    tried = [checks.Tried(one.program, one.files) for one in held]
    proofs = []
    for one, elsewhere in zip(held, checks.elsewhere(tried, given.others, lab), strict=True):
        made, fell = _judged(one, elsewhere)
        fallen += fell
        if made is not None:
            sources = _sources(made.program.kept, statements)
            alike = {file: tuple(given.alike(file, sources))[:MOST_DECOYS] for file in sorted(made.files)}
            decoys = checks.decoys(checks.Tried(made.program, made.files), alike, lab)
            proofs.append(_proof(made, decoys, statements, given))
    return proofs, fallen


def _on_their_files(ready: Sequence[Settled], lab: Lab) -> tuple[list[_Checked], list[Fallen]]:
    """Find the files that are enough and needed for each program, leaving out one file a round that is not."""
    done: list[_Checked] = []
    fallen: list[Fallen] = []
    waiting = [(one, checks.Tried(one.program, _proposed(one, lab))) for one in ready]
    for _ in range(MOST_ROUNDS):
        waiting, fell = _a_round(waiting, lab, done)
        fallen += fell
    for _, one in waiting:
        fallen += [Fallen(candidate=candidate, why=Unfit.UNFOUND_FILES) for candidate in one.program.candidates]
    return done, fallen


def _a_round(
    waiting: Sequence[tuple[Settled, checks.Tried]], lab: Lab, done: list[_Checked]
) -> tuple[list[tuple[Settled, checks.Tried]], list[Fallen]]:
    still, again, fallen = [], [], []
    for (settled, one), seen in zip(waiting, checks.held([one for _, one in waiting], lab), strict=True):
        kept = one.program.only(seen.keys)
        fallen += _lost(one.program, kept, Unfit.UNSTABLE)
        if kept.candidates and not one.files:
            fallen += _lost(kept, kept.only(()), Unfit.CONSTANT)
        elif kept.candidates:
            still.append((settled, checks.Tried(kept, one.files), seen.moved))
    effects = checks.without([one for _, one, _ in still], lab)
    for (settled, one, moved), row in zip(still, effects, strict=True):
        spare = [effect.path for effect in row if effect.effect is Effect.SAME]
        if spare:  # one at a time: two that stand in for one another may not both be left out
            again.append((settled, one._replace(files=one.files - {min(spare)})))
        else:
            done.append(_Checked(settled, one.program, one.files, moved, tuple(row)))
    return again, fallen


def _proposed(settled: Settled, lab: Lab) -> frozenset[str]:
    files = settled.outcome.files | settled.silent
    return frozenset(file for file in files if (lab.room.data / file).is_file())


def _lost(before: Program, after: Program, why: Unfit, detail: str = "") -> list[Fallen]:
    """Return the displayed values of which nothing is left."""
    left = _places(after)
    return [
        Fallen(candidate=candidate, why=why, detail=detail)
        for candidate in before.candidates
        if candidate.place not in left
    ]


def _judged(one: _Checked, elsewhere: Sequence[tuple[Elsewhere, set[Key]]]) -> tuple[_Checked | None, list[Fallen]]:
    """Take out parts that drift or do not move."""
    program = one.program
    drifting = {key for _, keys in elsewhere for key in keys}
    steady = program.only(set(program.expected()) - drifting)
    fallen = _lost(program, steady, Unfit.DRIFTING, ", ".join(record.generation for record, keys in elsewhere if keys))
    alive = steady.only({key for keys in one.moved.values() for key in keys})
    fallen += _lost(steady, alive, Unfit.INSENSITIVE)
    if not alive.candidates:
        return None, fallen
    return one._replace(program=alive, elsewhere=tuple(record for record, _ in elsewhere)), fallen


def _proof(one: _Checked, decoys: Sequence[Decoy], statements: Mapping[StatementId, Statement], given: Given) -> Proof:
    program = one.program
    kept = [statement for statement in statements.values() if statement.id in program.kept]
    cells, expected = _program(kept), set(program.expected())
    return Proof(
        notebook=given.notebook,
        statement=tuple(program.target),
        kept=tuple(tuple(statement.id) for statement in kept),
        program=cells,
        folder=given.room.folder,
        datasets=_datasets(given.room, one.files),
        files=tuple(_data_file(given.room.data, file) for file in sorted(one.files)),
        candidates=program.candidates,
        sufficient=checks.runs(given.environment),
        necessary=one.necessary,
        elsewhere=one.elsewhere,
        sensitive_to=tuple(how for how in checks.PERTURBATIONS if expected <= one.moved[how]),
        decoys=tuple(decoys),
        lines=lines_of([cell.source for cell in cells]),
        notebook_lines=lines_of([cell.source for cell in given.cells]),
        repairs=tuple(repair for repair in given.repairs if any(cell.cell == repair.cell for cell in cells)),
        widened=one.settled.widened,
    )


def _program(kept: Sequence[Statement]) -> tuple[ProgramCell, ...]:
    sources: dict[int, list[str]] = {}
    for statement in kept:
        sources.setdefault(statement.id.cell, []).append(statement.source)
    return tuple(ProgramCell(cell=cell, source="\n".join(lines)) for cell, lines in sources.items())


def _datasets(room: Room, files: Iterable[str]) -> dict[str, str]:
    """Return the data sets that files lie in, by the names that notebooks know them under."""
    return {
        name: folder
        for name, folder in sorted(room.datasets.items())
        if any(file.startswith(f"{folder}/") for file in files)
    }


def _data_file(data: Path, file: str) -> DataFile:
    path = data / file
    return DataFile(path=file, bytes=path.stat().st_size, sha256=file_sha256(path))
