"""Archives of a release: the manifest that names and hashes them, and the record of what was extracted.

Source of the manifest's fields: `archives_manifest.json` of the public release v1.0.1.
"""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from coda_bench.errors import BadInput
from coda_bench.records.record import StoredRecord, first_problem
from coda_bench.records.storage import read_json

NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$"
"""A plain name: it becomes a directory."""


class ArchiveEntry(BaseModel):
    """One archive; fields this release does not know are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    community_id: str = Field(pattern=NAME)
    archive_path: str = Field(pattern=r"^(?:[A-Za-z0-9_][A-Za-z0-9_.-]*/)*[A-Za-z0-9_][A-Za-z0-9_.-]*\.tar\.zst$")
    """Relative to the release."""
    size_bytes: int = Field(ge=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    archive_root: str | None = None
    """Folder inside the archive that holds `full_community/`; `data/<community>` by default."""
    extracted_bytes: int | None = Field(default=None, ge=0)
    """Sum of the files' sizes (ours); None where it is not known."""
    n_files: int | None = Field(default=None, ge=0)

    @property
    def root(self) -> str:
        """Folder inside the archive that becomes the community."""
        return self.archive_root or f"data/{self.community_id}"


class ArchivesManifest(BaseModel):
    """`archives_manifest.json`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    version: str
    archives: tuple[ArchiveEntry, ...]

    def entry(self, community: str) -> ArchiveEntry:
        """Return the archive of a community.

        Raises:
            BadInput: the manifest names none, or several.
        """
        found = [entry for entry in self.archives if entry.community_id == community]
        if len(found) != 1:
            known = ", ".join(entry.community_id for entry in self.archives[:6])
            raise BadInput(f"{community}: {len(found)} archives in the manifest; it names {known}, …")
        return found[0]


def load_archives_manifest(path: Path) -> ArchivesManifest:
    """Read the manifest of a release.

    Raises:
        BadInput: the file is missing or malformed.
    """
    try:
        return ArchivesManifest.model_validate(read_json(path))
    except ValidationError as error:
        raise BadInput(f"{path}: {first_problem(error)}") from error


class Extraction(StoredRecord):
    """`extracted.json` beside `full_community/`: which archive the files come from."""

    community_id: str
    archive_sha256: str
    n_files: int
    n_bytes: int
