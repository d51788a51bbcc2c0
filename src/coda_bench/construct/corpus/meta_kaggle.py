"""A dump of Meta Kaggle as a corpus: its CSV tables joined out of core.

The join rule: a notebook's sources are those of its current version, and `SourceDatasetVersionId` names
`DatasetVersions.Id`. (Joined to `DatasetVersions.DatasourceVersionId` it finds rows as well, wrong ones.) Earlier
versions list the same sources again for every saving, so they do not count.
"""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from coda_bench.construct.corpus.store import Reading, store
from coda_bench.construct.tables import database, needed
from coda_bench.errors import BadInput
from coda_bench.records.corpus import CorpusFinding, CorpusManifest, Severity

if TYPE_CHECKING:
    import duckdb

_COLUMNS = {
    "Kernels": ("Id", "CurrentKernelVersionId", "AuthorUserId", "CurrentUrlSlug", "ForkParentKernelVersionId"),
    "KernelVersions": ("Id", "ScriptLanguageId", "Title"),
    "KernelLanguages": ("Id", "Name"),
    "KernelVersionDatasetSources": ("KernelVersionId", "SourceDatasetVersionId"),
    "DatasetVersions": ("Id", "DatasetId", "VersionNumber", "Title", "Slug", "LicenseName", "TotalUncompressedBytes"),
    "Datasets": ("Id", "OwnerUserId", "OwnerOrganizationId", "CurrentDatasetVersionId"),
    "Users": ("Id", "UserName"),
    "Organizations": ("Id", "Slug"),
}
_LINE_BYTES = 16 << 20
_UNMATCHED = 0.01
"""Share of sources without a data set above which a person should look: the usual sign of a wrong join or dump."""
_KERNELS = """
CREATE TABLE kernels AS
SELECT k.Id AS id, k.CurrentKernelVersionId AS version, u.UserName || '/' || k.CurrentUrlSlug AS notebook,
       k.ForkParentKernelVersionId AS parent, v.Title AS title, lower(l.Name) AS language
FROM raw_Kernels k
JOIN raw_KernelVersions v ON v.Id = k.CurrentKernelVersionId
LEFT JOIN raw_KernelLanguages l ON l.Id = v.ScriptLanguageId
LEFT JOIN raw_Users u ON u.Id = k.AuthorUserId
"""
_DATASETS = """
CREATE TABLE data AS
SELECT d.Id AS id, coalesce(o.Slug, u.UserName) || '/' || v.Slug AS dataset, v.Slug AS slug, v.Title AS title,
       v.VersionNumber AS version, v.LicenseName AS licence, v.TotalUncompressedBytes AS bytes
FROM raw_Datasets d
JOIN raw_DatasetVersions v ON v.Id = d.CurrentDatasetVersionId
LEFT JOIN raw_Organizations o ON o.Id = d.OwnerOrganizationId
LEFT JOIN raw_Users u ON u.Id = d.OwnerUserId
"""
_SOURCES = """
CREATE TABLE used AS
SELECT k.id AS kernel, v.DatasetId AS data, s.SourceDatasetVersionId AS source
FROM raw_KernelVersionDatasetSources s
JOIN kernels k ON k.version = s.KernelVersionId
LEFT JOIN raw_DatasetVersions v ON v.Id = s.SourceDatasetVersionId
"""
_KEPT_NOTEBOOKS = """
CREATE TABLE notebooks AS
SELECT notebook, arg_min(title, id) AS title, arg_min(language, id) AS language,
       CAST(arg_min(version, id) AS VARCHAR) AS version, arg_min(CAST(parent AS VARCHAR), id) AS forked_from,
       min(id) AS id
FROM kernels
WHERE notebook IS NOT NULL AND ($languages IS NULL OR list_contains($languages, language))
  AND ($forks OR parent IS NULL)
GROUP BY notebook
"""
_KEPT_DATASETS = """
CREATE TABLE datasets AS
SELECT dataset, arg_min(slug, id) AS slug, arg_min(title, id) AS title,
       CAST(arg_min(version, id) AS VARCHAR) AS version, arg_min(licence, id) AS licence,
       CAST(arg_min(bytes, id) AS BIGINT) AS bytes, min(id) AS id
FROM data WHERE dataset IS NOT NULL AND ($licences IS NULL OR list_contains($licences, licence))
GROUP BY dataset
"""
_USES = """
CREATE TABLE uses AS
SELECT DISTINCT notebook, dataset FROM used JOIN notebooks n ON n.id = kernel JOIN datasets d ON d.id = used.data
"""
_COUNTS = """
SELECT (SELECT count(*) FROM raw_Kernels) AS notebooks_seen,
       (SELECT count(*) FROM kernels) AS notebooks_with_a_current_version,
       (SELECT count(*) FROM notebooks) AS notebooks,
       (SELECT count(*) FROM kernels WHERE parent IS NOT NULL) AS forks,
       (SELECT count(*) FROM raw_KernelVersionDatasetSources) AS source_rows,
       (SELECT count(*) FROM used) AS source_rows_of_current_versions,
       (SELECT count(*) FROM used WHERE data IS NULL) AS source_rows_without_a_data_set,
       (SELECT count(*) FROM data) AS datasets_seen,
       (SELECT count(*) FROM datasets) AS datasets,
       (SELECT count(*) FROM uses) AS uses
"""


class MetaKaggleOptions(NamedTuple):
    """What of a dump counts."""

    languages: Sequence[str] | None = ("python", "ipython notebook", "ipython notebook html")
    """Names in `KernelLanguages`, in lower case; None for all."""
    forks: bool = True
    """Whether notebooks that are forks count; how much is the graph's to say."""
    licences: Sequence[str] | None = None
    """Licences whose data sets count, as the dump spells them; None for all."""


def read_meta_kaggle(dump: Path, out: Path, options: MetaKaggleOptions | None = None) -> CorpusManifest:
    """Read a dump and store it as a corpus.

    Args:
        dump: the directory with the CSV files.
        out: the directory to write the corpus to.
        options: what of it counts.

    Raises:
        BadInput: a table or a column is missing; the message names it and what was found instead.
    """
    options = options or MetaKaggleOptions()
    with database() as connection:
        for table, columns in _COLUMNS.items():
            _open(connection, dump, table, columns)
        for query in (_KERNELS, _DATASETS, _SOURCES):
            connection.execute(query)
        connection.execute(_KEPT_NOTEBOOKS, {"languages": _list(options.languages), "forks": options.forks})
        connection.execute(_KEPT_DATASETS, {"licences": _list(options.licences)})
        connection.execute(_USES)
        counts = _counted(connection)
        recorded = {"languages": _list(options.languages), "forks": options.forks, "licences": _list(options.licences)}
        return store(connection, out, Reading("meta-kaggle", dump, recorded, counts, _findings(counts)))


def _list(names: Sequence[str] | None) -> list[str] | None:
    return None if names is None else sorted(names)


def _open(connection: "duckdb.DuckDBPyConnection", dump: Path, table: str, columns: Sequence[str]) -> None:
    """Make a view of the columns needed of a CSV file: ids as numbers, all else as text."""
    path = needed(dump / f"{table}.csv", "a dump of Meta Kaggle has it")
    found = _header(path)
    missing = [name for name in columns if name not in found]
    if missing:
        raise BadInput(f"{path}: no column {', '.join(missing)}; it has {', '.join(found)}")
    types = "{" + ", ".join(f"'{name}': '{_type(name)}'" for name in found) + "}"
    chosen = ", ".join(f'"{name}"' for name in columns)
    source = str(path).replace("'", "''")
    options = f"header=true, delim=',', quote='\"', columns={types}, auto_detect=false, max_line_size={_LINE_BYTES}"
    connection.execute(f"CREATE VIEW raw_{table} AS SELECT {chosen} FROM read_csv('{source}', {options})")  # noqa: S608 - names of our own


def _header(path: Path) -> list[str]:
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
        return next(csv.reader(stream), [])


def _type(column: str) -> str:
    return "BIGINT" if column.endswith(("Id", "Bytes")) or column == "VersionNumber" else "VARCHAR"


def _counted(connection: "duckdb.DuckDBPyConnection") -> dict[str, int]:
    found = connection.execute(_COUNTS)
    names = [column[0] for column in found.description]
    return dict(zip(names, map(int, found.fetchall()[0]), strict=True))


def _findings(counts: dict[str, int]) -> list[CorpusFinding]:
    rows, lost = counts["source_rows_of_current_versions"], counts["source_rows_without_a_data_set"]
    if lost == 0:
        return []
    severity = Severity.WARNING if lost > _UNMATCHED * rows else Severity.NOTE
    message = f"{lost} of {rows} sources of current versions name no row of DatasetVersions; they are left out"
    where = "KernelVersionDatasetSources.SourceDatasetVersionId"
    return [CorpusFinding(where=where, kind="unmatched_sources", severity=severity, message=message)]
