"""Targets: the files a task's answer is computed from, and the community manifest they are looked up in."""

from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, StrictInt, StrictStr, ValidationError

from coda_bench.errors import BadInput
from coda_bench.records.record import Record, StoredRecord, first_problem
from coda_bench.records.storage import read_json_lines


class DataFile(Record):
    """One file of a community: a line of `communities/<community>/manifest.jsonl`."""

    path: str
    """Community path."""
    bytes: int
    sha256: str


class TargetFile(Record):
    """One target; hash and size are absent in targets given by hand."""

    path: str
    sha256: str | None = None
    bytes: int | None = None


class Provenance(StoredRecord):
    """One line of a release's `provenance.jsonl`: where a task comes from. Never enters a sandbox."""

    instance_id: int
    target_files: tuple[TargetFile, ...]
    effective_lines: int
    """Lines of the reference program that are neither blank nor comment (paper: Hard needs more than 30)."""
    derivation: str
    """How the gold follows from the files, in words."""
    environment_lock: str
    """sha256 of the lock of the analysis environment in which the gold was computed."""
    proof: dict[str, Any] | None = None
    """The stored form of the `Proof` that the task was made from; None where the gold was checked in another way."""


class TargetRow(Record):
    """One line of a targets file: `{"instance_id": 3, "target_files": ["a/b.csv"]}`; other keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    instance_id: StrictInt
    target_files: tuple[StrictStr | TargetFile, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """The target paths as written."""
        return tuple(item if isinstance(item, str) else item.path for item in self.target_files)


def load_targets(path: str | Path) -> dict[int, tuple[str, ...]]:
    """Read the target files of tasks from a targets file or a release's `provenance.jsonl`.

    Returns:
        `{instance_id: paths as written}`; a task listed with no files has no known targets and is left out.

    Raises:
        BadInput: the file cannot be read, a line is malformed, or an id is repeated.
    """
    targets: dict[int, tuple[str, ...]] = {}
    for number, row in read_json_lines(Path(path)):
        where = f"{path}:{number}"
        try:
            target = TargetRow.model_validate(row)
        except ValidationError as error:
            raise BadInput(f"{where}: {first_problem(error)}") from error
        if target.instance_id in targets:
            raise BadInput(f"{where}: instance_id {target.instance_id} stands more than once")
        if target.paths:
            targets[target.instance_id] = target.paths
    return targets


class TargetStatus(StrEnum):
    """How well the files that a reference program reads are known."""

    SEEN = "seen"
    """The program was run, and opened just these."""
    RESOLVED = "resolved"
    """Read off the program's text, and found in the community where one was given."""
    TEXT = "text"
    """The program is no Python of today; the paths are those that stand in quotes in it."""
    DISAGREES = "disagrees"
    """The program was run and opened other files than its text says; these are those that it opened."""
    UNRESOLVED = "unresolved"
    """No file is known; `why` says what stands in the way."""


class ResolvedTargets(StoredRecord):
    """The files that a reference program reads: a line of a targets file made by `coda-bench targets`."""

    instance_id: int
    target_files: tuple[TargetFile, ...]
    status: TargetStatus
    why: str = ""
