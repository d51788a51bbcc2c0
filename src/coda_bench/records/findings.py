"""Finding: one thing wrong with a predictions file, and the report that collects them."""

from enum import StrEnum

from coda_bench.records.record import Record, StoredRecord


class Severity(StrEnum):
    """How much a finding matters."""

    ERROR = "error"
    """The file breaks a rule of the data format document."""
    WARNING = "warning"
    """The file can be read in one way only, but is not as a careful writer would leave it."""


class FindingKind(StrEnum):
    """What can be wrong; the value is the word shown and stored.

    Errors, after which evaluation refuses the file, because a line could be read in two ways or in none:
    `bad_utf8` to `lone_surrogate`, `not_an_object`, `json_array`, `missing_field`, `wrong_type`.
    Errors that evaluation settles by rule and reports: `duplicate_id` (the last line counts),
    `unknown_id` (counts for nothing), `empty_file` (everything is missing).
    Warnings: `bom`, `crlf`, `blank_line` (skipped), `missing_id` (counts as wrong).
    """

    BAD_UTF8 = "bad_utf8"
    LINE_TOO_LONG = "line_too_long"
    """More than 16 MiB; the rest of the line is skipped unread."""
    NOT_JSON = "not_json"
    NOT_FINITE = "nan_or_infinity"
    """Python writes them, JSON has no such values."""
    DUPLICATE_KEY = "duplicate_key"
    TOO_DEEP = "nested_too_deep"
    LONE_SURROGATE = "lone_surrogate"
    """An escape such as `\\ud800` without its other half: no text at all."""
    NOT_AN_OBJECT = "not_an_object"
    JSON_ARRAY = "json_array"
    """The file is one JSON array, not one object a line."""
    MISSING_FIELD = "missing_field"
    WRONG_TYPE = "wrong_type"
    DUPLICATE_ID = "duplicate_id"
    UNKNOWN_ID = "unknown_id"
    EMPTY_FILE = "empty_file"
    BOM = "bom"
    CRLF = "crlf"
    BLANK_LINE = "blank_line"
    MISSING_ID = "missing_id"

    @property
    def severity(self) -> Severity:
        """Whether the file breaks the format or is merely untidy."""
        return Severity.WARNING if self in _WARNINGS else Severity.ERROR

    @property
    def blocks_scoring(self) -> bool:
        """Whether a file with such a finding cannot be scored without guessing what a line says."""
        return self.severity is Severity.ERROR and self not in _SCOREABLE


_WARNINGS = frozenset({FindingKind.BOM, FindingKind.CRLF, FindingKind.BLANK_LINE, FindingKind.MISSING_ID})
# Scored by rule and reported: of duplicates the last line counts, unknown ids count for nothing.
_SCOREABLE = frozenset({FindingKind.DUPLICATE_ID, FindingKind.UNKNOWN_ID, FindingKind.EMPTY_FILE})


class Finding(Record):
    """One finding, with the place it was found at."""

    kind: FindingKind
    severity: Severity
    line: int | None = None
    """Line number from 1; None for findings about the file as a whole."""
    instance_id: int | None = None
    message: str


class ValidationReport(StoredRecord):
    """Everything found in one predictions file."""

    predictions_file: str
    gold_file: str
    n_lines: int
    n_gold: int
    n_valid: int
    """Lines that hold a well-formed prediction, whatever its id."""
    counts: dict[FindingKind, int]
    """Number of findings by kind, complete even where `findings` was cut."""
    findings: tuple[Finding, ...]
    n_findings: int
    n_not_listed: int = 0
    """Findings beyond the first 10,000: counted, not listed."""

    @property
    def is_clean(self) -> bool:
        """Whether nothing at all was found."""
        return self.n_findings == 0

    @property
    def n_errors(self) -> int:
        """Number of findings of error severity."""
        return sum(n for kind, n in self.counts.items() if kind.severity is Severity.ERROR)
