"""The environments stage: a community's data sets laid out as `full_community/`, with manifest and profiles.

Input: the folders of the member data sets. Output, below `OUT/communities/<community>/`: `full_community/<slug>/…`,
`manifest.jsonl`, `profile.jsonl`, `findings.jsonl`, `environment.json` and `laid_out.json`. The folder appears when
it is complete, in one step.
"""

import errno
import fcntl
import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from coda_bench.construct.environment.journal import Journal
from coda_bench.construct.environment.measures.measure import Tasks, measure
from coda_bench.construct.environment.place import Placer
from coda_bench.construct.environment.profiling.limits import Limits
from coda_bench.construct.environment.profiling.pool import Job, Pool
from coda_bench.construct.environment.walk import SourceFile, finding, walk, walk_in_place
from coda_bench.errors import BadInput
from coda_bench.records.archive import NAME
from coda_bench.records.environment import (
    Environment,
    FileProfile,
    LayoutFinding,
    lines_of,
    load_layout_findings,
    load_profiles,
)
from coda_bench.records.record import StoredRecord
from coda_bench.records.storage import read_json, sync_directory, write_atomically


class Done(NamedTuple):
    """How far a community is."""

    n_files: int
    n_files_all: int
    n_bytes: int
    n_bytes_all: int


class LaidOut(StoredRecord):
    """`laid_out.json`: what a community was laid out from; tells whether to do it again."""

    community: str
    sources_sha256: str
    """Hash over names, sizes and times of change of all sources, the limits, and this stage's own version."""
    placed: dict[str, int] = Field(default_factory=dict)
    """Files by how they were placed; not the same on every machine."""


STAGE_VERSION = 1
"""Raised when the same files would be profiled otherwise."""
Progress = Callable[[Done], None]


def quiet(done: Done) -> None:
    """Show no progress."""
    del done


def lay_out(
    members: Mapping[str, Path],
    out: Path,
    community: str,
    *,
    tasks: Tasks | None = None,
    limits: Limits | None = None,
    n_workers: int | None = None,
    may_link: bool = True,
    progress: Progress = quiet,
) -> Environment:
    """Lay out one community, or find it laid out; an interrupted run goes on where it stopped.

    Args:
        members: folder of each data set by its id (`owner/slug`, or a plain name).
        out: the release directory.
        community: a plain name.
        tasks: targets and answers of the community's tasks, where there are any yet.
        limits: what profiling one file may cost.
        n_workers: processes that profile; by default one a processor.
        may_link: whether hard links to the sources may stand for copies.
        progress: called after each file.

    Raises:
        BadInput: no file can be taken, the name is not plain, the folder comes from elsewhere, a source is written
            meanwhile, or the disk is full. What was profiled is kept for the next call.
        MissingExtra: a library that reads data files is missing.
    """
    if not re.fullmatch(NAME, community):
        raise BadInput(f"community {community!r}: not a plain directory name")
    limits = limits or Limits()
    folder = out / "communities" / community
    with _locked(folder):
        sources, findings = walk(members)
        if not sources:
            shown = "; ".join(f"{one.where}: {one.message}" for one in findings[:3])
            raise BadInput(f"{community}: no file to lay out ({shown})")
        fingerprint = _fingerprint(sources, findings, limits)
        if not _is_laid_out(folder, fingerprint):
            _build(
                folder,
                sources,
                findings,
                fingerprint,
                limits=limits,
                n_workers=n_workers,
                may_link=may_link,
                progress=progress,
            )
        return remeasure(folder, tasks=tasks)


def remeasure(
    folder: Path, *, tasks: Tasks | None = None, background: Sequence[FileProfile] = (), embed: bool = False
) -> Environment:
    """Take the measures of a community anew from its profiles, and store them as `environment.json`.

    Args:
        folder: of the community, with `profile.jsonl` and `findings.jsonl` in it.
        tasks: targets and answers of its tasks.
        background: profiles of files of other communities, for comparison.
        embed: whether to take similarities by a language model as well.

    Raises:
        BadInput: a file is missing or malformed.
        MissingExtra: the language model's package is missing.
    """
    found = measure(
        folder.name,
        load_profiles(folder / "profile.jsonl"),
        list(load_layout_findings(folder / "findings.jsonl")),
        tasks=tasks or Tasks(),
        background=background,
        directory=folder / "full_community",
        embed=embed,
    )
    write_atomically(folder / "environment.json", found.model_dump_json(indent=2, by_alias=True) + "\n")
    return found


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f".{folder.name}.lock").open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def _fingerprint(sources: Sequence[SourceFile], findings: Sequence[LayoutFinding], limits: Limits) -> str:
    digest = hashlib.sha256(json.dumps([STAGE_VERSION, limits.model_dump()]).encode())
    for source in sources:
        digest.update(json.dumps([source.name, *source.state]).encode())
    for one in findings:
        digest.update(one.to_line().encode())
    return digest.hexdigest()


def _is_laid_out(folder: Path, fingerprint: str) -> bool:
    """Whether the community is complete by its manifest and its sources are those of then.

    Raises:
        BadInput: the folder was not made by this stage.
    """
    if not folder.exists():
        return False
    record = folder / "laid_out.json"
    if not record.is_file():
        raise BadInput(f"{folder}: already there, from elsewhere; remove it, or lay out into another folder")
    if LaidOut.from_stored(read_json(record), where=str(record)).sources_sha256 != fingerprint:
        return False
    profiles = load_profiles(folder / "profile.jsonl")
    return all(_has_size(folder / "full_community" / one.path, one.bytes) for one in profiles)


def _has_size(path: Path, n_bytes: int) -> bool:
    return path.is_file() and path.stat().st_size == n_bytes


def _build(
    folder: Path,
    sources: Sequence[SourceFile],
    findings: Sequence[LayoutFinding],
    fingerprint: str,
    *,
    limits: Limits,
    n_workers: int | None,
    may_link: bool,
    progress: Progress,
) -> None:
    """Profile and place everything beside the target, then rename it into place."""
    partial = folder.parent / f".{folder.name}.partial"
    try:
        profiles, unread = _profiled(sources, Journal(partial / "journal.jsonl", limits), limits, n_workers, progress)
        if not profiles:
            raise BadInput(f"{folder.name}: no file could be read ({unread[0].where}: {unread[0].message})")
        placer = Placer(may_link=may_link)
        _place(partial / "full_community", sources, profiles, placer)
        record = LaidOut(community=folder.name, sources_sha256=fingerprint, placed=dict(sorted(placer.counts.items())))
        _write_files(partial, list(profiles.values()), [*findings, *unread], record)
        _into_place(partial, folder)
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise BadInput(f"{folder.parent}: the disk is full; make room and run again to go on") from error
        raise BadInput(f"{error.filename or folder}: cannot be written ({error.strerror})") from error


def profile_in_place(
    folder: Path, *, limits: Limits | None = None, n_workers: int | None = None, progress: Progress = quiet
) -> tuple[list[FileProfile], list[LayoutFinding]]:
    """Profile a community that lies on disk already, such as one from an archive; nothing is written.

    Args:
        folder: its `full_community`, or any folder of data sets.
        limits: what profiling one file may cost.
        n_workers: processes that profile.
        progress: called after each file.

    Raises:
        BadInput: there is no file in it.
        MissingExtra: a library that reads data files is missing.
    """
    sources, findings = walk_in_place(folder)
    if not sources:
        raise BadInput(f"{folder}: no file in it")
    limits = limits or Limits()
    profiles, unread = _profiled(sources, None, limits, n_workers, progress)
    return [profiles[name] for name in sorted(profiles)], [*findings, *unread]


def store_profiles(folder: Path, profiles: Sequence[FileProfile], findings: Sequence[LayoutFinding]) -> None:
    """Write `profile.jsonl` and `findings.jsonl` of a community."""
    write_atomically(folder / "profile.jsonl", lines_of(profiles))
    write_atomically(folder / "findings.jsonl", lines_of(findings))


def _profiled(
    sources: Sequence[SourceFile], journal: Journal | None, limits: Limits, n_workers: int | None, progress: Progress
) -> tuple[dict[str, FileProfile], list[LayoutFinding]]:
    """Return the profile of each file that can be read, and a finding for each that cannot."""
    profiles = journal.known(sources) if journal else {}
    by_name = {source.name: source for source in sources}
    unread: list[LayoutFinding] = []
    left = [Job(one.path, one.name, one.n_bytes) for one in sources if one.name not in profiles]
    n_bytes_all = sum(source.n_bytes for source in sources)
    n_bytes = n_bytes_all - sum(job.n_bytes for job in left)
    progress(Done(len(profiles), len(sources), n_bytes, n_bytes_all))
    with (
        journal.writing() if journal else nullcontext(_forget) as add,
        Pool(n_workers=n_workers, limits=limits) as pool,
    ):
        for outcome in pool.profile(left):
            if outcome.profile is None:
                text = f"cannot be read ({outcome.error}): not in the environment"
                unread.append(finding(outcome.job.name, "unreadable_file", "error", text))
            else:
                profiles[outcome.job.name] = outcome.profile
                add(by_name[outcome.job.name], outcome.profile)
            n_bytes += outcome.job.n_bytes
            progress(Done(len(profiles) + len(unread), len(sources), n_bytes, n_bytes_all))
    return profiles, unread


def _forget(source: SourceFile, profile: FileProfile) -> None:
    del source, profile


def _place(root: Path, sources: Sequence[SourceFile], profiles: Mapping[str, FileProfile], placer: Placer) -> None:
    _remove_others(root, set(profiles))
    root.mkdir(parents=True, exist_ok=True)
    for source in sources:
        if source.name in profiles:
            placer.place(source, profiles[source.name].sha256, root / source.name)


def _remove_others(root: Path, names: set[str]) -> None:
    """Remove what an earlier, interrupted run placed from sources that are there no more."""
    for path in [one for one in root.rglob("*") if not one.is_dir()] if root.is_dir() else []:
        if str(path.relative_to(root)) not in names:
            path.unlink()


def _write_files(
    partial: Path, profiles: Sequence[FileProfile], findings: Sequence[LayoutFinding], record: LaidOut
) -> None:
    rows = ({"path": one.path, "bytes": one.bytes, "sha256": one.sha256} for one in profiles)
    manifest = sorted(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    write_atomically(partial / "manifest.jsonl", "".join(manifest))
    store_profiles(partial, profiles, findings)
    write_atomically(partial / "laid_out.json", record.model_dump_json(indent=2) + "\n")


def _into_place(partial: Path, folder: Path) -> None:
    old = folder.with_name(f".{folder.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    partial.rename(folder)
    sync_directory(folder.parent)
    (folder / "journal.jsonl").unlink(missing_ok=True)
    shutil.rmtree(old, ignore_errors=True)
