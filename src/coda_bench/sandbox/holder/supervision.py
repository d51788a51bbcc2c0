"""Waiting for a command until it ends by itself or has to be stopped, whatever holds it."""

import math
import select
import socket
import time
from collections.abc import Callable

_TICK_S = 0.1
"""How often memory is looked at."""
_BATCH_MS = 2
"""How long events gather: waking up for each would take the command's own time."""


def supervise(
    monitor: int,
    channel: socket.socket,
    deadline: float,
    is_too_large: Callable[[], bool],
    *,
    events: int | None = None,
    gathers: bool = False,
    woken: Callable[[], None] = lambda: None,
) -> str:
    """Return how a command ended, or what it has to be stopped for: exit, interrupted, timeout or memory.

    Args:
        monitor: descriptor that is readable once the command has ended.
        channel: the harness's; whatever comes or goes there stops the command.
        deadline: of the monotonic clock, in seconds.
        is_too_large: whether the attempt holds more memory than it may; asked every so often.
        events: descriptor that is readable when a tracker has something to take.
        gathers: whether to wait a little for more events, when there is nothing else to do.
        woken: called at each awakening.
    """
    others = _poller(monitor, channel.fileno())
    poller = others if events is None else _poller(monitor, channel.fileno(), events)
    next_look = time.monotonic() + _TICK_S
    while True:
        ready = _wait(poller, min(deadline, next_look))
        if gathers and ready == {events}:
            others.poll(_BATCH_MS)
        woken()
        if monitor in ready:
            return "exit"
        if channel.fileno() in ready:
            return "interrupted"
        now = time.monotonic()
        if now >= deadline:
            return "timeout"
        if now >= next_look:
            next_look = now + _TICK_S
            if is_too_large():
                return "memory"


def _poller(*descriptors: int) -> select.poll:
    poller = select.poll()
    for descriptor in descriptors:
        poller.register(descriptor, select.POLLIN)
    return poller


def _wait(poller: select.poll, until: float) -> set[int]:
    wait_s = until - time.monotonic()
    return {descriptor for descriptor, _ in poller.poll(max(0, math.ceil(1000 * wait_s)))}
