"""What a tracker saw, in the form the harness is told."""

from typing import NamedTuple, Protocol


class Seen(NamedTuple):
    """Files opened and directories listed, each once and in order."""

    opened: list[str]
    listed: list[str]
    openers: list[str] | None = None
    """Beside each opened file the program that opened it first; None when the tracker cannot know."""

    def merged(self, late: "Seen") -> "Seen":
        """Return this with what was seen later; a file's first opener stays."""
        if not (late.opened or late.listed):
            return self
        openers = None
        if self.openers is not None and late.openers is not None:
            known = dict(zip(late.opened, late.openers, strict=True)) | dict(
                zip(self.opened, self.openers, strict=True)
            )
            openers = [known[path] for path in dict.fromkeys(self.opened + late.opened)]
        return Seen(
            list(dict.fromkeys(self.opened + late.opened)), list(dict.fromkeys(self.listed + late.listed)), openers
        )


class Tracker(Protocol):
    """What the holder needs of a tracker."""

    complete: bool
    """False when something may have been missed."""
    ended: bool
    """Whether nobody can open anything any more that this tracker would see."""
    descriptor: int
    """Readable when there is something to drain."""

    def drain(self) -> None:
        """Take what has happened so far."""

    def take(self) -> Seen:
        """Return what was seen since the last time, and forget it."""

    def close(self) -> None:
        """Stop watching."""


def text_of(path: bytes) -> str:
    """Return a path as text; bytes that are not UTF-8 become escapes, since records are text."""
    return path.decode("utf-8", "backslashreplace")
