"""Environments: the profile of each file, the findings of laying out, and the numbers of a community.

Files beside `full_community/`, where no sandbox sees them: `profile.jsonl`, `findings.jsonl`, `environment.json`.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict, Field

from coda_bench.records.record import Record, StoredRecord
from coda_bench.records.storage import read_json_lines

Severity = Literal["error", "warning", "note"]
Depth = Literal["whole", "header", "form", "nothing"]


class Column(Record):
    """One column of a table."""

    name: str
    type: str
    """`integer`, `number`, `boolean`, `date`, `timestamp`, `text`, `empty`, or the file's own name of a type."""


class DataTable(Record):
    """One table of a file: the only one of a CSV, a sheet of a workbook, a table of a database."""

    name: str | None = None
    rows: int | None = None
    """Without the header; None where they could not be counted, with a problem that says why."""
    columns: tuple[Column, ...] = ()
    """At most 2,000 of them, in the file's order."""
    n_columns: int = 0


class Problem(Record):
    """What is wrong or doubtful about a file; noted, never mended."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    kind: str = Field(alias="class")
    """One of the classes listed in docs/guide/environments.md."""
    message: str


class FileProfile(StoredRecord):
    """What one file holds: a line of `profile.jsonl`."""

    path: str
    """Community path."""
    bytes: int
    sha256: str
    format: str
    """Told by content; by the name's ending only where the content leaves two readings open."""
    layers: tuple[str, ...] = ()
    """Compressions around it, outermost first: `("gz",)`; format, encoding and tables are those of what is inside."""
    encoding: str | None = None
    """Python's name of the text encoding; the whole file decodes by it."""
    delimiter: str | None = None
    header: bool | None = None
    """Whether the first row of a delimited file names its columns."""
    tables: tuple[DataTable, ...] = ()
    n_members: int | None = None
    """Files inside an archive."""
    read: Depth = "whole"
    """How far it was read beyond its hash: every value, its header alone, its outer form alone, or not at all."""
    problems: tuple[Problem, ...] = ()

    def to_line(self) -> str:
        """Return the line of `profile.jsonl`."""
        return _line(self)


class LayoutFinding(StoredRecord):
    """Something about the input that a person should know: a line of `findings.jsonl`."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    where: str
    """Path of a file or folder, or a data set's id."""
    kind: str = Field(alias="class")
    severity: Severity
    """`error`: it is not in the environment; `warning`: it is, and may trouble a reader; `note`: to be known."""
    message: str

    def to_line(self) -> str:
        """Return the line of `findings.jsonl`."""
        return _line(self)


class FormatCount(Record):
    """Files of one format."""

    files: int
    bytes: int


class FileClass(Record):
    """Files that are alike: by content, or by the names of their columns."""

    key: str
    """sha256 of the content, or the first 16 digits of the sha256 of the normalised header."""
    paths: tuple[str, ...]
    n_datasets: int
    """Data sets they lie in."""


class Signal(Record):
    """Target files against all files (paper: SNR, number of key files over number of files)."""

    n_tasks: int
    """Tasks of the community with known targets."""
    n_targets: int
    """Distinct contents among their targets that lie here."""
    n_files: int
    snr: float | None
    """n_targets / n_files; None without targets."""
    snr_per_task: float | None
    """Mean over the tasks of (targets of the task / n_files); the paper leaves open which of the two it means."""
    missing_targets: tuple[str, ...] = ()
    """Targets named by a task that do not lie here."""


class LookAlikes(Record):
    """Files that are no target and whose columns are those of a target, or nearly."""

    n_distractors: int
    """Files that are no target (nor a copy of one)."""
    n_same_header: int
    n_near_header: int
    """Column names with a Jaccard similarity to a target's of at least 0.8, not the same."""
    share: float | None
    """(n_same_header + n_near_header) / n_distractors; None without targets or distractors."""
    examples: tuple[str, ...] = ()


class Similarity(Record):
    """How much closer the community's other files are to its targets than random files of other communities."""

    method: Literal["lexical", "embedding"]
    scope: Literal["all", "other data sets"]
    """Which distractors: all, or those of data sets that hold no target."""
    anchors: Literal["targets", "all files"]
    """What is compared with: the targets, or, without targets, the files themselves."""
    n_anchors: int
    n_distractors: int
    n_random: int
    mean_distractors: float
    """Mean similarity of a distractor to a target, over all pairs."""
    mean_random: float
    auc: float
    """P(a distractor is closer to a target than a random file) + half of the ties; 0.5: no closer, 1: always."""


class Environment(StoredRecord):
    """`environment.json`: the numbers of one community."""

    community: str
    n_datasets: int
    n_files: int
    n_bytes: int
    """Volume."""
    n_metadata_files: int
    """`dataset-metadata.json` files among them; they never count as targets."""
    formats: dict[str, FormatCount]
    read: dict[str, int]
    """Files by how far they were read."""
    signal: Signal
    copies: tuple[FileClass, ...]
    """Classes of files with the same bytes, two or more; empty files left out."""
    headers: tuple[FileClass, ...]
    """Classes of tables with the same column names and different bytes."""
    look_alikes: LookAlikes
    similarities: tuple[Similarity, ...]
    unmeasured: tuple[str, ...]
    """Measures that could not be taken, each with its reason."""
    problems: dict[str, int]
    """Files by class of problem."""
    findings: dict[str, int]
    """Findings of laying out by class."""
    metadata_findings: tuple[LayoutFinding, ...] = ()
    """Where a `dataset-metadata.json` names the answer of a task or one of its targets."""
    versions: dict[str, str]
    """Libraries that read the files."""


def load_profiles(path: Path) -> list[FileProfile]:
    """Read a `profile.jsonl`.

    Raises:
        BadInput: the file cannot be read, or a line is no profile.
    """
    return [FileProfile.from_stored(row, where=f"{path}:{number}") for number, row in read_json_lines(path)]


def load_layout_findings(path: Path) -> Iterator[LayoutFinding]:
    """Yield the findings of a `findings.jsonl`.

    Raises:
        BadInput: the file cannot be read, or a line is no finding.
    """
    for number, row in read_json_lines(path):
        yield LayoutFinding.from_stored(row, where=f"{path}:{number}")


def lines_of(records: Iterable[FileProfile] | Iterable[LayoutFinding]) -> str:
    """Return the content of a file of records, sorted so that the same records give the same bytes."""
    return "".join(sorted(record.to_line() + "\n" for record in records))


def _line(record: StoredRecord) -> str:
    return json.dumps(record.model_dump(mode="json", by_alias=True), ensure_ascii=False)
