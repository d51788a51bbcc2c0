"""The project's own notebooks as they are written: percent scripts, and what is to be expected of each.

`# %%` begins a cell of code and `# %% [markdown]` one of text, whose lines are comments; a line `# %name` or
`# !command` in code stands for a magic, so that the scripts stay Python. One notebook is Python 2 and ends in `.py2`.
"""

import re
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from importlib import resources
from importlib.resources.abc import Traversable
from typing import NamedTuple

from pydantic import Field, ValidationError

from coda_bench.errors import BadInput
from coda_bench.records.record import Record, first_problem

FOLDER = "notebooks"
EXPECTATIONS = "expectations.toml"
_MARK = re.compile(r"^# %%(?P<kind>.*)$", re.MULTILINE)
_MAGIC = re.compile(r"^# (?=[%!])", re.MULTILINE)


class Flaw(StrEnum):
    """What is the matter with a notebook; most are why its results are no good as questions."""

    UNSEEDED_RANDOM = "unseeded_random"
    """It draws at random without a seed: each run prints other numbers."""
    OUT_OF_ORDER = "out_of_order"
    """Its cells were run in another order than they stand in; from top to bottom it fails."""
    STALE_OUTPUT = "stale_output"
    """A stored output is not what its code prints."""
    KAGGLE_ABSOLUTE_PATH = "kaggle_absolute_path"
    """It reads `/kaggle/input/…`; fine where data is shown there."""
    PYTHON2 = "python2"
    NETWORK = "network"
    """It fetches something that no sandbox reaches."""
    FAILING_CELL = "failing_cell"
    OVERWRITTEN_INPUT = "overwritten_input"
    """It writes over a file it has read: a second run prints something else, or fails where inputs are read-only."""
    CONSTANT = "constant"
    """What it prints was typed in, not computed from data."""
    ORDER_DEPENDENT = "order_dependent"
    """Its result hangs on the order of a set, which differs from process to process."""
    CHART_READ = "chart_read"
    """Its result can only be read off a picture."""
    MARKDOWN_ONLY = "markdown_only"
    """It has no code that runs, only text about data."""
    DRIFTING = "drifting"
    """It prints other numbers under another generation of pandas, without an error."""


HARMLESS = frozenset({Flaw.KAGGLE_ABSOLUTE_PATH})
"""Flaws with which a notebook is still good."""


class Anchor(Record):
    """A result that a good notebook prints."""

    cell: int
    """From 1, among all cells."""
    text: str
    """Part of the cell's output."""


class Stale(Record):
    """A stored output that is not the code's: part of it is replaced after the run."""

    cell: int
    was: str
    """What the code prints."""
    now: str


class Expectation(Record):
    """What is to be expected of one notebook."""

    owner: str
    bad: Flaw | None = None
    anchors: tuple[Anchor, ...] = ()
    order: tuple[int, ...] = ()
    """Numbers of the cells in the order they were run; empty for the order they stand in."""
    saved: dict[int, str] = Field(default_factory=dict)
    """Printed text by cell, of a notebook that cannot be run here: nothing of it is."""
    stale: Stale | None = None
    writable: tuple[str, ...] = ()
    """Slugs of data sets the notebook writes to."""
    generation: str = "current"
    """Of the analysis environment it was run in."""

    @property
    def is_good(self) -> bool:
        """Whether its results can be asked for."""
        return self.bad is None or self.bad in HARMLESS


class SourceCell(NamedTuple):
    """One cell as it is written."""

    number: int
    is_code: bool
    text: str


class NotebookSource(NamedTuple):
    """One notebook as it is written."""

    name: str
    cells: tuple[SourceCell, ...]
    expected: Expectation

    @property
    def code(self) -> dict[int, str]:
        """The cells of code that hold any, by number."""
        return {cell.number: cell.text for cell in self.cells if cell.is_code}


def load_notebooks() -> tuple[NotebookSource, ...]:
    """Return the notebooks that ship with this package, by name.

    Raises:
        BadInput: expectations are malformed, or a notebook has none or an expectation no notebook.
    """
    folder = resources.files(__package__) / FOLDER
    sources = {_stem(file): file for file in folder.iterdir() if file.name.endswith((".py", ".py2"))}
    expectations = _expectations(folder / EXPECTATIONS)
    if unmatched := sources.keys() ^ expectations.keys():
        raise BadInput(f"demo/{FOLDER}/{EXPECTATIONS}: no pair of notebook and expectation: {', '.join(unmatched)}")
    return tuple(
        NotebookSource(name, cells_of(sources[name].read_text("utf-8")), expectations[name]) for name in sorted(sources)
    )


def older_generations() -> tuple[str, ...]:
    """Return the generations of the analysis environment, beside the current one, that notebooks are run in."""
    return tuple(sorted({one.expected.generation for one in load_notebooks()} - {"current"}))


def _stem(file: Traversable) -> str:
    return file.name.rpartition(".")[0]


def _expectations(file: Traversable) -> Mapping[str, Expectation]:
    try:
        rows = tomllib.loads(file.read_text("utf-8"))
        return {name: Expectation.model_validate(row) for name, row in rows.items()}
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        problem = first_problem(error) if isinstance(error, ValidationError) else str(error)
        raise BadInput(f"demo/{FOLDER}/{EXPECTATIONS}: {problem}") from error


def cells_of(script: str) -> tuple[SourceCell, ...]:
    """Cut a percent script into cells; what stands before the first mark is no cell."""
    marks = list(_MARK.finditer(script))
    ends = [*(mark.start() for mark in marks), len(script)][1:]
    cells = []
    for number, (mark, end) in enumerate(zip(marks, ends, strict=True), 1):
        text = script[mark.end() : end].strip("\n")
        is_code = "[markdown]" not in mark["kind"]
        cells.append(SourceCell(number, is_code, _MAGIC.sub("", text) if is_code else _prose(text)))
    return tuple(cells)


def _prose(comments: str) -> str:
    return "\n".join(line.removeprefix("#").removeprefix(" ") for line in comments.split("\n"))
