"""How the demo's release is built: its corpus goes the way of any corpus, through construction and the tasks stage."""

import shutil
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from coda_bench.cli.making import benches_of, sources_of
from coda_bench.construct.build import BuildOptions, build
from coda_bench.construct.corpus.folder import read_folder
from coda_bench.construct.environment.lay_out import Done, remeasure
from coda_bench.construct.environment.measures.measure import Tasks
from coda_bench.demo.build import SetTasks, build_release
from coda_bench.demo.homes import HomedTask
from coda_bench.demo.notebook_sources import older_generations
from coda_bench.errors import BadInput
from coda_bench.layout import Release
from coda_bench.tasks.funnel import FUNNEL
from coda_bench.tasks.make import Caps
from coda_bench.tasks.stage import DROPPED, make_tasks

CAPS = Caps(of_a_notebook=1, of_a_dataset=4)
"""A demo is to be short: agents have to do all of its tasks."""
_LIMIT_S = 120.0


def build_demo_release(
    out: Path, *, by_hand: bool = False, progress: Callable[[str], None] = lambda _line: None
) -> Release:
    """Build the demo release at `out`, or return the one that is there when it is whole and up to date.

    Args:
        out: the release's directory.
        by_hand: the hand-written tasks, instead of those that are made from proven results.
        progress: told what is done.

    Raises:
        CodaBenchError: as of `demo.build.build_release`.
    """
    return build_release(out, construct, None if by_hand else make, progress=progress)


def make(corpus: Path, built: Path, release: Path, *, progress: Callable[[str], None]) -> None:
    """Make tasks from the notebooks' proven results, and measure the noise by their targets.

    Raises:
        CodaBenchError: as of `tasks.stage.make_tasks`.
    """
    sources, titles = sources_of(built, corpus, release / "communities")
    stage = built / "tasks"
    benches = benches_of("current", limit_s=_LIMIT_S, among=("current", *older_generations()))
    made = make_tasks(sources, titles, release, stage, benches, caps=CAPS, say=progress)
    for name in (FUNNEL, DROPPED):
        shutil.copyfile(stage / name, release / name)
    targets: dict[str, dict[int, tuple[str, ...]]] = defaultdict(dict)
    answers: dict[str, dict[int, str]] = defaultdict(dict)
    for number, draft in enumerate(made.drafts):
        targets[draft.community][number] = draft.targets
        answers[draft.community][number] = draft.question.answer
    for folder in sorted((release / "communities").iterdir()):
        remeasure(folder, tasks=Tasks(targets[folder.name], answers[folder.name]))


def construct(corpus: Path, out: Path, set_tasks: SetTasks, *, progress: Callable[[str], None]) -> Path:
    """Build the environments of all communities of two or more data sets, as `coda-bench build` does by default.

    Args:
        corpus: the folder of notebooks and data sets.
        out: the directory to build in.
        set_tasks: sets the tasks in the communities that were found, so that the noise is measured by their targets.
        progress: told what is done.

    Returns:
        The folder with `communities/`.

    Raises:
        BadInput: the corpus cannot be used, or a community could not be laid out.
        MissingExtra: a package of the extra `construct` is not installed.
    """

    def files(done: Done) -> None:
        progress(f"profiles {done.n_files}/{done.n_files_all}")

    built = build(
        partial(read_folder, corpus),
        out,
        BuildOptions(),
        tasks_of=lambda members: tasks_by_community(set_tasks(members)),
        progress=files,
        say=lambda stage: progress(f"construct: {stage}"),
    )
    if built.failed:
        raise BadInput("\n".join(f"community {name}: {why}" for name, why in sorted(built.failed.items())))
    return out / "release"


def tasks_by_community(homed: Sequence[HomedTask]) -> Mapping[str, Tasks]:
    """Return targets and golds as the measures of the noise take them."""
    targets: dict[str, dict[int, tuple[str, ...]]] = defaultdict(dict)
    answers: dict[str, dict[int, str]] = defaultdict(dict)
    for number, task, community in homed:
        targets[community][number] = task.targets
        answers[community][number] = task.answer
    return {community: Tasks(targets[community], answers[community]) for community in targets}
