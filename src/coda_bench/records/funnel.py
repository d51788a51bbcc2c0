"""Funnel: how much of a corpus gets how far on the way to tasks."""

from pydantic import Field

from coda_bench.records.record import Record, StoredRecord


class Level(Record):
    """One level."""

    name: str
    count: int
    lost: dict[str, int] = Field(default_factory=dict)
    """By reason, what does not get further."""


class Funnel(StoredRecord):
    """All levels, from notebooks to tasks."""

    levels: tuple[Level, ...]
