"""Evaluation: from predictions and gold tasks (and targets, where known) to scores.

Reads a predictions file and a task file; its result is what `coda-bench-evaluate --out` stores.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from coda_bench.records.prediction import Prediction
from coda_bench.records.scores import AccessSource, InstanceScore, Scores
from coda_bench.records.targets import load_targets
from coda_bench.records.task import Task, load_tasks
from coda_bench.score.discovery import NOTHING_OPENED, ContentClasses, Discovery, TargetSet, discover
from coda_bench.score.execution import score_answer
from coda_bench.score.summary import summarise
from coda_bench.score.validate import load_predictions

Targets = Mapping[int, Sequence[str]]


class _Latest(NamedTuple):
    """Predictions by id, the last one of each."""

    by_id: dict[int, Prediction]
    counts: Counter[int]


def evaluate(
    predictions: str | Path | Iterable[Prediction],
    tasks: str | Path | Iterable[Task],
    targets: str | Path | Targets | None = None,
    *,
    content_classes: Mapping[str, ContentClasses] | None = None,
    access_source: AccessSource = AccessSource.SELF_REPORTED,
    views: Mapping[str, Iterable[int]] | None = None,
) -> Scores:
    """Score predictions against gold tasks.

    Missing predictions count as wrong, ids without a task count for nothing and are listed, of repeated
    ids the last counts.

    Args:
        predictions: a predictions file (JSONL), or what `load_predictions` returned.
        tasks: a task file, or what `load_tasks` returned.
        targets: a targets file or a release's `provenance.jsonl`, or `{instance_id: paths}`; None leaves
            discovery unscored.
        content_classes: by community, content hashes by path or comparison key (`layout.content_classes`):
            a copy of a target then counts as the target.
        access_source: who says which files were opened.
        views: by name, ids to leave out for further scores beside the full ones.

    Raises:
        BadInput: a file cannot be read, or a line of the predictions is not a well-formed prediction.
    """
    gold = load_tasks(tasks) if isinstance(tasks, str | Path) else list(tasks)
    latest = _latest(load_predictions(predictions) if isinstance(predictions, str | Path) else predictions)
    known = load_targets(targets) if isinstance(targets, str | Path) else targets
    sets = _target_sets(gold, known or {}, content_classes or {})
    usable = {id_: targets_ for id_, targets_ in sets.items() if targets_.is_usable}
    return summarise(
        gold,
        predictions=latest.by_id,
        counts=latest.counts,
        rows=_rows(gold, latest.by_id),
        discoveries=_discoveries(usable, latest.by_id),
        unusable_target_ids=tuple(sorted(sets.keys() - usable.keys())),
        unknown_target_ids=tuple(sorted((known or {}).keys() - {task.instance_id for task in gold})),
        access_source=None if known is None else access_source,
        views=views or {},
    )


def _latest(predictions: Iterable[Prediction]) -> _Latest:
    by_id: dict[int, Prediction] = {}
    counts: Counter[int] = Counter()
    for prediction in predictions:
        by_id[prediction.instance_id] = prediction
        counts[prediction.instance_id] += 1
    return _Latest(by_id, counts)


def _rows(gold: Sequence[Task], predictions: Mapping[int, Prediction]) -> list[InstanceScore]:
    return [score_answer(predictions[task.instance_id], task) for task in gold if task.instance_id in predictions]


def _target_sets(
    gold: Sequence[Task], targets: Targets, content_classes: Mapping[str, ContentClasses]
) -> dict[int, TargetSet]:
    return {
        task.instance_id: TargetSet(
            targets[task.instance_id], task.release_community, content_classes.get(task.release_community)
        )
        for task in gold
        if targets.get(task.instance_id)
    }


def _discoveries(
    targets: Mapping[int, TargetSet], predictions: Mapping[int, Prediction]
) -> dict[int, Discovery | None]:
    """Judge every task with known targets; None where access was not measured."""
    return {id_: discover(predictions[id_], targets[id_]) if id_ in predictions else NOTHING_OPENED for id_ in targets}
