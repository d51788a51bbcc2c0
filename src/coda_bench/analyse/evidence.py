"""What a report is made from: finished runs and their release, read and checked, nothing computed yet."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from coda_bench.errors import BadInput
from coda_bench.layout import Release, RunDirectory
from coda_bench.records.attempt import Attempt
from coda_bench.records.record import Record
from coda_bench.records.run import RunConfig, Setting
from coda_bench.records.scores import Scores
from coda_bench.records.storage import read_json
from coda_bench.records.task import Task, load_tasks, map_by_question


class FinishedRun(Record):
    """One run directory: its settings, the last attempt of every task and epoch, its scores if any."""

    label: str
    """The agent, with model, setting or directory where that is needed to tell runs apart."""
    directory: str
    config: RunConfig
    attempts: tuple[Attempt, ...]
    scores: Scores | None
    unreadable_lines: int = 0
    """Lines of the journal cut short by a kill; their attempts count as missing."""

    @property
    def planned(self) -> int:
        """Attempts a complete run has."""
        return len(self.config.instances) * self.config.epochs

    @property
    def missing(self) -> int:
        """Planned attempts that are not in the journal."""
        keys = {attempt.key for attempt in self.attempts}
        wanted = {(id_, epoch) for id_ in self.config.instances for epoch in range(1, self.config.epochs + 1)}
        return len(wanted - keys)


class Evidence(Record):
    """All a report is made from."""

    release_name: str
    tasks: tuple[Task, ...]
    hard_ids: frozenset[int] | None
    """Instance ids, in the full file, of the Hard subset; None when the release has none."""
    targets: dict[int, tuple[str, ...]]
    hashes: dict[str, dict[str, str]]
    """Community to community path to sha256; communities without a manifest are absent."""
    runs: tuple[FinishedRun, ...]


def read_evidence(runs: Sequence[Path], release: Path) -> Evidence:
    """Read run directories and the release they ran on.

    Raises:
        BadInput: no run was named, a directory is not a run, a file in it is malformed, or the release is none.
    """
    if not runs:
        raise BadInput("no run directory named; a report needs at least one")
    opened = Release.open(release)
    tasks = opened.tasks()
    return Evidence(
        release_name=opened.root.name,
        tasks=tuple(tasks),
        hard_ids=_hard_ids(opened, tasks),
        targets=opened.targets(),
        hashes=_hashes(opened, tasks),
        runs=_with_labels([_read_run(Path(run)) for run in runs]),
    )


def _hard_ids(release: Release, tasks: list[Task]) -> frozenset[int] | None:
    if not release.hard_file.is_file():
        return None
    return frozenset(map_by_question(load_tasks(release.hard_file), tasks).values())


def _hashes(release: Release, tasks: list[Task]) -> dict[str, dict[str, str]]:
    hashes = {}
    for community in sorted({task.release_community for task in tasks}):
        try:
            files = release.manifest(community)
        except BadInput:
            continue  # a report needs no data: the community may live on the machine that ran the agents
        if files is not None:
            hashes[community] = {file.path: file.sha256 for file in files}
    return hashes


def _read_run(root: Path) -> FinishedRun:
    files = RunDirectory(root)
    if not files.config_file.is_file():
        raise BadInput(f"{root}: not a run directory (no run.json in it)")
    config = RunConfig.from_stored(read_json(files.config_file), where=str(files.config_file))
    attempts, unreadable = _read_journal(files.journal_file)
    return FinishedRun(
        label=_label(config),
        directory=root.resolve().name,
        config=config,
        attempts=attempts,
        scores=_read_scores(files.scores_file),
        unreadable_lines=unreadable,
    )


def _read_journal(path: Path) -> tuple[tuple[Attempt, ...], int]:
    """Return the last attempt of each key, and how many lines a kill cut short."""
    last: dict[tuple[int, int], Attempt] = {}
    unreadable = 0
    for where, line in _lines(path):
        try:
            row = json.loads(line)
        except ValueError:
            unreadable += 1
            continue
        attempt = _without_commands(Attempt.from_stored(row, where=where))
        last[attempt.key] = attempt
    return tuple(last[key] for key in sorted(last)), unreadable


def _lines(path: Path) -> Iterator[tuple[str, bytes]]:
    if not path.exists():
        return  # killed before the first attempt ended
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                yield f"{path}:{number}", line


def _without_commands(attempt: Attempt) -> Attempt:
    """Drop what the report never shows: a thousand tasks' programs and commands need not be in memory."""
    access = attempt.file_access and attempt.file_access.model_copy(update={"commands": ()})
    return attempt.model_copy(update={"code_generated": None, "file_access": access})


def _read_scores(path: Path) -> Scores | None:
    return Scores.from_stored(read_json(path), where=str(path)) if path.is_file() else None


def _label(config: RunConfig) -> str:
    model = f" ({config.model})" if config.model else ""
    setting = "" if config.setting is Setting.COMMUNITY else f", {config.setting.value}"
    return f"{config.agent}{model}{setting}"


def _with_labels(runs: list[FinishedRun]) -> tuple[FinishedRun, ...]:
    """Make labels unique: runs of the same agent are told apart by their directory, then by number."""
    named = _told_apart(runs, [f"{run.label} [{run.directory}]" for run in runs])
    return tuple(_told_apart(named, [f"{run.label} #{number}" for number, run in enumerate(named, 1)]))


def _told_apart(runs: list[FinishedRun], longer: list[str]) -> list[FinishedRun]:
    seen = Counter(run.label for run in runs)
    return [
        run.model_copy(update={"label": label}) if seen[run.label] > 1 else run
        for run, label in zip(runs, longer, strict=True)
    ]
