"""A folder of notebooks and data sets as a corpus.

Every folder with a `dataset-metadata.json` is a data set, and so is every folder of `ROOT/datasets` (of its owners'
folders, where those hold nothing but data sets). Notebooks are the `.ipynb` and `.py` files elsewhere, or below
`ROOT/notebooks` where there is such a folder. Links are not followed.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from coda_bench.construct.corpus.dataset_folders import METADATA, FolderDataset, Told, datasets_of, metadata
from coda_bench.construct.corpus.fold import folded
from coda_bench.construct.corpus.references import Reference, Slugs, docker_image, references, unresolved_ids
from coda_bench.construct.corpus.store import Reading, store
from coda_bench.construct.tables import database
from coda_bench.errors import BadInput
from coda_bench.notebook import ENDINGS, FOREIGN, Notebook, Unreadable, read_notebook, storable
from coda_bench.records.corpus import CorpusManifest, Severity, StoredReference
from coda_bench.records.storage import write_atomically

if TYPE_CHECKING:
    import duckdb

REFERENCES = "references.jsonl"
_KERNEL = "kernel-metadata.json"
_SHOWN = 120
_REASONS = 3
_ALWAYS_COUNTED = (
    "notebooks_that_cannot_be_read",
    "notebooks_in_other_languages",
    "notebooks_that_do_not_parse",
    "references_unresolved",
)
"""None of them is a count too."""

Progress = Callable[[int, int], None]


class FolderOptions(NamedTuple):
    """What of a folder counts."""

    licences: Sequence[str] | None = None
    """Licences whose data sets count, as their metadata spells them; None for all."""
    similarity: float = 0.9
    """From which two notebooks are one; above 1 none are."""


class _Read(NamedTuple):
    name: str
    path: str
    notebook: Notebook
    found: list[Reference]


def read_folder(
    root: Path, out: Path, options: FolderOptions | None = None, *, progress: Progress = lambda _done, _all: None
) -> CorpusManifest:
    """Read a folder and store it as a corpus, with `references.jsonl`: what every notebook refers to, and where.

    Args:
        root: the folder.
        out: the directory to write to.
        options: what of it counts.
        progress: called after each notebook with how many are read and how many there are.

    Raises:
        BadInput: there is no such folder, or no data set or no notebook in it.
    """
    options = options or FolderOptions()
    root = root.resolve()
    if not root.is_dir():
        raise BadInput(f"{root}: no such folder")
    told = Told([], Counter(dict.fromkeys(_ALWAYS_COUNTED, 0)))
    datasets = datasets_of(root, options.licences, told)
    if not datasets:
        raise BadInput(f"{root}: no data set in it (folders of datasets/, or with a {METADATA})")
    read = _notebooks(root, datasets, told, progress)
    if not read:
        raise BadInput(f"{root}: no notebook in it that can be read{_reasons(told)}")
    codes = {one.name: "\n".join(cell.source for cell in one.notebook.code) for one in read}
    repeats = folded(codes, similarity=options.similarity)
    _write_references(out, read)
    recorded = {"licences": sorted(options.licences) if options.licences else None, "similarity": options.similarity}
    with database() as connection:
        _fill(connection, datasets, read, repeats, told.counts)
        counts = dict(sorted(told.counts.items()))
        return store(connection, out, Reading("folder", root, recorded, counts, told.findings))


def _reasons(told: Told) -> str:
    """Return the first few things that were found wrong, for a refusal that leaves no findings behind."""
    some = [f"{one.where}: {one.message}" for one in told.findings[:_REASONS]]
    return "".join(f"; {reason}" for reason in some)


def _notebooks(root: Path, datasets: list[FolderDataset], told: Told, progress: Progress) -> list[_Read]:
    slugs = Slugs(one.name for one in datasets)
    paths = list(_notebook_paths(root, {root / one.path for one in datasets}, told))
    read = []
    for done, path in enumerate(paths, 1):
        told.counts["notebooks_seen"] += 1
        one = _read(root, path, slugs, told)
        if one:
            read.append(one)
        progress(done, len(paths))
    return sorted(read, key=lambda one: one.name)


def _notebook_paths(root: Path, datasets: set[Path], told: Told) -> Iterator[Path]:
    own = root / "notebooks"
    start = own if own.is_dir() and not own.is_symlink() else root
    for path, folders, files in os.walk(start):  # what cannot be listed was told when data sets were looked for
        folders[:] = sorted(name for name in folders if Path(path, name) not in datasets and not name.startswith("."))
        for name in sorted(files):
            one = Path(path, name)
            if Path(name).suffix.lower() not in ENDINGS | FOREIGN.keys():
                continue
            if os.path.islink(one):  # noqa: PTH114 - no error for a path that is too long
                told.link(root, one)
            elif os.path.isfile(one):  # noqa: PTH113 - likewise
                yield one
            else:
                told.counts.update(notebooks_seen=1, notebooks_that_cannot_be_read=1)
                where = storable(one.relative_to(root).as_posix())
                told.find(where, "unreadable", Severity.ERROR, "no file, or its path is too long")


def _read(root: Path, path: Path, slugs: Slugs, told: Told) -> _Read | None:
    place = storable(path.relative_to(root).as_posix())
    name = place.removeprefix("notebooks/")
    notebook = _notebook(path, name, told)
    if notebook is None:
        return None
    found, unparsed = references(notebook, slugs, _kernel(root, path, told))
    if unparsed:
        told.counts["notebooks_that_do_not_parse"] += 1
        cell, reason = unparsed[0]
        message = f"{len(unparsed)} of its cells are not Python 3 ({reason}); paths are taken from their text"
        told.find(f"{name}:{cell}", "does_not_parse", Severity.WARNING, message)
    _tell_unresolved(name, notebook, found, told)
    return _Read(name, place, notebook, found)


def _kernel(root: Path, path: Path, told: Told) -> dict[str, Any]:
    """Return the metadata beside a notebook, unless it names another file as the one it is about."""
    found = metadata(path.parent / _KERNEL, storable(path.parent.relative_to(root).as_posix()), told)
    return found if found.get("code_file", path.name) == path.name else {}


def _notebook(path: Path, name: str, told: Told) -> Notebook | None:
    language = FOREIGN.get(path.suffix.lower())
    try:
        notebook = None if language else read_notebook(path)
    except (Unreadable, OSError) as error:
        told.counts["notebooks_that_cannot_be_read"] += 1
        told.find(name, "unreadable", Severity.ERROR, storable(str(error)))
        return None
    language = language or (notebook.language if notebook else "")
    if language == "python":
        return notebook
    told.counts["notebooks_in_other_languages"] += 1
    told.find(name, "language", Severity.NOTE, f"in {language}; only Python is read")
    return None


def _tell_unresolved(name: str, notebook: Notebook, found: list[Reference], told: Told) -> None:
    for one in found:
        if one.dataset is None:
            told.counts["references_unresolved"] += 1
            where = f"{name}:{one.cell}:{one.line}" if one.cell else name
            message = f"{storable(one.text[:_SHOWN])} is no data set of this corpus"
            told.find(where, "unresolved", Severity.WARNING, message)
    numbers = unresolved_ids(notebook)
    if numbers and not any(one.dataset for one in found):
        told.find(name, "source_numbers", Severity.NOTE, f"{numbers} sources named by number only")


def _write_references(out: Path, read: list[_Read]) -> None:
    rows = [
        StoredReference(
            notebook=one.name,
            dataset=found.dataset,
            how=found.how,
            cell=found.cell,
            line=found.line,
            text=storable(found.text),
        )
        for one in read
        for found in one.found
    ]
    write_atomically(out / REFERENCES, "".join(f"{row.model_dump_json()}\n" for row in rows))


def _fill(
    connection: "duckdb.DuckDBPyConnection",
    datasets: list[FolderDataset],
    read: list[_Read],
    repeats: dict[str, str],
    counts: Counter[str],
) -> None:
    """Make the tables of the corpus, and count what is in them."""
    number = {one.name: place for place, one in enumerate(datasets)}
    used = {one.name: sorted({found.dataset for found in one.found if found.dataset}) for one in read}
    kept = {place: one for place, one in enumerate(read) if one.name not in repeats}
    pairs = [(place, number[name]) for place, one in kept.items() for name in used[one.name]]
    sizes = Counter(min(3, len(used[one.name])) for one in kept.values())
    counts.update(notebooks=len(kept), folded=len(repeats), datasets=len(datasets), uses=len(pairs))
    counts.update(notebooks_with_no_data_set=sizes[0], notebooks_with_one=sizes[1], notebooks_with_two=sizes[2])
    counts.update(notebooks_with_three_or_more=sizes[3])
    counts["datasets_unused"] = len(datasets) - len({one for _, one in pairs})
    notebooks = [
        (
            place,
            one.name,
            storable(one.notebook.title),
            "python",
            one.path,
            repeats.get(one.name),
            docker_image(one.notebook),
        )
        for place, one in enumerate(read)
    ]
    rows = [
        (place, one.name, one.name.rpartition("/")[2], storable(one.title), *one[3:5], one.path, *one[5:])
        for place, one in enumerate(datasets)
    ]
    connection.execute(
        "CREATE TABLE notebooks (id BIGINT, notebook VARCHAR, title VARCHAR, language VARCHAR, path VARCHAR, "
        "folded_into VARCHAR, docker_image VARCHAR)"
    )
    connection.execute(
        "CREATE TABLE datasets (id BIGINT, dataset VARCHAR, slug VARCHAR, title VARCHAR, version VARCHAR, "
        "licence VARCHAR, path VARCHAR, files BIGINT, bytes BIGINT, tabular BIGINT)"
    )
    connection.execute("CREATE TABLE uses (notebook_id BIGINT, dataset_id BIGINT)")
    for table, content in (("notebooks", notebooks), ("datasets", rows), ("uses", pairs)):
        if content:
            places = ", ".join("?" * len(content[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({places})", content)  # noqa: S608 - names of our own
