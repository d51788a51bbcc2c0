"""One file, from its bytes to its profile. Runs in a worker, below limits; whatever goes wrong becomes a problem."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from coda_bench.construct.environment.profiling import columnar, endings, fixed, packed, signature
from coda_bench.construct.environment.profiling.database import read_database
from coda_bench.construct.environment.profiling.decode import propose, to_utf8
from coda_bench.construct.environment.profiling.delimited import read_delimited
from coda_bench.construct.environment.profiling.documents import read_json
from coda_bench.construct.environment.profiling.limits import Limits
from coda_bench.construct.environment.profiling.markup import read_markup
from coda_bench.construct.environment.profiling.reading import Reading, Unreadable, problem
from coda_bench.construct.environment.profiling.scan import Scan, scan_file
from coda_bench.construct.environment.profiling.workbook import read_workbook
from coda_bench.records.environment import FileProfile

_FORM_ONLY = {"npz", "docx", "pptx", "ods", "odt", "epub", "jar", "pytorch", "zip", "tar"}


@dataclass(frozen=True)
class Means:
    """What a reader may use."""

    limits: Limits
    temp: Path
    """An empty folder of this file's own."""
    scratch: Path
    """A folder that lives as long as the worker."""
    threads: int = 1


def profile_file(path: Path, *, name: str, means: Means) -> FileProfile:
    """Return what a file holds.

    Args:
        path: where it lies; no link is followed.
        name: the community path, for the record; its ending decides what the content leaves open.
        means: limits and folders.

    Raises:
        OSError: the file cannot be opened or read.
        Unreadable: it is no regular file.
    """
    scan = scan_file(path)
    reading = _read(path, scan, name, means, layers=())
    ending = endings.contradicts(name, reading.format)
    if ending and reading.read != "nothing":
        reading = reading.noting("name_contradicts", f"the name ends in .{ending}, the content is {reading.format}")
    return _record(name, scan, reading)


def unread(path: Path, *, name: str, kind: str, message: str) -> FileProfile:
    """Return the profile of a file that could not be read beyond its hash, with the reason.

    Raises:
        OSError: the file cannot be opened or read.
    """
    scan = scan_file(path)
    form = signature.recognise(scan.head, scan.tail, scan.n_bytes) or ("text" if scan.encoding else "binary")
    return _record(name, scan, Reading(form, read="nothing", problems=(problem(kind, message),)))


def _record(name: str, scan: Scan, reading: Reading) -> FileProfile:
    return FileProfile(
        path=name,
        bytes=scan.n_bytes,
        sha256=scan.sha256,
        format=reading.format,
        layers=reading.layers,
        encoding=reading.encoding,
        delimiter=reading.delimiter,
        header=reading.header,
        tables=reading.tables,
        n_members=reading.n_members,
        read=reading.read,
        problems=reading.problems,
    )


def _read(path: Path, scan: Scan, name: str, means: Means, layers: tuple[str, ...]) -> Reading:
    if not scan.n_bytes:
        return Reading("empty", problems=(problem("empty_file", "no bytes"),), layers=layers)
    form = signature.recognise(scan.head, scan.tail, scan.n_bytes)
    if form in packed.COMPRESSIONS:
        return _unpacked(path, scan, name, means, (*layers, str(form)))
    try:
        reading = _binary(path, form, scan, means) if form else _text(path, scan, name, means)
    except Unreadable as error:
        kind = form or error.form or "text"
        reading = Reading(kind, read="nothing", problems=(problem("broken", str(error)),))
    except MemoryError as error:
        note = problem("out_of_memory", f"needs more memory than one file may use ({error})")
        reading = Reading(form or "text", read="nothing", problems=(note,))
    return replace(reading, layers=layers)


def _unpacked(path: Path, scan: Scan, name: str, means: Means, layers: tuple[str, ...]) -> Reading:
    inner = means.temp / f"layer{len(layers)}"
    if len(layers) > means.limits.layers:
        note = problem("too_many_layers", f"more than {means.limits.layers} compressions around it")
        return Reading(layers[-1], read="form", layers=layers[:-1], problems=(note,))
    try:
        packed.unpack(path, layers[-1], inner, packed.unpacked_limit(means.limits, scan.n_bytes))
    except (Unreadable, MemoryError) as error:
        note = problem("broken", str(error) or "out of memory")
        return Reading(layers[-1], read="nothing", layers=layers[:-1], problems=(note,))
    stem = name[: -len(PurePosixPath(name).suffix)] if PurePosixPath(name).suffix.lower() in _SUFFIXES else name
    return _read(inner, scan_file(inner), stem, means, layers)


_SUFFIXES = {f".{kind}" for kind in (*packed.COMPRESSIONS, "gzip", "tgz")}


def _binary(path: Path, form: str, scan: Scan, means: Means) -> Reading:
    readers: dict[str, Callable[[], Reading]] = {
        "zip": lambda: _zip(path, means),
        "tar": lambda: packed.read_tar(path),
        "sqlite": lambda: read_database(path, means.limits.deadline(scan.n_bytes) * 0.8),
        "npy": lambda: fixed.read_npy(path, scan.head),
        "stata": lambda: fixed.read_stata(scan.head),
        "dbf": lambda: fixed.read_dbf(scan.head),
        "shapefile": lambda: fixed.read_shape(scan.head, scan.n_bytes),
        "pickle": lambda: Reading("pickle", read="nothing").noting("holds_pickle", "loading it would run its code"),
        "ole": lambda: Reading("ole", read="form"),
        **dict.fromkeys(
            ("parquet", "arrow", "orc", "feather_v1"), lambda: columnar.read_columnar(path, form, scan.tail)
        ),
    }
    if form in readers:
        return readers[form]()
    reading = Reading(form, read="form")
    return reading.noting("truncated", "its end is missing") if endings.breaks_off(form, scan.tail) else reading


def _zip(path: Path, means: Means) -> Reading:
    reading = packed.read_zip(path)
    if reading.format != "xlsx":
        return reading
    try:
        book = read_workbook(path, means.limits)
    except Unreadable as error:
        return replace(reading, read="nothing").noting("broken", str(error))
    return replace(book, n_members=reading.n_members, problems=(*reading.problems, *book.problems))


def _text(path: Path, scan: Scan, name: str, means: Means) -> Reading:
    if scan.encoding in {"ascii", "utf-8", "utf-8-sig"} and b"\0" not in scan.head and scan.is_textual:
        return replace(_utf8(path, scan, name, means), encoding=scan.encoding)
    for encoding in propose(scan):
        plain = means.temp / "utf8"
        try:
            to_utf8(path, encoding, plain, means.limits.unpacked_bytes)
        except (UnicodeError, LookupError):
            continue
        inner = scan_file(plain)
        if inner.is_textual:
            found = replace(_utf8(plain, inner, name, means), encoding=encoding)
            return (
                found if scan.encoding else found.noting("guessed_encoding", f"{encoding} by the look of its letters")
            )
    if scan.is_textual:
        reading = Reading("text", read="nothing")
        return reading.noting("unknown_encoding", "text by its look, and no encoding tried decodes all of it")
    return Reading(signature.rare_format(scan.head) or "binary", read="form")


def _utf8(path: Path, scan: Scan, name: str, means: Means) -> Reading:
    begin = scan.head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    found: Reading | None = None
    if begin in {b"{", b"["}:
        found = read_json(path, scan, limits=means.limits)
    elif begin == b"<":
        found = read_markup(path, scan.head)
    elif b"@relation" in scan.head.lower():
        found = Reading("arff", read="form")
    if found is None:
        found = read_delimited(
            path,
            scan,
            name=name,
            limits=means.limits,
            temp=means.temp,
            scratch=means.scratch,
            threads=means.threads,
        )
        found = found or Reading("text")
    return found.noting("nul_bytes", f"{scan.n_nul} NUL bytes in a text") if scan.n_nul else found
