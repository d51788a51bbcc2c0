"""Examine: one notebook, from its file to proofs of its results.

It is run from top to bottom twice under different conditions; what both runs and the stored outputs agree on are
candidates; data flow proposes what each needs; `proof.prove` decides.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from coda_bench.layout import file_sha256
from coda_bench.notebook import Unreadable, read_notebook
from coda_bench.records.anchor import CellFate, Unfit
from coda_bench.records.environment import FileProfile
from coda_bench.records.proof import Examined, Fallen
from coda_bench.sandbox.analysis_env import AnalysisEnvironment
from coda_bench.tasks.anchors.find import CellFound, find_candidates
from coda_bench.tasks.era import Era, era_of
from coda_bench.tasks.execution.execute import Job, execute
from coda_bench.tasks.execution.results import Ran
from coda_bench.tasks.execution.room import Room
from coda_bench.tasks.proof.alike import alike_in
from coda_bench.tasks.proof.prove import Given, Proven, prove
from coda_bench.tasks.proof.trial import SECOND

STAGE_VERSION = 1
"""Raised when another result may come out of the same inputs."""


class Source(NamedTuple):
    """A notebook with the community it belongs to."""

    name: str
    path: Path
    community: str | None
    """None for a notebook whose data sets do not lie in one community."""
    data: Path
    """The community's `full_community`; without a community, the folder of the data."""
    datasets: Mapping[str, str]
    """Folders below `data` by the names that notebooks know data sets under."""
    folder: str = "notebooks"
    """The notebook's folder relative to `data`, where it lies there."""
    profiles: Sequence[FileProfile] = ()
    """Of the community's files, to find those that could be taken for one another."""

    def room(self) -> Room:
        """Return where the notebook runs."""
        return Room(self.data, dict(self.datasets), self.folder)


class Benches(NamedTuple):
    """The environments that notebooks are run in."""

    own: AnalysisEnvironment
    others: tuple[AnalysisEnvironment, ...] = ()
    limit_s: float = 120.0
    """Seconds that a run of a notebook, or of a part of one, may take."""


def inputs_sha256(source: Source, benches: Benches) -> str:
    """Return a hash over all that decides what comes of a notebook."""
    locks = [one.lock_sha256 for one in (benches.own, *benches.others)]
    lines = [str(STAGE_VERSION), file_sha256(source.path), *locks, *sorted(map(str, source.datasets.items()))]
    lines += [f"{one.path} {one.sha256}" for one in source.profiles]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def examine(source: Source, benches: Benches) -> Examined:
    """Return what came of a notebook; one that cannot be read has no cells and says why.

    Raises:
        SandboxError: this machine cannot run it.
    """
    digest = inputs_sha256(source, benches)
    try:
        notebook = read_notebook(source.path)
    except Unreadable as trouble:
        return _nothing(source, digest, str(trouble))
    if notebook.language != "python":
        return _nothing(source, digest, f"written in {notebook.language}")
    era = era_of(notebook, source.room(), (benches.own, *benches.others), benches.limit_s)
    second = _again(era, source, benches.limit_s)
    found = find_candidates(source.name, notebook, era.ran, second)
    candidates = [candidate for one in found for candidate in one.candidates]
    proven = prove(candidates, _given(era, source, benches)) if candidates else Proven((), ())
    return Examined(
        notebook=source.name,
        community=source.community,
        inputs_sha256=digest,
        trouble=era.ran.trouble,
        generation=era.environment.generation,
        why_generation=era.why,
        repairs=era.repairs,
        n_code_cells=len(era.cells),
        cells=tuple(_fate(source.name, one, proven.fallen) for one in found),
        proofs=proven.proofs,
        fallen=proven.fallen,
    )


def _nothing(source: Source, digest: str, trouble: str) -> Examined:
    return Examined(
        notebook=source.name,
        community=source.community,
        inputs_sha256=digest,
        trouble=trouble,
        generation="",
        why_generation="",
        repairs=(),
        n_code_cells=0,
        cells=(),
        proofs=(),
        fallen=(),
    )


def _again(era: Era, source: Source, limit_s: float) -> Ran:
    """Run a notebook a second time, under other conditions."""
    job = Job("whole", era.cells)
    return execute([job], source.room(), era.environment, SECOND, limit_s=limit_s).jobs[job.name]


def _given(era: Era, source: Source, benches: Benches) -> Given:
    others = tuple(one for one in (benches.own, *benches.others) if one != era.environment)
    return Given(
        source.name,
        era.cells,
        source.room(),
        era.environment,
        others,
        alike_in(source.profiles),
        benches.limit_s,
        era.repairs,
    )


def _fate(name: str, found: CellFound, fallen: Sequence[Fallen]) -> CellFate:
    unfit = Counter[Unfit](found.unfit)
    unfit.update(one.why for one in fallen if one.candidate.place.cell == found.cell)
    return CellFate(
        notebook=name,
        cell=found.cell,
        agrees=found.agrees,
        candidates=len(found.candidates),
        unfit=dict(sorted(unfit.items())),
        detail=found.detail[:300],
    )
