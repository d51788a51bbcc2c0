"""From rows to rates: every rate with its numerator, denominator and interval."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from coda_bench.intervals import wilson_interval
from coda_bench.records.prediction import Prediction
from coda_bench.records.scores import AccessSource, CommunityScore, InstanceScore, Reason, Scores
from coda_bench.records.task import Task
from coda_bench.score.discovery import Discovery
from coda_bench.score.execution import SCORER_VERSION, specs_hash
from coda_bench.score.views import view_scores

Discoveries = Mapping[int, Discovery | None]

_DISCOVERY_RULES = ("solution", "superset", "touched")


def summarise(
    gold: Sequence[Task],
    *,
    predictions: Mapping[int, Prediction],
    counts: Counter[int],
    rows: Sequence[InstanceScore],
    discoveries: Discoveries,
    unusable_target_ids: tuple[int, ...],
    unknown_target_ids: tuple[int, ...],
    access_source: AccessSource | None,
    views: Mapping[str, Iterable[int]],
) -> Scores:
    """Collect the verdicts of an evaluation.

    Args:
        gold: all tasks; their number is the denominator of every EA-like rate.
        predictions: the prediction that counts, by id.
        counts: number of lines by id.
        rows: verdicts on the answers, one for each id on both sides.
        discoveries: verdicts on file access of every task with known targets, None where not measured.
        unusable_target_ids: tasks whose targets lie outside their community.
        unknown_target_ids: ids of the targets that no gold task has.
        access_source: None when no targets were given.
        views: ids left out, by name of the view.
    """
    gold_ids = {task.instance_id for task in gold}
    missing = [task.instance_id for task in gold if task.instance_id not in predictions]
    full_rows = [_with_discovery(row, discoveries.get(row.instance_id)) for row in rows]
    communities = _communities(gold, full_rows, discoveries)
    return Scores(
        scorer_version=SCORER_VERSION,
        n_gold=len(gold),
        n_pred=len(predictions),
        n_scored=len(rows),
        missing_ids=tuple(missing),
        extra_ids=tuple(sorted(predictions.keys() - gold_ids)),
        duplicate_ids=tuple(sorted(id_ for id_, n in counts.items() if n > 1)),
        n_duplicates=counts.total() - len(counts),
        reasons=_reasons(rows, len(missing)),
        access_source=access_source,
        da_unusable_target_ids=unusable_target_ids,
        da_unknown_target_ids=unknown_target_ids,
        spec_sha256=specs_hash(gold),
        views=view_scores(views, gold, full_rows, discoveries),
        per_community=tuple(communities),
        per_instance=tuple(full_rows),
        **_answer_rates(rows, len(gold)),
        **_macro_rates(communities),
        **_discovery_rates(discoveries),
    )


def _with_discovery(row: InstanceScore, found: Discovery | None) -> InstanceScore:
    if found is None:
        return row
    update = {
        "da_solution": found.solution,
        "da_superset": found.superset,
        "da_touched": found.touched,
        "da_file_precision": found.precision,
        "da_file_recall": found.recall,
        "da_unmapped": found.unmapped,
    }
    return row.model_copy(update=update)


def _reasons(rows: Iterable[InstanceScore], n_missing: int) -> dict[Reason, int]:
    counts = Counter(row.reason for row in rows)
    counts[Reason.MISSING] = n_missing
    return {reason: counts[reason] for reason in Reason if counts[reason]}


def _answer_rates(rows: Sequence[InstanceScore], n_gold: int) -> dict[str, Any]:
    successes = {
        "exact": sum(row.exact_match for row in rows),
        "numeric": sum(row.numeric_match for row in rows),
        "ea": sum(row.ea for row in rows),
        "ea_paper": sum(row.ea_paper for row in rows),
        "format_ok": sum(row.format_ok for row in rows),
        "ea_strict": sum(row.ea and row.format_ok for row in rows),
    }
    rates: dict[str, Any] = {}
    for name, correct in successes.items():
        rates[f"{name}_correct"] = correct
        rates[f"{name}_accuracy"] = correct / n_gold if n_gold else 0.0
        rates[f"{name}_interval"] = wilson_interval(correct, n_gold)
    return rates


def _discovery_rates(discoveries: Discoveries) -> dict[str, Any]:
    measured = [found for found in discoveries.values() if found is not None]
    known, n = len(discoveries), len(measured)
    rates: dict[str, Any] = {
        "da_known_targets": known,
        "da_n": n,
        "da_not_measured_ids": tuple(sorted(id_ for id_, found in discoveries.items() if found is None)),
        "da_unmapped": {id_: found.unmapped for id_, found in discoveries.items() if found and found.unmapped},
        "da_file_precision": _mean([found.precision for found in measured]),
        "da_file_recall": _mean([found.recall for found in measured]),
    }
    for rule in _DISCOVERY_RULES:
        correct = sum(getattr(found, rule) for found in measured)
        rates[f"da_{rule}_correct"] = correct
        rates[f"da_{rule}_accuracy"] = correct / n if n else None
        rates[f"da_{rule}_interval"] = wilson_interval(correct, n)
        rates[f"da_{rule}_bounds"] = (correct / known, (correct + known - n) / known) if known else None
    return rates


def _communities(gold: Sequence[Task], rows: Iterable[InstanceScore], discoveries: Discoveries) -> list[CommunityScore]:
    row_of = {row.instance_id: row for row in rows}
    members: dict[str, list[int]] = {}
    for task in gold:
        members.setdefault(task.release_community, []).append(task.instance_id)
    return [
        _community(name, len(ids), [row_of[id_] for id_ in ids if id_ in row_of], [discoveries.get(id_) for id_ in ids])
        for name, ids in sorted(members.items())
    ]


def _community(
    name: str, n_gold: int, rows: Sequence[InstanceScore], discoveries: Iterable[Discovery | None]
) -> CommunityScore:
    measured = [found for found in discoveries if found is not None]
    return CommunityScore(
        release_community=name,
        n_gold=n_gold,
        exact_correct=sum(row.exact_match for row in rows),
        numeric_correct=sum(row.numeric_match for row in rows),
        ea_correct=sum(row.ea for row in rows),
        ea_paper_correct=sum(row.ea_paper for row in rows),
        da_n=len(measured),
        da_solution_correct=sum(found.solution for found in measured),
        da_superset_correct=sum(found.superset for found in measured),
        da_touched_correct=sum(found.touched for found in measured),
    )


def _macro_rates(communities: Sequence[CommunityScore]) -> dict[str, float | None]:
    rates: dict[str, float | None] = {
        f"macro_{name}_accuracy": _mean([getattr(one, f"{name}_correct") / one.n_gold for one in communities]) or 0.0
        for name in ("exact", "numeric", "ea", "ea_paper")
    }
    measured = [one for one in communities if one.da_n]
    rates["macro_da_solution_accuracy"] = _mean([one.da_solution_correct / one.da_n for one in measured])
    return rates


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
