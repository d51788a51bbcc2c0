"""What the harness and the programs in its containers say to each other, beside what it says to holders."""

from typing import NamedTuple


class Settings(NamedTuple):
    """What a container's program is told first."""

    uid: int
    """Of the commands; the keeper itself is the container's root, with just the rights to become them and end them."""
    memory_mb: int
    cpus: list[int]
    """The ones that commands may use."""
    environment: dict[str, str]
    caches: str
    """A folder of the analysis environment whose entries are linked below `links`; empty for none."""
    links: str


class Mark(NamedTuple):
    """A command begins or has ended."""

    number: int
    begins: bool


class Marked(NamedTuple):
    """What was seen between a command's two marks; empty at the first."""

    complete: bool
    listed: list[str]
    opened: list[str]
