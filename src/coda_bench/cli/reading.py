"""Progress of long readings, on standard error."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from coda_bench.cli.console import errors


@contextmanager
def reading_progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function to call with how many are done and how many there are; the bar goes when all are."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True) as shown:
        bar = shown.add_task(what, total=None)
        yield lambda done, all_of_them: shown.update(bar, completed=done, total=all_of_them)
