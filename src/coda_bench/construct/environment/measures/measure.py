"""All measures of one community, from the profiles of its files."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from coda_bench.construct.environment.measures.headers import copy_classes, dataset, header_classes
from coda_bench.construct.environment.measures.metadata import metadata_findings
from coda_bench.construct.environment.measures.signal import Targets, distractors_of, look_alikes, signal
from coda_bench.construct.environment.measures.similarity import Anchors, similarity
from coda_bench.layout import counts_for_discovery
from coda_bench.records.environment import Environment, FileProfile, FormatCount, LayoutFinding, Similarity

_LIBRARIES = ("coda-bench", "duckdb", "pyarrow", "openpyxl", "charset-normalizer", "puremagic", "wordllama")


@dataclass(frozen=True)
class Tasks:
    """What is known of a community's tasks."""

    targets: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Target paths by task."""
    answers: Mapping[int, str] = field(default_factory=dict)
    """Golds by task; compared with the metadata files, never stored."""


def measure(
    community: str,
    profiles: Sequence[FileProfile],
    findings: Sequence[LayoutFinding],
    *,
    tasks: Tasks,
    background: Sequence[FileProfile] = (),
    directory: Path | None = None,
    embed: bool = False,
) -> Environment:
    """Return the numbers of a community.

    Args:
        community: its name.
        profiles: of all its files.
        findings: of laying it out.
        tasks: targets and answers.
        background: profiles of files of other communities: what is random.
        directory: `full_community/`, to read the metadata files in.
        embed: whether similarities by embeddings are asked for.

    Raises:
        MissingExtra: the language model's package is missing.
    """
    targets = Targets(community, profiles, tasks.targets)
    similarities, unmeasured = _similarities(profiles, targets, background, embed=embed)
    told = metadata_findings(directory, list(profiles), tasks.answers, dict(tasks.targets)) if directory else []
    return Environment(
        community=community,
        n_datasets=len({dataset(one) for one in profiles}),
        n_files=len(profiles),
        n_bytes=sum(one.bytes for one in profiles),
        n_metadata_files=sum(not counts_for_discovery(one.path) for one in profiles),
        formats=_formats(profiles),
        read=dict(sorted(Counter(one.read for one in profiles).items())),
        signal=signal(profiles, targets),
        copies=copy_classes(profiles),
        headers=header_classes(profiles),
        look_alikes=look_alikes(profiles, targets),
        similarities=tuple(similarities),
        unmeasured=tuple(unmeasured),
        problems=_count(kind for one in profiles for kind in {problem.kind for problem in one.problems}),
        findings=_count(one.kind for one in findings),
        metadata_findings=tuple(told),
        versions=_versions(),
    )


def _formats(profiles: Sequence[FileProfile]) -> dict[str, FormatCount]:
    """Count files and bytes by format, compressions written behind it as in `csv.gz`."""
    sizes: dict[str, list[int]] = {}
    for one in profiles:
        sizes.setdefault(".".join([one.format, *reversed(one.layers)]), []).append(one.bytes)
    return {name: FormatCount(files=len(ones), bytes=sum(ones)) for name, ones in sorted(sizes.items())}


def _count(kinds: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(kinds).items()))


def _similarities(
    profiles: Sequence[FileProfile], targets: Targets, background: Sequence[FileProfile], *, embed: bool
) -> tuple[list[Similarity], list[str]]:
    """Return the similarities that can be taken, and for each that cannot the reason."""
    if not background:
        return [], ["similarity: no other community to take random files from"]
    contents = {one.sha256 for one in profiles}
    random = [one for one in background if counts_for_discovery(one.path) and one.sha256 not in contents]
    others = distractors_of(profiles, targets)
    anchors = [one for one in profiles if one.sha256 in targets.contents]
    kind: Anchors = "targets" if anchors else "all files"
    found: list[Similarity] = []
    for method in ("lexical", "embedding") if embed else ("lexical",):
        found += similarity(anchors or others, others, random, method=method, kind=kind)
    unmeasured = [] if embed else ["similarity by embedding: not asked for"]
    return found, unmeasured if found else [*unmeasured, "similarity: no distractors, or no random files"]


def _versions() -> dict[str, str]:
    found = {}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
