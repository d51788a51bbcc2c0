"""The tokens of an answer: numbers with everything written on them, words, marks and range signs."""

from decimal import Decimal
from typing import NamedTuple

from coda_bench.answers.dates import Clock, Date


class Number(NamedTuple):
    """A number with everything written on it."""

    value: Decimal
    """Scaled: `1.5k` is 1500."""
    decimals: int
    """Digits after the point, as written."""
    unit: Decimal
    """Worth of one unit of the last digit written."""
    is_percent: bool = False
    currency: str = ""
    scale: str = ""
    has_exponent: bool = False
    has_thousands: bool = False
    style: str = ""
    """Currency, suffix and percent sign as written, such as `$k`; matters for the form, not for equality."""

    @property
    def is_integer(self) -> bool:
        """Whether it was written as a plain integer."""
        return not (self.decimals or self.scale or self.has_exponent)


class Word(NamedTuple):
    """A word, or a code such as `tv-14` whose digits are no number."""

    text: str


class Mark(NamedTuple):
    """A punctuation mark or symbol."""

    text: str


class Range(NamedTuple):
    """The sign between two ends of a range."""

    style: str
    """`-` or `to`; matters for the form, not for equality."""


Token = Number | Date | Clock | Word | Mark | Range
