"""What every record shares: frozen, strict about unknown fields, and stored under a format version."""

from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from coda_bench.errors import BadInput, UnknownFormat


class Record(BaseModel):
    """A frozen value; unknown fields are refused so that a typo never passes for data."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class StoredRecord(Record):
    """A record with a file of its own; `format_version` is checked before anything else is read."""

    format_version: int = 1

    @classmethod
    def from_stored(cls, row: Any, *, where: str) -> Self:
        """Build the record from parsed JSON.

        Args:
            row: what the JSON parser returned.
            where: file, or file:line, for the message.

        Raises:
            UnknownFormat: the version is missing or newer than this release reads.
            BadInput: a field is missing or has the wrong type.
        """
        known = cls.model_fields["format_version"].default
        version = row.get("format_version") if isinstance(row, dict) else None
        if version != known:
            raise UnknownFormat(f"{where}: format version {version!r}; this release reads {known}. Update coda-bench.")
        try:
            return cls.model_validate(row)
        except ValidationError as error:
            raise BadInput(f"{where}: {first_problem(error)}") from error


def first_problem(error: ValidationError) -> str:
    """Return the first problem of a validation error as `field: message`."""
    problem = error.errors(include_url=False, include_context=False)[0]
    field = ".".join(str(part) for part in problem["loc"]) or "value"
    return f"{field}: {problem['msg']}"
