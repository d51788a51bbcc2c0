"""Ctrl-C and SIGTERM during a run: both end it in good order, and the caller learns which it was."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupts:
    """Which signal, if any, ended the run."""

    def __init__(self) -> None:
        self.received: int | None = None

    def note(self, number: int = signal.SIGINT) -> None:
        """Remember the first signal; a SIGTERM passed on as SIGINT stays a SIGTERM."""
        self.received = self.received or int(number)


@contextmanager
def interrupts() -> Iterator[Interrupts]:
    """Let SIGTERM take the same way as Ctrl-C, which the engine handles; a KeyboardInterrupt ends the block."""
    noted = Interrupts()

    def pass_on(number: int, frame: FrameType | None) -> None:
        del frame
        noted.note(number)
        signal.raise_signal(signal.SIGINT)

    # Only the main thread may set handlers; elsewhere the caller handles signals itself.
    in_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, pass_on) if in_main else None
    try:
        yield noted
    except KeyboardInterrupt:
        noted.note()
    finally:
        if in_main:
            signal.signal(signal.SIGTERM, before)
