"""Ctrl-C and SIGTERM during a run: both end it in good order, and the caller learns which it was."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


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

    before = _replace_handlers(pass_on)
    try:
        yield noted
    except KeyboardInterrupt:
        noted.note()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _replace_handlers(pass_on: Callable[[int, FrameType | None], None]) -> dict[int, Any]:
    # Only the main thread may set handlers; elsewhere the caller handles signals itself.
    if threading.current_thread() is not threading.main_thread():
        return {}
    # Shells start background jobs with SIGINT ignored, and then neither it nor a SIGTERM would get through.
    return {
        signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler),
        signal.SIGTERM: signal.signal(signal.SIGTERM, pass_on),
    }
