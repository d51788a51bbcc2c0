"""`coda-bench data`: get, unpack, check and pack the communities of a release."""

import json as json_format
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from rich.table import Table
from rich.text import Text

from coda_bench.archives.extract import extract as unpack
from coda_bench.archives.extract import extraction_of
from coda_bench.archives.fetch import HUB, METADATA, REPOSITORY, Fetcher, Place
from coda_bench.archives.pack import pack as pack_community
from coda_bench.archives.verify import Difference, verify_archive, verify_community
from coda_bench.cli.console import EXIT_FINDINGS, console, errors, guarded, print_json, visible
from coda_bench.errors import BadInput, CommunityMissing
from coda_bench.layout import Release
from coda_bench.records.archive import ArchiveEntry, ArchivesManifest, load_archives_manifest
from coda_bench.records.storage import write_atomically

app = typer.Typer(
    add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, help="Get and check communities."
)

MANIFEST = "archives_manifest.json"
Root = Annotated[Path, typer.Option("--release", help="Release directory.")]
Communities = Annotated[list[str] | None, typer.Option("--community", help="Only this community; may be repeated.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


@app.command()
@guarded
def fetch(
    *,
    release: Root,
    revision: Annotated[
        str | None, typer.Option(help="Tag or commit on the hub, such as v1.0.1; a commit never changes.")
    ] = None,
    community: Communities = None,
    url: Annotated[
        list[str] | None, typer.Option(help="Mirror: address below which the release lies; may be repeated.")
    ] = None,
    repository: Annotated[str, typer.Option(help="Data set on the hub.")] = REPOSITORY,
    metadata_only: Annotated[
        bool, typer.Option("--metadata-only", help="Task files and manifest, no archive.")
    ] = False,
    keep_archives: Annotated[bool, typer.Option("--keep-archives", help="Keep archives once extracted.")] = False,
    json: AsJson = False,
) -> None:
    """Download task files and archives at a pinned revision, check every hash, and extract.

    Run it again to continue after a cut: what is here and sound is not fetched again. A token in HF_TOKEN goes
    to the first address only.

    Exit codes: 0 all there; 2 something cannot be had, or is not what the manifest says.
    """
    fetcher = _fetcher(revision, url or (), repository)
    for name in METADATA:
        fetcher.fetch_metadata(name, release)
    manifest = load_archives_manifest(release / MANIFEST)
    wanted = [] if metadata_only else _wanted(manifest, community)
    done = [_get(fetcher, entry, release, keep=keep_archives) for entry in wanted]
    source = {"format_version": 1, "revision": revision, "places": list(url or ()), "version": manifest.version}
    write_atomically(release / "fetched.json", json_format.dumps(source, indent=2) + "\n")
    _report([{"community": entry.community_id, "extracted_to": str(path)} for entry, path in done], json=json)


def _fetcher(revision: str | None, urls: Sequence[str], repository: str) -> Fetcher:
    places = [Place(url) for url in urls]
    if revision:
        places.insert(0, Place.on_hub(revision, repository=repository, hub=os.environ.get("HF_ENDPOINT", HUB)))
    if not places:
        raise BadInput("name a --revision of the hub, or a mirror with --url")
    return Fetcher(places, token=os.environ.get("HF_TOKEN"))


def _wanted(manifest: ArchivesManifest, names: Sequence[str] | None) -> list[ArchiveEntry]:
    """Return the entries of communities, of all by default; one that stands twice is refused."""
    return [manifest.entry(name) for name in names or (entry.community_id for entry in manifest.archives)]


def _get(fetcher: Fetcher, entry: ArchiveEntry, release: Path, *, keep: bool) -> tuple[ArchiveEntry, Path]:
    """Download and extract one community, unless it is there already."""
    target = release / "communities" / entry.community_id
    known = extraction_of(target)
    keep = keep or (release / entry.archive_path).exists()  # what lay there before is not ours to remove
    if known is None or known.archive_sha256 != entry.sha256:
        with _progress(f"fetch {entry.community_id}", entry.size_bytes) as update:
            archive = fetcher.fetch_archive(entry, release, progress=update)
        with _progress(f"extract {entry.community_id}", entry.size_bytes) as update:
            unpack(archive, entry, release / "communities", progress=update, force=known is not None)
        if not keep:
            archive.unlink(missing_ok=True)
    return entry, target


@contextmanager
def _progress(text: str, total: int) -> Iterator[Callable[[int], None]]:
    name, speed, left = TextColumn("{task.description}"), TransferSpeedColumn(), TimeRemainingColumn()
    columns = (name, BarColumn(), DownloadColumn(), speed, left)
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as progress:
        bar = progress.add_task(text, total=total)
        yield lambda n: progress.update(bar, completed=n)


@app.command()
@guarded
def extract(
    *,
    release: Root,
    community: Communities = None,
    force: Annotated[bool, typer.Option("--force", help="Extract again.")] = False,
    json: AsJson = False,
) -> None:
    """Extract archives that lie in the release's `archives/`, checked against its manifest.

    Exit codes: 0 extracted; 2 an archive is missing or refused: nothing of it is kept then.
    """
    entries = _wanted(load_archives_manifest(release / MANIFEST), community)
    rows = []
    for entry in entries:
        with _progress(f"extract {entry.community_id}", entry.size_bytes) as update:
            found = unpack(release / entry.archive_path, entry, release / "communities", force=force, progress=update)
        rows.append({"community": entry.community_id, "files": found.n_files, "bytes": found.n_bytes})
    _report(rows, json=json)


@app.command()
@guarded
def pack(*, release: Root, community: Communities = None, json: AsJson = False) -> None:
    """Pack communities into `archives/` and write `archives_manifest.json`; the same files give the same bytes.

    Exit codes: 0 packed; 2 a community is missing or holds what no archive may.
    """
    opened = Release.open(release)
    names = community or sorted({task.release_community for task in opened.tasks()})
    entries = []
    for name in names:
        folder = opened.community_directory(name).parent
        size = sum(file.bytes for file in opened.manifest(name) or ())
        with _progress(f"pack {name}", size) as update:
            entries.append(pack_community(folder, release / "archives", name=name, progress=update))
    manifest = _merged(release, entries)
    write_atomically(release / MANIFEST, manifest.model_dump_json(indent=2) + "\n")
    _report([one.model_dump(include={"community_id", "size_bytes", "sha256"}) for one in entries], json=json)


def _merged(release: Path, entries: Sequence[ArchiveEntry]) -> ArchivesManifest:
    """Return the manifest with new entries in the place of those of the same community."""
    file = release / MANIFEST
    known = load_archives_manifest(file) if file.is_file() else ArchivesManifest(version="1", archives=())
    new = {entry.community_id for entry in entries}
    kept = [entry for entry in known.archives if entry.community_id not in new]
    archives = sorted([*kept, *entries], key=lambda entry: entry.community_id)
    return ArchivesManifest(version=known.version, archives=tuple(archives))


@app.command()
@guarded
def verify(*, release: Root, community: Communities = None, json: AsJson = False) -> None:
    """Compare extracted files, and archives that are here, with their manifests; every byte is read.

    Exit codes: 0 all as it should be; 1 differences; 2 the release cannot be used.
    """
    opened = Release.open(release)
    names = community or sorted({task.release_community for task in opened.tasks()})
    rows = [row for name in names for row in _verify_one(opened, name)]
    rows += _verify_archives(release, community)
    if json:
        print_json(rows)
    elif rows:
        _table(rows)
    else:
        console.print(Text(f"{len(names)} communities as their manifests say"))
    if rows:
        raise typer.Exit(EXIT_FINDINGS)


def _verify_one(release: Release, name: str) -> list[dict[str, object]]:
    try:
        total = sum(file.bytes for file in release.manifest(name) or ())
        with _progress(f"verify {name}", total) as update:
            return [_row(name, one) for one in verify_community(release, name, progress=update)]
    except CommunityMissing:
        return [_row(name, Difference(name, "missing"))]


def _verify_archives(root: Path, names: Sequence[str] | None) -> list[dict[str, object]]:
    file = root / MANIFEST
    if not file.is_file():
        return []
    entries = [entry for entry in load_archives_manifest(file).archives if not names or entry.community_id in names]
    here = [entry for entry in entries if (root / entry.archive_path).exists()]
    return [_row(entry.community_id, one) for entry in here for one in verify_archive(root, entry)]


def _row(community: str, found: Difference) -> dict[str, object]:
    return {"community": community, "path": found.path, "what": found.what}


@app.command("list")
@guarded
def list_(*, release: Root, json: AsJson = False) -> None:
    """List the communities of a release: tasks, files, bytes, whether extracted, whether an archive is here.

    Exit codes: 0 listed; 2 not a release.
    """
    opened = Release.open(release)
    tasks = [task.release_community for task in opened.tasks()]
    file = release / MANIFEST
    archives = {entry.community_id: entry for entry in load_archives_manifest(file).archives} if file.is_file() else {}
    names = sorted({*tasks, *archives})
    _report([_status(opened, name, tasks.count(name), archives.get(name)) for name in names], json=json)


def _status(release: Release, name: str, n_tasks: int, entry: ArchiveEntry | None) -> dict[str, object]:
    try:
        files = release.manifest(name)
        here = True
    except CommunityMissing:
        files, here = None, False
    return {
        "community": name,
        "tasks": n_tasks,
        "extracted": here,
        "files": None if files is None else len(files),
        "bytes": None if files is None else sum(file.bytes for file in files),
        "archive": entry is not None and (release.root / entry.archive_path).is_file(),
        "archive_bytes": entry.size_bytes if entry else None,
    }


def _report(rows: Sequence[dict[str, object]], *, json: bool) -> None:
    if json:
        print_json(list(rows))
    elif rows:
        _table(rows)


def _table(rows: Sequence[dict[str, object]]) -> None:
    table = Table(box=None, pad_edge=False)
    for heading, value in rows[0].items():
        side: Literal["left", "right"] = "right" if isinstance(value, int) else "left"
        table.add_column(heading.replace("_", " "), justify=side, overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible(_cell(value))) for value in row.values()))
    console.print(table)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
