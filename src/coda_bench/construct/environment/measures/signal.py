"""Signal to noise: target files against all files; and the files that look like a target."""

from collections.abc import Mapping, Sequence

from coda_bench.construct.environment.measures.headers import NEAR, headers_of, jaccard
from coda_bench.layout import community_path, comparison_key, content_classes, counts_for_discovery
from coda_bench.records.environment import FileProfile, LookAlikes, Signal
from coda_bench.records.targets import DataFile

_EXAMPLES = 10


class Targets:
    """The targets of a community's tasks, looked up among its files; copies of one file are one target."""

    def __init__(self, community: str, profiles: Sequence[FileProfile], targets: Mapping[int, Sequence[str]]) -> None:
        files = [DataFile(path=one.path, bytes=one.bytes, sha256=one.sha256) for one in profiles]
        self._classes = content_classes(files)
        self._community = community
        found = {task: {path: self._content(path) for path in paths} for task, paths in targets.items() if paths}
        self.by_task = {task: {one for one in contents.values() if one} for task, contents in found.items()}
        self.missing = sorted({path for contents in found.values() for path, one in contents.items() if one is None})
        self.contents: frozenset[str] = frozenset().union(*self.by_task.values())

    def _content(self, raw: str) -> str | None:
        path = community_path(raw, community=self._community)
        if path is None or not counts_for_discovery(path):
            return None
        return self._classes.get(path) or self._classes.get(comparison_key(path))


def signal(profiles: Sequence[FileProfile], targets: Targets) -> Signal:
    """Return SNR = distinct targets / files, and the mean over tasks of (targets of the task / files).

    Source: paper, SNR = number of key files / number of files of an environment.
    """
    n_files, n_tasks = len(profiles), len(targets.by_task)
    per_task = [len(contents) / n_files for contents in targets.by_task.values()]
    return Signal(
        n_tasks=n_tasks,
        n_targets=len(targets.contents),
        n_files=n_files,
        snr=len(targets.contents) / n_files if n_tasks else None,
        snr_per_task=sum(per_task) / n_tasks if n_tasks else None,
        missing_targets=tuple(targets.missing),
    )


def distractors_of(profiles: Sequence[FileProfile], targets: Targets) -> list[FileProfile]:
    """Return the files that are no target, no copy of one, and no metadata of Kaggle's."""
    return [one for one in profiles if one.sha256 not in targets.contents and counts_for_discovery(one.path)]


def look_alikes(profiles: Sequence[FileProfile], targets: Targets) -> LookAlikes:
    """Return how many distractors have a target's header, or nearly: Jaccard of the column names ≥ 0.8."""
    headers = {header for one in profiles if one.sha256 in targets.contents for header in headers_of(one)}
    sets = {frozenset(header) for header in headers}
    others = distractors_of(profiles, targets)
    same = [one.path for one in others if headers & set(headers_of(one))]
    told = set(same)
    near = [one.path for one in others if one.path not in told and _is_near(one, sets)]
    is_measured = bool(targets.contents and others)
    return LookAlikes(
        n_distractors=len(others),
        n_same_header=len(same),
        n_near_header=len(near),
        share=(len(same) + len(near)) / len(others) if is_measured else None,
        examples=tuple(sorted([*same, *near])[:_EXAMPLES]),
    )


def _is_near(profile: FileProfile, targets: set[frozenset[str]]) -> bool:
    mine = [frozenset(header) for header in headers_of(profile)]
    return any(jaccard(one, target) >= NEAR for one in mine for target in targets)
