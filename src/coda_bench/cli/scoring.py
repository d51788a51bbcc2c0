"""Scores a run directory: the tasks the run was asked for, discovery from what the tracker saw.

Input: `run.json` and `predictions.jsonl` of the run, tasks, targets and manifests of its release.
Output: `scores.json` in the run directory.
"""

from collections.abc import Iterable
from pathlib import Path

from coda_bench.errors import BadInput, CommunityMissing
from coda_bench.layout import Release, RunDirectory, content_classes, file_sha256
from coda_bench.records.run import RunConfig
from coda_bench.records.scores import AccessSource, Scores
from coda_bench.records.storage import read_json, write_atomically
from coda_bench.records.task import Task, load_tasks
from coda_bench.score.discovery import ContentClasses
from coda_bench.score.evaluate import evaluate


def score_run(root: Path, release: Release, *, task_file: Path | None = None, store: bool = True) -> Scores:
    """Score a run against the release it was made on, and store `scores.json`.

    The denominator is the run's own list of instances: a run over ten tasks is scored over ten.

    Args:
        root: the run directory.
        release: the release the run was made on.
        task_file: golds to score by instead of the release's own, such as mended ones.
        store: whether to write `scores.json`.

    Raises:
        BadInput: not a run directory, or the release's tasks are not those of the run.
    """
    directory = RunDirectory(root)
    config = RunConfig.from_stored(read_json(directory.config_file), where=str(directory.config_file))
    if task_file is None and config.tasks_sha256 != file_sha256(release.task_file):
        raise BadInput(f"{root}: this run was made on other tasks than {release.task_file} holds")
    wanted = set(config.instances)
    tasks = [task for task in load_tasks(task_file or release.task_file) if task.instance_id in wanted]
    scores = evaluate(
        directory.predictions_file,
        tasks,
        {id_: paths for id_, paths in release.targets().items() if id_ in wanted} or None,
        content_classes=classes_of(release, tasks),
        access_source=AccessSource.TRACKED,
    )
    if store:
        write_atomically(directory.scores_file, scores.model_dump_json(indent=2) + "\n")
    return scores


def classes_of(release: Release, tasks: Iterable[Task]) -> dict[str, ContentClasses]:
    """Return the content classes of the tasks' communities, of those with a manifest on this disk.

    The paths of a community that is not extracted here are compared by name alone.
    """
    classes = {}
    for community in sorted({task.release_community for task in tasks}):
        try:
            files = release.manifest(community)
        except CommunityMissing:
            continue
        if files is not None:
            classes[community] = content_classes(files)
    return classes
