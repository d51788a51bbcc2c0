"""Choosing communities: by rule, or by hand with reasons; either is stored."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from coda_bench.errors import BadInput
from coda_bench.records.community import SELECTION, Choice, CommunityRecord, Selection, SelectionRules
from coda_bench.records.storage import read_json, write_atomically


def by_rule(communities: Iterable[CommunityRecord], rules: SelectionRules) -> Selection:
    """Choose the communities that break no rule; a number that is not known breaks the rule about it."""
    broken = {one.community: _broken(one, rules) for one in communities}
    dropped = Counter(rule for rule in broken.values() if rule)
    chosen = tuple(name for name, rule in broken.items() if not rule)
    return Selection(rules=rules, chosen=chosen, dropped=dict(sorted(dropped.items())))


def _broken(one: CommunityRecord, rules: SelectionRules) -> str:
    """Return the first rule that a community breaks, empty when it breaks none."""
    checks = {
        "min_datasets": one.datasets >= rules.min_datasets,
        "max_datasets": _at_most(one.datasets, rules.max_datasets),
        "min_notebooks": one.notebooks >= (rules.min_notebooks or 0),
        "max_files": _at_most(one.files, rules.max_files),
        "max_bytes": _at_most(one.bytes, rules.max_bytes),
        "min_tabular_share": rules.min_tabular_share is None or _share(one) >= rules.min_tabular_share,
        "licences": rules.licences is None or set(one.licences) <= set(rules.licences),
    }
    return next((rule for rule, kept in checks.items() if not kept), "")


def _at_most(value: int | None, most: int | None) -> bool:
    return most is None or (value is not None and value <= most)


def _share(one: CommunityRecord) -> float:
    return one.tabular / one.files if one.files and one.tabular is not None else 0.0


def by_hand(communities: Iterable[CommunityRecord], choices: Sequence[Choice]) -> Selection:
    """Choose the communities named.

    Raises:
        BadInput: one is not there, or stands twice.
    """
    known = {one.community for one in communities}
    names = [choice.community for choice in choices]
    for name in names:
        if name not in known:
            raise BadInput(f"{name}: no such community of at least two data sets")
        if names.count(name) > 1:
            raise BadInput(f"{name}: chosen twice")
    return Selection(by_hand=tuple(choices), chosen=tuple(names))


def read_choices(path: Path) -> list[Choice]:
    """Read a list by hand: a JSON array of objects with `community` and `reason`.

    Raises:
        BadInput: it cannot be read or is something else.
    """
    rows = read_json(path)
    if not isinstance(rows, list):
        raise BadInput(f"{path}: a list of objects with community and reason is needed")
    try:
        return [Choice.model_validate(row) for row in rows]
    except ValueError as error:
        raise BadInput(f"{path}: a list of objects with community and reason is needed ({error})") from error


def store(selection: Selection, folder: Path) -> None:
    """Write a selection beside the communities."""
    write_atomically(folder / SELECTION, selection.model_dump_json(indent=2) + "\n")


def read(folder: Path) -> Selection | None:
    """Return the stored selection, None when nothing has been chosen.

    Raises:
        BadInput: it cannot be read.
    """
    path = folder / SELECTION
    return Selection.from_stored(read_json(path), where=str(path)) if path.is_file() else None
