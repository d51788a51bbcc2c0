"""Rescoring: what changes when old predictions meet today's scorer and task file; no agent is needed."""

from collections.abc import Iterator

from coda_bench.records.scores import Change, InstanceScore, Rescore, Scores

_VERDICTS = ("ea", "format_ok", "ea_paper", "exact_match", "numeric_match", "da_solution", "da_superset", "da_touched")


def compare_scores(old: Scores, new: Scores) -> Rescore:
    """Compare two evaluations of the same predictions, task by task.

    A task that only one of them has counts as changed too: the tasks or the predictions are not the same then.
    """
    before = {row.instance_id: row for row in old.per_instance}
    after = {row.instance_id: row for row in new.per_instance}
    changes = [
        change for id_ in sorted(before.keys() | after.keys()) for change in _changes(before.get(id_), after.get(id_))
    ]
    return Rescore(
        scorer_version_before=old.scorer_version,
        scorer_version_after=new.scorer_version,
        n_gold_before=old.n_gold,
        n_gold_after=new.n_gold,
        ea_correct_before=old.ea_correct,
        ea_correct_after=new.ea_correct,
        n_specs_changed=sum(
            1
            for id_, row in after.items()
            if id_ in before and before[id_].spec_sha256 and before[id_].spec_sha256 != row.spec_sha256
        ),
        changes=tuple(changes),
    )


def _changes(before: InstanceScore | None, after: InstanceScore | None) -> Iterator[Change]:
    row = after or before
    if row is None:
        return
    texts = {"instance_id": row.instance_id, "prediction": row.prediction, "gold": row.gold}
    if before is None or after is None:
        yield Change(what="scored", before=str(before is not None), after=str(after is not None), **texts)
        return
    for name in ("prediction", "gold"):
        if getattr(before, name) != getattr(after, name):
            yield Change(what=name, before=getattr(before, name), after=getattr(after, name), **texts)
    for name in _VERDICTS:
        one, other = getattr(before, name), getattr(after, name)
        if one != other:
            yield Change(what=name, before=_word(one, before), after=_word(other, after), **texts)


def _word(verdict: bool | None, row: InstanceScore) -> str:
    if verdict is None:
        return "not measured"
    return f"{'yes' if verdict else 'no'} ({row.reason})"
