"""Kaggle: what is asked for, at which version, and what became of it.

A folder of downloads holds `downloads.jsonl`, one `Download` a line, beside `datasets/<owner>/<slug>/` and
`notebooks/<owner>/<slug>/`.
"""

from enum import StrEnum

from coda_bench.records.record import Record, StoredRecord

DOWNLOADS = "downloads.jsonl"
SITE = "https://www.kaggle.com"


class Kind(StrEnum):
    """What a pin names; both kinds are written alike."""

    DATASET = "dataset"
    NOTEBOOK = "notebook"


class Pin(Record):
    """One data set or notebook at one version."""

    kind: Kind
    owner: str
    slug: str
    version: int | None = None
    """None: whatever is current."""

    @property
    def name(self) -> str:
        """Owner and slug, as Kaggle's addresses have them."""
        return f"{self.owner}/{self.slug}"

    @property
    def folder(self) -> str:
        """Where it goes below the folder of downloads."""
        return f"{self.kind}s/{self.name}"

    @property
    def page(self) -> str:
        """The page where a person accepts terms or asks for access."""
        return f"{SITE}/{'datasets' if self.kind is Kind.DATASET else 'code'}/{self.name}"

    def at(self, version: int) -> "Pin":
        """Return the same at a version."""
        return self.model_copy(update={"version": version})

    def __str__(self) -> str:
        """Return the pin as a line of a list."""
        return f"{self.kind} {self.name}" + (f"/versions/{self.version}" if self.version else "")


class Outcome(StrEnum):
    """What became of a pin."""

    DOWNLOADED = "downloaded"
    LICENCE_NOT_ALLOWED = "licence_not_allowed"
    CONSENT_NEEDED = "consent_needed"
    NOT_FOUND = "not_found"
    REFUSED = "refused"
    """What Kaggle sent cannot be used; the message says why."""


class Download(StoredRecord):
    """One pin and what became of it."""

    asked: Pin
    pin: Pin
    """With the version; the same as asked unless none was."""
    outcome: Outcome
    message: str = ""
    title: str | None = None
    licence: str | None = None
    """Of a data set, as Kaggle names it today; of a notebook Kaggle says none."""
    files: int = 0
    bytes: int = 0
    sha256: str | None = None
    """Of the archive or of the notebook as it was sent."""
    sources: tuple[str, ...] = ()
    """Data sets a notebook says it uses."""
