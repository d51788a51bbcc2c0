"""Views: the same verdicts over a part of the tasks, reported beside the full denominator."""

from collections.abc import Iterable, Mapping, Sequence

from coda_bench.intervals import wilson_interval
from coda_bench.records.scores import InstanceScore, ViewScore
from coda_bench.records.task import Task
from coda_bench.score.discovery import Discovery


def view_scores(
    excluded: Mapping[str, Iterable[int]],
    gold: Sequence[Task],
    rows: Iterable[InstanceScore],
    discoveries: Mapping[int, Discovery | None],
) -> tuple[ViewScore, ...]:
    """Score each view.

    Args:
        excluded: ids left out, by name of the view; ids of no task are ignored.
        gold: all tasks.
        rows: verdicts on the answers.
        discoveries: verdicts on file access, None where not measured.
    """
    by_id = {row.instance_id: row for row in rows}
    ids = [task.instance_id for task in gold]
    return tuple(_view(name, frozenset(left_out), ids, by_id, discoveries) for name, left_out in excluded.items())


def _view(
    name: str,
    left_out: frozenset[int],
    ids: Sequence[int],
    rows: Mapping[int, InstanceScore],
    discoveries: Mapping[int, Discovery | None],
) -> ViewScore:
    kept = [id_ for id_ in ids if id_ not in left_out]
    own = [rows[id_] for id_ in kept if id_ in rows]
    found = [one for one in (discoveries.get(id_) for id_ in kept) if one is not None]
    n_right, n_found = sum(row.ea for row in own), sum(one.solution for one in found)
    return ViewScore(
        name=name,
        excluded_ids=tuple(id_ for id_ in ids if id_ in left_out),
        n_gold=len(kept),
        exact_correct=sum(row.exact_match for row in own),
        numeric_correct=sum(row.numeric_match for row in own),
        ea_correct=n_right,
        ea_accuracy=n_right / len(kept) if kept else 0.0,
        ea_interval=wilson_interval(n_right, len(kept)),
        da_n=len(found),
        da_solution_correct=n_found,
        da_solution_accuracy=n_found / len(found) if found else None,
        da_solution_interval=wilson_interval(n_found, len(found)),
    )
