"""The whole of construction: corpus → graph → communities → environments, each stage from the files of the one before.

Below OUT: `corpus/`, `graph/`, `communities/` and `release/communities/<community>/`. Every stage can be repeated: the
same input and options give the same files, and environments that are laid out already are left as they are.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from coda_bench.construct.communities import select
from coda_bench.construct.communities.find import find_communities
from coda_bench.construct.communities.stored import read_communities, read_members
from coda_bench.construct.cooccurrence import build_graph
from coda_bench.construct.environment.lay_out import Progress, quiet
from coda_bench.construct.environment.measures.measure import Tasks
from coda_bench.construct.environment.spread import Executor, lay_out_communities
from coda_bench.construct.tables import database, needed
from coda_bench.errors import BadInput
from coda_bench.records.community import (
    Choice,
    GraphManifest,
    GraphOptions,
    PartitionManifest,
    PartitionOptions,
    Selection,
    SelectionRules,
)
from coda_bench.records.corpus import CorpusManifest
from coda_bench.records.environment import Environment
from coda_bench.records.record import Record

Say = Callable[[str], None]
TasksOf = Callable[[Mapping[str, Sequence[str]]], Mapping[str, Tasks]]
"""From the data sets of each community, what is known of its tasks."""


class BuildOptions(Record):
    """What decides a build beside its corpus."""

    graph: GraphOptions = GraphOptions()
    partition: PartitionOptions = PartitionOptions()
    rules: SelectionRules = SelectionRules()
    by_hand: tuple[Choice, ...] = ()
    """Communities chosen by hand, instead of the rules."""
    embed: bool = False
    """Whether to measure the noise by embeddings too."""
    n_workers: int | None = None
    """Processes that profile files; None: one for each CPU."""


class Built(NamedTuple):
    """What every stage says of its work."""

    corpus: CorpusManifest
    graph: GraphManifest
    partition: PartitionManifest
    selection: Selection
    environments: dict[str, Environment]
    failed: dict[str, str]
    """By community, why it could not be laid out."""


def build(
    read: Callable[[Path], CorpusManifest],
    out: Path,
    options: BuildOptions,
    *,
    tasks_of: TasksOf | None = None,
    executor: Executor | None = None,
    progress: Progress = quiet,
    say: Say = lambda _: None,
) -> Built:
    """Build the environments of a corpus.

    Args:
        read: reads the corpus and stores it in the directory it is given.
        out: the directory to build in.
        options: what decides the result.
        tasks_of: tells the targets and answers of tasks by community, where there are any already, from the data sets
            of each chosen community.
        executor: where files are profiled; by default on this machine.
        progress: called after each file.
        say: called with each stage's name as it begins.

    Raises:
        BadInput: the corpus cannot be used, or its data sets do not lie on this disk.
    """
    say("corpus")
    corpus = read(out / "corpus")
    say("graph")
    graph = build_graph(out / "corpus", out / "graph", options.graph)
    say("communities")
    partition = find_communities(out / "graph", out / "corpus", out / "communities", options.partition)
    known = read_communities(out / "communities")
    chosen = select.by_hand(known, options.by_hand) if options.by_hand else select.by_rule(known, options.rules)
    select.store(chosen, out / "communities")
    members = members_of(out, Path(corpus.root), chosen)
    tasks = tasks_of({name: sorted(folders) for name, folders in members.items()}) if tasks_of else None
    say("environments")
    environments, failed = lay_out_communities(
        members,
        out / "release",
        tasks=tasks,
        executor=executor,
        n_workers=options.n_workers,
        embed=options.embed,
        progress=progress,
    )
    return Built(corpus, graph, partition, chosen, environments, failed)


def members_of(out: Path, root: Path, chosen: Selection) -> dict[str, dict[str, Path]]:
    """Return, by chosen community, the folder of each of its data sets.

    Raises:
        BadInput: a data set has no folder, as in a corpus of Meta Kaggle's tables alone.
    """
    paths = _folders(out / "corpus")
    members = read_members(out / "communities")
    missing = [name for community in chosen.chosen for name in members[community] if not paths.get(name)]
    if missing:
        raise BadInput(
            f"{missing[0]} and {len(missing) - 1} more data sets have no folder on this disk; "
            "download them into a folder and build from that"
        )
    return {community: {name: root / str(paths[name]) for name in members[community]} for community in chosen.chosen}


def _folders(corpus: Path) -> dict[str, str | None]:
    path = needed(corpus / "datasets.parquet", "a corpus has to be read first: `coda-bench corpus`")
    with database() as connection:
        return dict(connection.execute("SELECT dataset, path FROM read_parquet(?)", [str(path)]).fetchall())
