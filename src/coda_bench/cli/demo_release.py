"""How the demo's release is built: its corpus goes the way of any corpus, through the construct stage."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from coda_bench.construct.build import BuildOptions, build
from coda_bench.construct.corpus.folder import read_folder
from coda_bench.construct.environment.lay_out import Done
from coda_bench.construct.environment.measures.measure import Tasks
from coda_bench.demo.build import SetTasks, build_release
from coda_bench.demo.homes import HomedTask
from coda_bench.errors import BadInput
from coda_bench.layout import Release


def build_demo_release(out: Path, *, progress: Callable[[str], None] = lambda _line: None) -> Release:
    """Build the demo release at `out`, or return the one that is there when it is whole and up to date.

    Raises:
        CodaBenchError: as of `demo.build.build_release`.
    """
    return build_release(out, construct, progress=progress)


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
