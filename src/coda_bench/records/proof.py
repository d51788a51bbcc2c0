"""Proofs: the record that a slice of a notebook and a few files compute a result, in a form that can be run again."""

from enum import StrEnum

from coda_bench.records.anchor import Candidate, CellFate, Repair, StatementId, Unfit
from coda_bench.records.record import Record, StoredRecord
from coda_bench.records.targets import DataFile


class ProgramCell(Record):
    """The statements of one cell that a slice keeps, as they stand in the notebook."""

    cell: int
    source: str


class Run(Record):
    """One run in a fresh sandbox that held only the files of the proof, and what it was put under."""

    generation: str
    environment_lock: str
    python: str
    hash_seed: int
    threads: int
    clock_s: float
    folder: str


class Effect(StrEnum):
    """What changing something about a run does to its result."""

    SAME = "same"
    OTHER = "other"
    """Another value, without an error."""
    FAILS = "fails"


class Without(Record):
    """What leaving out one file does."""

    path: str
    effect: Effect
    """Never `same`: such a file is dropped."""
    detail: str = ""
    """The error, where there is one."""


class Elsewhere(Record):
    """What another generation of the libraries makes of it."""

    generation: str
    environment_lock: str
    effect: Effect
    detail: str = ""


class Decoy(Record):
    """What comes out when a file is replaced by another one of the community that has the columns used."""

    path: str
    instead_of: str
    effect: Effect
    """`same`: the other file answers as well; `other`: it gives another plausible answer."""


class Proof(StoredRecord):
    """That a slice of a notebook, run on some files alone, computes what the notebook shows."""

    notebook: str
    statement: tuple[int, int]
    """Cell and position of the statement that displays the results."""
    kept: tuple[tuple[int, int], ...]
    """The statements of the slice, in the order they are run."""
    program: tuple[ProgramCell, ...]
    folder: str
    """Where the notebook lies, relative to the data."""
    datasets: dict[str, str]
    """Folders of data sets by the names that the notebook knows them under."""
    files: tuple[DataFile, ...]
    candidates: tuple[Candidate, ...]
    """What the statement displays, with the parts that are proven."""
    sufficient: tuple[Run, ...]
    """Runs that gave the same within 1e-6."""
    necessary: tuple[Without, ...]
    elsewhere: tuple[Elsewhere, ...]
    sensitive_to: tuple[str, ...]
    """Changes of the data that change every proven part: `rows`, `values`."""
    decoys: tuple[Decoy, ...]
    lines: int
    """Of the slice, neither blank nor comment."""
    notebook_lines: int
    repairs: tuple[Repair, ...] = ()
    """What was replaced in the notebook's source, so that it runs with today's libraries."""
    widened: str = ""
    """How far the slice had to be widened beyond data flow: `` (not), `cells` or `prefix`; it was shrunk again."""

    @property
    def statement_id(self) -> StatementId:
        """The statement that displays the results."""
        return StatementId(*self.statement)


class Fallen(Record):
    """A displayed value that is no anchor, or only a candidate that no question was made of."""

    candidate: Candidate
    why: Unfit
    detail: str = ""


class Examined(StoredRecord):
    """What came of one notebook: its numeric cells, what was proven, what fell and why."""

    notebook: str
    community: str | None
    inputs_sha256: str
    """Over the notebook, its community's manifest, the analysis environments and this stage's version."""
    trouble: str
    """What its run from top to bottom ended with; empty when it ran to its end."""
    generation: str
    """Of the libraries with which most of its numeric cells gave what is stored; all its proofs are in it."""
    why_generation: str
    repairs: tuple[Repair, ...]
    n_code_cells: int
    cells: tuple[CellFate, ...]
    proofs: tuple[Proof, ...]
    fallen: tuple[Fallen, ...]
