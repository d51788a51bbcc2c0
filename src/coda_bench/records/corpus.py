"""Corpus: who uses what, as tables with a manifest.

A directory holds `corpus.json` and, all sorted by their keys: `notebooks.parquet` (notebook, title, language, version,
path, forked_from, folded_into, licence, docker_image, id), `datasets.parquet` (dataset, slug, title, version, licence,
path, files, bytes, tabular, id), `uses.parquet` (notebook_row, dataset_row: distinct pairs, as numbers from 0 of rows
of the other two) and
`findings.jsonl`.
"""

from enum import StrEnum
from typing import Any

from pydantic import Field

from coda_bench.records.record import Record, StoredRecord

MANIFEST = "corpus.json"
TABLES = ("notebooks.parquet", "datasets.parquet", "uses.parquet")
FINDINGS = "findings.jsonl"


class Severity(StrEnum):
    """How much a finding matters."""

    ERROR = "error"
    """Something was left out."""
    WARNING = "warning"
    """Something may be wrong."""
    NOTE = "note"


class CorpusFinding(StoredRecord):
    """One thing about a corpus that a person should know."""

    where: str
    """A path, a table, or a notebook with its cell and line."""
    kind: str
    severity: Severity
    message: str


class StoredTable(Record):
    """A table of a corpus, graph or partition, as it was written."""

    sha256: str
    rows: int


class CorpusManifest(StoredRecord):
    """What a corpus was read from and how much of it counts."""

    source: str
    """`folder`, `meta-kaggle` or `kagglehub`."""
    root: str
    options: dict[str, Any] = Field(default_factory=dict)
    counts: dict[str, int] = Field(default_factory=dict)
    """By name; every drop has a name of its own, so that the numbers add up."""
    files: dict[str, StoredTable] = Field(default_factory=dict)


class StoredReference(StoredRecord):
    """One place where a notebook names a data set; a line of `references.jsonl`."""

    notebook: str
    dataset: str | None
    """None when it names none of the corpus."""
    how: str
    """`path`, `text` (code that does not parse) or `metadata`."""
    cell: int
    """From 1; 0 for metadata."""
    line: int
    text: str
