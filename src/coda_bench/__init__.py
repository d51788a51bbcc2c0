"""Build and run CoDA-Bench-style benchmarks: find the right data among many files, then compute the answer.

Importing this package loads nothing heavy; the public names below are resolved on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coda_bench.records.prediction import Prediction
    from coda_bench.records.task import Task, load_tasks, map_by_question
    from coda_bench.sandbox.tracking.hook import track_files
    from coda_bench.score.evaluate import evaluate
    from coda_bench.score.validate import load_predictions, validate

__version__ = "0.1.0"

_PUBLIC = {
    "Prediction": "coda_bench.records.prediction",
    "Task": "coda_bench.records.task",
    "evaluate": "coda_bench.score.evaluate",
    "load_predictions": "coda_bench.score.validate",
    "load_tasks": "coda_bench.records.task",
    "map_by_question": "coda_bench.records.task",
    "track_files": "coda_bench.sandbox.tracking.hook",
    "validate": "coda_bench.score.validate",
}

__all__ = [
    "Prediction",
    "Task",
    "evaluate",
    "load_predictions",
    "load_tasks",
    "map_by_question",
    "track_files",
    "validate",
]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'coda_bench' has no attribute {name!r}")
    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
