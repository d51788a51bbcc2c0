"""Anchors: results of notebooks that are worth asking for, and where in a notebook they come from.

A *scalar* is a value with its kind, as JSON: `["i", 3]` whole number, `["f", 0.5]` number, `["s", "text"]`,
`["b", true]`, `["t", "2020-01-31"]` point in time (ISO 8601), `["d", 60.0]` duration in seconds, `["n", null]` missing,
`["m", [scalar, …]]` label of several levels.
"""

from enum import StrEnum
from typing import Any, Literal, NamedTuple

from coda_bench.records.record import Record, StoredRecord

Scalar = tuple[str, Any]
"""Kind and content, see above."""


class StatementId(NamedTuple):
    """One statement of a notebook."""

    cell: int
    """From 1, among all cells."""
    position: int
    """From 0, among the top-level statements of the cell."""


class Step(Record):
    """One step from a displayed value to a part of it."""

    kind: Literal["row", "column", "item", "key"]
    label: Scalar
    """Of a row, a column or a key; of an item its number."""
    place: int
    """From 0."""


class Leaf(Record):
    """A part of a displayed value that stands in the stored output."""

    path: tuple[Step, ...]
    """Empty when the value is a single one."""
    value: Scalar
    """In full precision, as computed by the run that agreed with the stored output."""
    shown: str
    """As it stands in the stored output."""
    decimals: int
    """Decimals shown; negative where an exponent hides digits before the point."""
    as_percent: bool = False
    """Whether it is shown multiplied by 100."""


class Place(Record):
    """Where in a notebook an expression is displayed."""

    cell: int
    position: int
    number: int
    """Of the expression among those its statement displays."""
    occurrence: int
    """From 0: which of the times it was displayed, in a loop or a function."""

    @property
    def statement(self) -> StatementId:
        """The statement that displays it."""
        return StatementId(self.cell, self.position)


class Candidate(StoredRecord):
    """A displayed value whose parts agree with the stored output."""

    notebook: str
    place: Place
    role: Literal["result", "argument", "part"]
    """Last expression of a cell, argument of print or display, or value put into a text."""
    expression: str
    label: str
    """The literal text right before it, where it stands in one."""
    leaves: tuple[Leaf, ...]
    kind: Literal["scalar", "series", "frame", "list", "dict", "other"] = "scalar"
    """What is displayed."""
    index_names: tuple[str | None, ...] = ()
    """Of a table's rows, one for each level."""


class Unfit(StrEnum):
    """Why a numeric cell or a displayed value is no anchor."""

    UNPARSED = "unparsed"
    """The cell is not Python of this interpreter: Python 2, other languages."""
    NOT_RUN = "not_run"
    """It fails, or stands after a cell that does."""
    OUT_OF_ORDER = "out_of_order"
    """It fails or differs from top to bottom, and the cells were run in another order."""
    NETWORK = "network"
    """It fails, or stands after a cell that does, for want of a network."""
    READ_ONLY = "read_only"
    """It fails, or stands after a cell that does, because it writes over its inputs."""
    STALE = "stale"
    """The stored output is not what the code computes today."""
    UNSTABLE = "unstable"
    """It differs between two runs: random without a seed, a clock, the order of a set."""
    LIBRARY_PRINTS = "library_prints"
    """A library printed it: no expression of the notebook has the value."""
    OPAQUE = "opaque"
    """The displayed object has no labelled parts: a model, a picture's axes, a summary as text."""
    DIGITS_IN_TEXT = "digits_in_text"
    """The only digits stand in names and texts, or in literals of the code."""
    LONG = "long"
    """More is displayed than notes are taken of."""
    HEAD = "head"
    """The first, last or some rows of a table, shown to look at it: nothing names them, or nothing is computed."""
    ROWS = "rows"
    """Raw rows of a table, chosen or filtered but not computed from."""
    SHAPE = "shape"
    """The extent of a table as read, its columns or types."""
    VERSION = "version"
    TIMING = "timing"
    MODEL_METRIC = "model_metric"
    """A model was fitted: what it scores is no fact about the data."""
    IDENTIFIER = "identifier"
    """A name in digits: ids, codes, addresses."""
    CONSTANT = "constant"
    """No file is read on the way to it."""
    RANDOM = "random"
    """Random numbers are drawn on the way to it, with a seed."""
    ROW_NUMBER = "row_number"
    """The row has no name but its number."""
    UNPROVEN = "unproven"
    """No part of the notebook short of all of it computes the value again."""
    UNFOUND_FILES = "unfound_files"
    """It reads files that are not in the community, or none that is needed."""
    DRIFTING = "drifting"
    """Another generation of the libraries gives another value without an error."""
    INSENSITIVE = "insensitive"
    """Changing the data does not change it."""


class CellFate(StoredRecord):
    """What became of one numeric cell: a code cell whose stored text holds a digit."""

    notebook: str
    cell: int
    agrees: bool
    """Whether it re-executed to its stored numbers."""
    candidates: int
    unfit: dict[Unfit, int]
    """By reason, how many displayed values, or 1 for the cell itself."""
    detail: str = ""


class Repair(Record):
    """One replacement in a notebook's source of what libraries have removed since."""

    rule: str
    line: int
    """From 1, in its cell."""
    was: str
    now: str
    cell: int = 0
    """Of the notebook, from 1."""
