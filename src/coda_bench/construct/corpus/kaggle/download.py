"""Download what a list names, once: data sets and notebooks at their versions, into a folder that is read as a corpus.

Output: `datasets/<owner>/<slug>/…` with `dataset-metadata.json`, `notebooks/<owner>/<slug>/…` with
`kernel-metadata.json` (both in Kaggle's own form, with the version added), and `downloads.jsonl`. What is there already
at the same version is not asked for again; a download that was cut goes on where it stopped.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from coda_bench.archives.headers import BadArchive
from coda_bench.archives.lock import locked
from coda_bench.construct.corpus.kaggle.licences import OPEN, allowed, short_name
from coda_bench.construct.corpus.kaggle.service import Kaggle, NotebookSource, Refused
from coda_bench.construct.corpus.kaggle.unzip import unzip
from coda_bench.records.kaggle import DOWNLOADS, Download, Kind, Outcome, Pin
from coda_bench.records.record import Record
from coda_bench.records.storage import append_line, read_json_lines, write_atomically

LARGEST_NOTEBOOK_BYTES = 50 << 20
_PARTIAL = ".partial"
_LOCK = ".downloads.lock"
_ENDINGS = {"python": ".py", "r": ".R", "rmarkdown": ".Rmd", "julia": ".jl", "sqlite": ".sql"}

Say = Callable[[str], None]


class DownloadOptions(Record):
    """What may be taken."""

    licences: tuple[str, ...] = OPEN
    """Of data sets, under Kaggle's short or long names."""
    most_bytes: int = 2 << 30
    """The largest archive, and the most that one may hold when unpacked."""


def download(
    pins: Sequence[Pin],
    out: Path,
    options: DownloadOptions | None = None,
    *,
    kaggle: Kaggle,
    say: Say = lambda _: None,
) -> list[Download]:
    """Download data sets and notebooks; what cannot be had is recorded with its reason and the rest still downloaded.

    Args:
        pins: what to download.
        out: the folder to download into.
        options: what may be taken.
        kaggle: where to ask.
        say: told which pin is next.

    Returns:
        What became of every pin, in the order of the list's kinds and names.

    Raises:
        BadInput: Kaggle cannot be reached, stays busy, or refuses the credentials; what was downloaded stays, and the
            same call goes on with the rest.
    """
    options = options or DownloadOptions()
    out.mkdir(parents=True, exist_ok=True)
    with locked(out / _LOCK):
        known = _known(out)
        for number, pin in enumerate(pins, 1):
            say(f"{number}/{len(pins)}: {pin}")
            if not _is_there(known.get(pin.folder), pin, out, options):
                known[pin.folder] = _download(pin, out, options, kaggle)
                append_line(out / DOWNLOADS, known[pin.folder].model_dump_json())
        shutil.rmtree(out / _PARTIAL, ignore_errors=True)
        lines = [known[folder].model_dump_json() for folder in sorted(known)]
        write_atomically(out / DOWNLOADS, "".join(f"{line}\n" for line in lines))
    return [known[folder] for folder in sorted({pin.folder for pin in pins})]


def read_downloads(out: Path) -> list[Download]:
    """Return what is recorded of earlier downloads into a folder, the last word on each pin."""
    return list(_known(out).values())


def _known(out: Path) -> dict[str, Download]:
    file = out / DOWNLOADS
    if not file.is_file():
        return {}
    rows = (Download.from_stored(row, where=f"{file}:{number}") for number, row in read_json_lines(file))
    return {row.asked.folder: row for row in rows}


def _is_there(known: Download | None, pin: Pin, out: Path, options: DownloadOptions) -> bool:
    """Say whether a pin was downloaded; one without a version stays at the version it was resolved to."""
    if known is None or known.outcome is not Outcome.DOWNLOADED or not (out / pin.folder).is_dir():
        return False
    same = pin.version in (None, known.pin.version)
    return same and (pin.kind is Kind.NOTEBOOK or allowed(known.licence, options.licences))


def _download(pin: Pin, out: Path, options: DownloadOptions, kaggle: Kaggle) -> Download:
    try:
        if pin.kind is Kind.DATASET:
            return _download_dataset(pin, out, options, kaggle)
        return _download_notebook(pin, out, kaggle)
    except Refused as error:
        return Download(asked=pin, pin=pin, outcome=error.outcome, message=str(error))
    except BadArchive as error:
        return Download(asked=pin, pin=pin, outcome=Outcome.REFUSED, message=str(error))


def _download_dataset(pin: Pin, out: Path, options: DownloadOptions, kaggle: Kaggle) -> Download:
    """Ask for the licence first: what may not be used is not downloaded."""
    facts = kaggle.dataset(pin)
    licence = facts.licence and short_name(facts.licence)
    pinned = _pinned(pin, facts.version)
    if not allowed(licence, options.licences):
        message = f"its licence is {licence or 'not stated'}; allow it by name if you may use it"
        outcome = Outcome.LICENCE_NOT_ALLOWED
        return Download(
            asked=pin, pin=pinned, outcome=outcome, message=message, title=facts.title, licence=licence or None
        )
    archive = out / _PARTIAL / f"{pin.owner}--{pin.slug}--{pinned.version}.zip"
    archive.parent.mkdir(exist_ok=True)
    kaggle.archive(pinned, archive, most_bytes=options.most_bytes)
    metadata = {
        "title": facts.title,
        "id": pin.name,
        "licenses": [{"name": licence}],
        "version": pinned.version,
    }
    with archive.open("rb") as stream:
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    try:
        n_files, n_bytes = _unpack(archive, out / pin.folder, metadata, options.most_bytes)
    except BadArchive:
        archive.unlink()  # of no use again, unlike one that only found no room
        raise
    archive.unlink()
    return Download(
        asked=pin,
        pin=pinned,
        outcome=Outcome.DOWNLOADED,
        title=facts.title,
        licence=licence,
        files=n_files,
        bytes=n_bytes,
        sha256=sha256,
    )


def _pinned(pin: Pin, current: int | None) -> Pin:
    if pin.version is not None:
        return pin
    if current is None:
        raise Refused(Outcome.REFUSED, "Kaggle does not say which version is current; name one")
    return pin.at(current)


def _unpack(archive: Path, target: Path, metadata: dict[str, Any], most_bytes: int) -> tuple[int, int]:
    """Unpack beside the target and rename; an older version goes when the new one is complete."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix="unpack-", dir=archive.parent))
    try:
        counted = unzip(archive, partial, most_bytes=most_bytes)
        # Ours replaces one in the archive: the licence and version that were checked are those that count.
        write_atomically(partial / "dataset-metadata.json", json.dumps(metadata, indent=2) + "\n")
        _replace(partial, target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return counted


def _replace(partial: Path, target: Path) -> None:
    partial.chmod(0o755)
    if target.is_symlink():
        target.unlink()
    elif target.exists():
        shutil.rmtree(target)
    partial.rename(target)


def _download_notebook(pin: Pin, out: Path, kaggle: Kaggle) -> Download:
    source = kaggle.notebook(pin if pin.version is not None else _current(pin, kaggle))
    pinned = _pinned(pin, source.version)
    content = source.text.encode("utf-8", "surrogatepass")
    if len(content) > LARGEST_NOTEBOOK_BYTES:
        raise Refused(Outcome.REFUSED, f"its source has more than {LARGEST_NOTEBOOK_BYTES >> 20} MiB")
    partial = Path(tempfile.mkdtemp(prefix="notebook-", dir=_made(out / _PARTIAL)))
    name = f"{pin.slug}{_ending(source)}"
    write_atomically(partial / name, content)
    write_atomically(
        partial / "kernel-metadata.json", json.dumps(_kernel_metadata(pinned, name, source), indent=2) + "\n"
    )
    _made((out / pin.folder).parent)
    _replace(partial, out / pin.folder)
    return Download(
        asked=pin,
        pin=pinned,
        outcome=Outcome.DOWNLOADED,
        title=source.title,
        files=1,
        bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        sources=source.datasets,
    )


def _current(pin: Pin, kaggle: Kaggle) -> Pin:
    """Return the pin at the version that is current, so that the source is of the version that gets recorded."""
    return _pinned(pin, kaggle.notebook(pin).version)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _ending(source: NotebookSource) -> str:
    return ".ipynb" if source.kernel_type == "notebook" else _ENDINGS.get(source.language, ".txt")


def _kernel_metadata(pin: Pin, code_file: str, source: NotebookSource) -> dict[str, Any]:
    """Return what `kernel-metadata.json` holds (format: `kaggle kernels pull -m`, and the version)."""
    return {
        "id": pin.name,
        "title": source.title,
        "code_file": code_file,
        "language": source.language,
        "kernel_type": source.kernel_type,
        "dataset_sources": list(source.datasets),
        "competition_sources": list(source.competitions),
        "kernel_sources": list(source.notebooks),
        "model_sources": list(source.models),
        "docker_image": source.docker_image,
        "version": pin.version,
    }
