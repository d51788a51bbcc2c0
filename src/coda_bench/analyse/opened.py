"""Files opened against targets: how many files each attempt opened, how many of its targets, and what else."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from pathlib import PurePosixPath

from coda_bench.analyse.evidence import Evidence, FinishedRun
from coda_bench.layout import community_path, comparison_key, counts_for_discovery
from coda_bench.records.attempt import Attempt
from coda_bench.records.record import Record

SWEEP_SHARE = 0.25
"""Of an attempt that opened this share of its community only the files it used count as look-alikes."""


class OpenedFiles(Record):
    """What one attempt opened."""

    label: str
    instance_id: int
    epoch: int
    opened: int
    """Different files opened, Kaggle's metadata files not counted."""
    targets: int
    found: int
    """Targets among the files opened; an identical copy counts as its target."""
    used_targets: bool
    """Whether the final computation read exactly the targets: DA_solution, for every epoch and before scoring."""
    decoys: tuple[str, ...]
    """Files opened that are no targets, as `community/path`; of a sweep only those used."""
    sweep: bool
    """Whether so much was opened that opening says nothing."""
    used: tuple[str, ...]
    """The decoys that the final computation read."""


class Unmeasured(Record):
    """Attempts that have no place in the picture, by reason."""

    without_targets: int = 0
    without_access: int = 0
    incomplete: int = 0


class LookAlike(Record):
    """A file that was opened instead of, or beside, a target."""

    path: str
    """`community/path`."""
    opened: int
    """Attempts that opened it, sweeps only where they used it."""
    used: int
    """Attempts whose final computation read it."""
    agents: tuple[str, ...]
    tasks: tuple[int, ...]
    targets: tuple[str, ...]
    """Targets of these tasks, the one whose name is most like the file's first."""


class Community:
    """The content classes of one community: files of equal bytes are one file."""

    def __init__(self, name: str, hashes: Mapping[str, str]) -> None:
        self.name = name
        self.size = sum(counts_for_discovery(path) for path in hashes)
        self._classes = {comparison_key(path): sha256 for path, sha256 in hashes.items()}
        # Thousands of attempts name the same files: each spelling is looked into once.
        self._known: dict[str, tuple[str, str] | None] = {}

    def classes(self, paths: Iterable[str]) -> dict[str, str]:
        """Map content class to one community path of it, for the files that count."""
        found: dict[str, str] = {}
        for raw in paths:
            if raw not in self._known:
                self._known[raw] = self._look_up(raw)
            known = self._known[raw]
            if known:
                found.setdefault(*known)
        return found

    def is_swept_by(self, opened: Mapping[str, str]) -> bool:
        """Whether the files are so large a part of the community that naming them says nothing."""
        return bool(self.size) and len(opened) >= max(2, SWEEP_SHARE * self.size)

    def _look_up(self, raw: str) -> tuple[str, str] | None:
        path = community_path(raw, community=self.name)
        if path is None or not counts_for_discovery(path):
            return None
        key = comparison_key(path)
        return self._classes.get(key, key), path


def opened_files(evidence: Evidence) -> tuple[list[OpenedFiles], dict[str, Unmeasured]]:
    """Return what every attempt opened, and by run how many attempts could not be placed and why."""
    home = {task.instance_id: task.release_community for task in evidence.tasks}
    communities = {name: Community(name, evidence.hashes.get(name, {})) for name in set(home.values())}
    placed: list[OpenedFiles] = []
    unplaced: dict[str, Unmeasured] = {}
    for run in evidence.runs:
        reasons: Counter[str] = Counter()
        for attempt in run.attempts:
            reason = _reason_unplaced(attempt, evidence)
            if reason or attempt.instance_id not in home:
                reasons[reason or "without_targets"] += 1
                continue
            community = communities[home[attempt.instance_id]]
            targets = community.classes(evidence.targets[attempt.instance_id])
            placed.append(_place(run, attempt, targets, community))
        unplaced[run.label] = Unmeasured(**reasons)
    return placed, unplaced


def _reason_unplaced(attempt: Attempt, evidence: Evidence) -> str | None:
    if attempt.instance_id not in evidence.targets:
        return "without_targets"
    if attempt.file_access is None or attempt.file_access.tracker == "none":
        return "without_access"
    return None if attempt.file_access.complete else "incomplete"


def _place(run: FinishedRun, attempt: Attempt, targets: Mapping[str, str], community: Community) -> OpenedFiles:
    access = attempt.file_access
    opened = community.classes(access.opened if access else ())
    used = community.classes(access.used if access else ())
    sweep = community.is_swept_by(opened)
    looked_at = opened if not sweep else {} if community.is_swept_by(used) else used
    decoys = {class_: path for class_, path in looked_at.items() if class_ not in targets}
    return OpenedFiles(
        label=run.label,
        instance_id=attempt.instance_id,
        epoch=attempt.epoch,
        opened=len(opened),
        targets=len(targets),
        found=len(targets.keys() & opened.keys()),
        used_targets=used.keys() == targets.keys(),
        decoys=tuple(f"{community.name}/{path}" for path in decoys.values()),
        sweep=sweep,
        used=tuple(f"{community.name}/{path}" for class_, path in decoys.items() if class_ in used),
    )


def look_alikes(placed: Iterable[OpenedFiles], evidence: Evidence, *, limit: int = 15) -> list[LookAlike]:
    """Return the files that were opened most without being targets, most often used ones first among equals."""
    openers: dict[str, list[OpenedFiles]] = defaultdict(list)
    used: Counter[str] = Counter()
    for attempt in placed:
        for path in attempt.decoys:
            openers[path].append(attempt)
        used.update(attempt.used)
    ranked = sorted(openers, key=lambda path: (-len(openers[path]), -used[path], path))
    return [_look_alike(path, openers[path], used[path], evidence) for path in ranked[:limit]]


def _look_alike(path: str, openers: list[OpenedFiles], used: int, evidence: Evidence) -> LookAlike:
    tasks = tuple(sorted({attempt.instance_id for attempt in openers}))
    return LookAlike(
        path=path,
        opened=len(openers),
        used=used,
        agents=tuple(dict.fromkeys(attempt.label for attempt in openers)),
        tasks=tasks,
        targets=_by_likeness(path, {target for task in tasks for target in evidence.targets[task]}),
    )


def _by_likeness(path: str, targets: Iterable[str]) -> tuple[str, ...]:
    stem = _stem(path)
    return tuple(sorted(targets, key=lambda target: (-SequenceMatcher(None, stem, _stem(target)).ratio(), target)))


def _stem(path: str) -> str:
    return PurePosixPath(path).name.lower().split(".")[0]
