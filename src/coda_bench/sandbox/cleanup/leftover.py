"""One thing that was left behind."""

from coda_bench.records.record import Record


class Leftover(Record):
    """Something that a killed harness left."""

    kind: str
    """container, volume, process, mount, control group or folder."""
    where: str
    """A process number, a path, or the engine and the name it knows it by."""
    detail: str
    """How it is known to be nobody's, in plain words."""
