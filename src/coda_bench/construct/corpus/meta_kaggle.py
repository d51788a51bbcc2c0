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
_LINE_BYTES = 4 << 20
_BUFFER_BYTES = 8 << 20
"""Files are cut into pieces of this size for the processors; by default they would be 32 of the longest lines."""
_UNMATCHED = 0.01
"""Share of sources without a data set above which a person should look: the usual sign of a wrong join or dump."""
# In each join the smaller table stands on the right, where the database builds its hash table: of CSV files it cannot
# know the size, so it is told not to choose by itself.
_ORDER = "SET disabled_optimizers = 'join_order,build_side_probe_side'"
_LANGUAGES = """
CREATE TABLE languages AS SELECT Id AS id, lower(Name) AS language FROM raw_KernelLanguages
"""
_CURRENT = """
CREATE TABLE current AS
SELECT Id AS id, CurrentKernelVersionId AS version, AuthorUserId AS author, CurrentUrlSlug AS slug,
       ForkParentKernelVersionId AS parent
FROM raw_Kernels
"""
_NOTEBOOKS = """
CREATE TABLE notebooks AS
SELECT c.id, u.UserName || '/' || c.slug AS notebook, v.Title AS title, l.language,
       CAST(c.version AS VARCHAR) AS version, CAST(c.parent AS VARCHAR) AS forked_from
FROM raw_KernelVersions v JOIN current c ON c.version = v.Id
LEFT JOIN languages l ON l.id = v.ScriptLanguageId
LEFT JOIN raw_Users u ON u.Id = c.author
WHERE u.UserName || '/' || c.slug IS NOT NULL AND ($languages IS NULL OR list_contains($languages, l.language))
  AND ($forks OR c.parent IS NULL)
"""
_VERSIONS = """
CREATE TABLE versions AS
SELECT Id AS id, DatasetId AS data, VersionNumber AS number, Title AS title, Slug AS slug, LicenseName AS licence,
       TotalUncompressedBytes AS bytes
FROM raw_DatasetVersions
"""
_DATASETS = """
CREATE TABLE datasets AS
SELECT d.Id AS id, coalesce(o.Slug, u.UserName) || '/' || v.slug AS dataset, v.slug, v.title,
       CAST(v.number AS VARCHAR) AS version, v.licence, v.bytes
FROM versions v JOIN raw_Datasets d ON v.id = d.CurrentDatasetVersionId
LEFT JOIN raw_Organizations o ON o.Id = d.OwnerOrganizationId
LEFT JOIN raw_Users u ON u.Id = d.OwnerUserId
WHERE coalesce(o.Slug, u.UserName) || '/' || v.slug IS NOT NULL
  AND ($licences IS NULL OR list_contains($licences, v.licence))
"""
_SOURCES = """
CREATE TABLE sources AS
SELECT c.id AS kernel, s.SourceDatasetVersionId AS version
FROM raw_KernelVersionDatasetSources s JOIN current c ON c.version = s.KernelVersionId
"""
_USED = "CREATE TABLE used AS SELECT s.kernel, v.data FROM sources s LEFT JOIN versions v ON v.id = s.version"
_USES = """
CREATE TABLE uses AS
SELECT u.kernel AS notebook_id, u.data AS dataset_id
FROM used u JOIN notebooks n ON n.id = u.kernel JOIN datasets d ON d.id = u.data
"""
# Should a name stand twice, the data set that was there first keeps it.
_SAME_NAMES = """
DELETE FROM datasets WHERE id IN (
  SELECT t.id FROM datasets t
  JOIN (SELECT dataset, min(id) AS first FROM datasets GROUP BY dataset HAVING count(*) > 1) d USING (dataset)
  WHERE t.id > d.first)
"""
_COUNTS = """
SELECT (SELECT count(*) FROM current) AS notebooks_seen,
       (SELECT count(*) FROM notebooks) AS notebooks,
       (SELECT count(*) FROM notebooks WHERE forked_from IS NOT NULL) AS forks,
       (SELECT count(*) FROM sources) AS source_rows_of_current_versions,
       (SELECT count(*) FROM used WHERE data IS NULL) AS source_rows_without_a_data_set,
       (SELECT count(DISTINCT data) FROM versions) AS datasets_seen,
       (SELECT count(*) FROM datasets) AS datasets,
       (SELECT count(*) FROM (SELECT DISTINCT * FROM uses)) AS uses
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
        connection.execute(_ORDER)
        for query in (_LANGUAGES, _CURRENT, _VERSIONS, _SOURCES, _USED):
            connection.execute(query)
        connection.execute(_NOTEBOOKS, {"languages": _list(options.languages), "forks": options.forks})
        connection.execute(_DATASETS, {"licences": _list(options.licences)})
        connection.execute(_SAME_NAMES)
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
    options = f"header=true, delim=',', quote='\"', columns={types}, auto_detect=false, max_line_size={_LINE_BYTES}, "
    options += f"buffer_size={_BUFFER_BYTES}"
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
