"""What profiling one file may cost: the limits a worker puts on itself and its parent enforces."""

from pydantic import Field

from coda_bench.records.record import Record


class Limits(Record):
    """Bounds for one file; reaching one becomes a problem of the file."""

    seconds: float = Field(default=120.0, gt=0)
    """Wall time for a small file."""
    seconds_per_gib: float = Field(default=240.0, ge=0)
    """Further wall time for each GiB of the file."""
    memory_bytes: int = Field(default=6 << 30, gt=0)
    """Address space of the process that reads it."""
    unpacked_bytes: int = Field(default=8 << 30, gt=0)
    """Bytes that may come out of a compressed file, or be written when a text is turned into UTF-8."""
    workbook_bytes: int = Field(default=512 << 20, gt=0)
    """Bytes that the parts of a workbook may unpack to."""
    json_bytes: int = Field(default=64 << 20, gt=0)
    """Largest single JSON document that is parsed as a whole."""
    line_bytes: int = Field(default=4 << 20, gt=0)
    """Longest line of a delimited file."""
    layers: int = Field(default=2, ge=0)
    """Compressions around a file that are taken off."""

    def deadline(self, n_bytes: int) -> float:
        """Return the seconds that a file of this size may take."""
        return self.seconds + self.seconds_per_gib * n_bytes / (1 << 30)


MOST_COLUMNS = 2_000
"""Columns listed of one table; `n_columns` counts them all."""
MOST_TABLES = 200
"""Tables listed of one file."""
LONGEST_NAME = 200
"""Letters kept of a column's or table's name."""
