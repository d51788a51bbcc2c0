"""How a run is shown while it goes on: a live line on a terminal, plain lines elsewhere."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live as RichLive
from rich.text import Text

from coda_bench.layout import RunDirectory
from coda_bench.records.attempt import Attempt, AttemptStatus
from coda_bench.records.run import RunConfig
from coda_bench.run.batch import Observer, Progress
from coda_bench.run.journal import Key

_LINE_EVERY_S = 10.0


@contextmanager
def shown_on(console: Console) -> Iterator[Observer]:
    """Show a run on a console: a live line on a terminal, plain lines elsewhere."""
    if not console.is_terminal:
        yield Lines(console)
        return
    live = Live(console)
    try:
        yield live
    finally:
        live.end()


class _Clock:
    """Rate and remaining time of this call, from the attempts it made itself."""

    def __init__(self, done_before: int) -> None:
        self._start = time.monotonic()
        self._done_before = done_before

    def words(self, progress: Progress) -> str:
        """Return rate and remaining time in words."""
        made = progress.done - self._done_before
        elapsed_s = time.monotonic() - self._start
        if not made or not elapsed_s:
            return "rate not known yet"
        left_s = (progress.total - progress.done) * elapsed_s / made
        return f"{60 * made / elapsed_s:.1f} a minute, {duration(left_s)} left"


def duration(seconds: float) -> str:
    """Write a time span in its two largest units."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def _heading(config: RunConfig, directory: RunDirectory, progress: Progress) -> str:
    limits = config.limits
    model = f" with {config.model}" if config.model else ""
    continued = f", {progress.done} of them done before" if progress.done else ""
    return (
        f"{config.agent}{model}, setting {config.setting}: {progress.total} attempts{continued}\n"
        f"limits: {limits.time_s:g} s, {limits.memory_mb} MB, {limits.cpus} CPUs, {limits.processes} processes, "
        f"{limits.disk_mb} MB disk, {limits.output_kb} kB output; environment {config.environment}\n"
        f"run directory: {directory.root}"
    )


def _counts(statuses: Mapping[AttemptStatus, int]) -> str:
    return ", ".join(f"{count} {status.value.replace('_', ' ')}" for status, count in sorted(statuses.items()))


def _state(progress: Progress, clock: _Clock) -> str:
    cost = f"{progress.cost_usd:.4f} USD" + ("" if progress.cost_complete else " + unknown")
    return f"{progress.done}/{progress.total}  {_counts(progress.statuses)}  {clock.words(progress)}  {cost}"


class Lines:
    """Plain lines, at most one every ten seconds besides failures: for logs and pipes."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._clock = _Clock(0)
        self._last = 0.0

    def begin(self, config: RunConfig, directory: RunDirectory, progress: Progress) -> None:
        """Print what will run."""
        self._clock = _Clock(progress.done)
        self._say(_heading(config, directory, progress))

    def started(self, key: Key) -> None:
        """Say nothing: the end of the attempt is news enough."""

    def ended(self, attempt: Attempt, progress: Progress) -> None:
        """Print failures at once and the state now and then."""
        if attempt.error:
            self._say(_failure_line(attempt))
        now = time.monotonic()
        if progress.done == progress.total or now - self._last >= _LINE_EVERY_S:
            self._last = now
            self._say(_state(progress, self._clock))

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False)


class Live:
    """One line that renews itself, with failures scrolling above it."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._clock = _Clock(0)
        self._live = RichLive(console=console, refresh_per_second=4, transient=True)
        self._running: set[Key] = set()
        self._progress = Progress(total=0, done=0, statuses={}, cost_usd=0.0)

    def begin(self, config: RunConfig, directory: RunDirectory, progress: Progress) -> None:
        """Print what will run and start the line."""
        self._clock = _Clock(progress.done)
        self._console.print(_heading(config, directory, progress), markup=False)
        if progress.done < progress.total:
            self._live.start()
            self._show(progress)

    def started(self, key: Key) -> None:
        """Count an attempt as running."""
        self._running.add(key)
        self._show(self._progress)

    def ended(self, attempt: Attempt, progress: Progress) -> None:
        """Renew the line."""
        self._running.discard(attempt.key)
        if attempt.error:
            self._console.print(_failure_line(attempt), markup=False)
        self._show(progress)

    def end(self) -> None:
        """Remove the line."""
        self._live.stop()

    def _show(self, progress: Progress) -> None:
        self._progress = progress
        text = f"{_state(progress, self._clock)}  {len(self._running)} running"
        self._live.update(Text(text, no_wrap=True, overflow="ellipsis"))


def _failure_line(attempt: Attempt) -> str:
    return f"task {attempt.instance_id}: {attempt.status.value.replace('_', ' ')}: {attempt.error}"
