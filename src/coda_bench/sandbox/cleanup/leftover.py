"""One thing that was left behind."""

from coda_bench.records.record import Record


class Leftover(Record):
    """Something that a killed harness left."""

    kind: str
    """process, mount, control group or folder."""
    where: str
    """A process number, or a path."""
    detail: str
    """How it is known to be nobody's, in plain words."""
