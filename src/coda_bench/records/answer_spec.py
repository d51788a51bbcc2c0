"""What a task may state about its answer: the optional `answer_spec` object of a task.

Everything in it is optional; what is left out is compiled from gold and guideline. A stated spec is for
what no gold can show: further right answers, intervals for results that vary, ties, and fields in any order.
"""

from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, StrictInt, StrictStr, model_validator

from coda_bench.records.record import Record


class FieldType(StrEnum):
    """What a field of an answer holds."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    PERCENT = "percent"
    CURRENCY = "currency"
    NUMBER_WITH_UNIT = "number_with_unit"
    SCALED = "scaled"
    """A number with K, M, B, thousand, million or billion."""
    RANGE = "range"
    INEQUALITY = "inequality"
    DATE = "date"
    MONTH = "month"
    WEEKDAY = "weekday"
    YEAR = "year"
    CLOCK = "clock"
    YES_NO = "yes_no"
    CATEGORY = "category"
    """One of the texts that the guideline lists."""
    TEXT = "text"
    FREE_TEXT = "free_text"
    """A sentence or description; compared word by word all the same."""
    MIXED = "mixed"
    """Words with numbers among them, such as `Accepted: 360 (85%)`."""


class Rounding(StrEnum):
    """How an answer written with more digits than the gold is brought to the gold's."""

    EXACT = "exact"
    """Not at all: counts, years, codes."""
    HALF = "half"
    """To the nearest; the half may go either way (half-up and half-even both occur)."""
    TRUNCATE = "truncate"
    """Cut towards zero."""


Text = Annotated[StrictStr, Field(min_length=1, max_length=10_000)]


class StatedField(Record):
    """What a task states about one field."""

    type: FieldType | None = None
    accepted: tuple[Text, ...] = Field(default=(), max_length=100)
    """Further texts that are right for this field."""
    interval: tuple[Decimal, Decimal] | None = None
    """Lowest and highest right value, for results that vary from run to run."""
    rounding: Rounding | None = None
    unit: Text | None = None
    """A unit that an answer may write or leave out."""

    @model_validator(mode="after")
    def _interval_is_ordered(self) -> Self:
        if self.interval is not None and not self.interval[0] <= self.interval[1]:
            raise ValueError("interval must be [lowest, highest]")
        return self


class StatedSpec(Record):
    """The `answer_spec` object of a task."""

    format_version: Literal[1] = 1
    separator: Literal[";", ","] | None = None
    order: Literal["list", "set"] | None = None
    """`set`: the fields may stand in any order."""
    ties: tuple[tuple[tuple[StrictInt, ...], ...], ...] = Field(default=(), max_length=20)
    """Groups of blocks of field places (counted from 0) that may change places: `[[[0, 1], [2, 3]]]`."""
    fields: tuple[StatedField, ...] = Field(default=(), max_length=1000)
    """By place; fewer than the gold's leaves the rest to be compiled."""
    accepted: tuple[Text, ...] = Field(default=(), max_length=100)
    """Further whole answers that are right."""

    @model_validator(mode="after")
    def _blocks_are_alike(self) -> Self:
        for group in self.ties:
            places = [place for block in group for place in block]
            if (
                len({len(block) for block in group}) != 1
                or len(set(places)) != len(places)
                or min(places, default=-1) < 0
            ):
                raise ValueError("the blocks of a tie must be equally long lists of different places from 0")
        return self
