"""Scores: what evaluation says of a predictions file, with every numerator and denominator.

The keys `n_gold` to `per_instance` and `instance_id`, `prediction`, `gold`, `exact_match`,
`numeric_match`, `release_community`, `dataset` of a row are those of the public release's evaluator,
so that programs written for its output read this one.
"""

from enum import StrEnum
from typing import Any

from pydantic import Field

from coda_bench.records.record import Record, StoredRecord

Interval = tuple[float, float] | None
"""Wilson 95 % interval; None for no trials."""


class Reason(StrEnum):
    """Why an answer was accepted or refused by the typed comparison."""

    MATCH = "match"
    WRONG_VALUE = "wrong_value"
    WRONG_LABEL = "wrong_label"
    """The numbers agree, the words do not."""
    WRONG_ORDER = "wrong_order"
    """The right fields in another order than asked for."""
    WRONG_ARITY = "wrong_arity"
    """Another number of fields than the gold has."""
    UNIT_MISMATCH = "unit_mismatch"
    PERCENT_VS_FRACTION = "percent_vs_fraction"
    ROUNDING = "rounding"
    """Within one unit of the gold's last decimal, or rounded more coarsely."""
    SIGN = "sign"
    ABSTAINED = "abstained"
    """Blank, a refusal, `Not Applicable`, or a stand-in such as NaN or null."""
    NOT_AN_ANSWER = "not_an_answer"
    """Prose, a log or a program where an answer was asked for."""
    UNPARSABLE = "unparsable"
    """A number, range or date was asked for and none can be read."""
    MISSING = "missing"
    """No line of the predictions file has this id."""


class AccessSource(StrEnum):
    """Who says which files were opened."""

    SELF_REPORTED = "self_reported"
    """The predictions file; nobody watched."""
    TRACKED = "tracked"
    """Our sandbox."""


class InstanceScore(Record):
    """The verdicts on one prediction."""

    instance_id: int
    prediction: str
    gold: str
    exact_match: bool
    numeric_match: bool
    ea: bool
    ea_paper: bool
    format_ok: bool
    """Whether the answer has the form asked for, be its value right or wrong."""
    reason: Reason
    fields: tuple[Reason, ...] = ()
    """The reason for each field of the gold; empty where the answer has another number of fields."""
    spec_sha256: str = ""
    """Hash of the answer spec the verdict rests on; empty in scores of scorer version 1."""
    release_community: str
    dataset: str
    da_solution: bool | None = None
    """Used = targets; None when targets are unknown or access was not measured."""
    da_superset: bool | None = None
    """Targets are among the opened."""
    da_touched: bool | None = None
    """Opened = targets."""
    da_file_precision: float | None = None
    """Share of the opened files that are targets; 0 when nothing was opened."""
    da_file_recall: float | None = None
    """Share of the targets that were opened."""
    da_unmapped: tuple[str, ...] = ()
    """Reported paths that lie outside the task's community; they count for nothing."""


class CommunityScore(Record):
    """The verdicts on one community; its accuracies enter the macro averages with equal weight."""

    release_community: str
    n_gold: int
    exact_correct: int
    numeric_correct: int
    ea_correct: int
    ea_paper_correct: int
    da_n: int = 0
    da_solution_correct: int = 0
    da_superset_correct: int = 0
    da_touched_correct: int = 0


class ViewScore(Record):
    """The verdicts on the tasks that a view leaves in; reported beside the full ones, never instead."""

    name: str
    """`sound`: without the tasks of which an audit says that no answer can be right for the right reason."""
    excluded_ids: tuple[int, ...]
    """Tasks of the file that the view leaves out."""
    n_gold: int
    exact_correct: int
    numeric_correct: int
    ea_correct: int
    ea_accuracy: float
    ea_interval: Interval
    da_n: int
    da_solution_correct: int
    da_solution_accuracy: float | None
    da_solution_interval: Interval


class Scores(StoredRecord):
    """The result of an evaluation; the file written by `coda-bench-evaluate --out`.

    Every EA-like accuracy has `n_gold` as its denominator: a missing prediction is wrong. Discovery
    has `da_n`: the tasks with known targets for which access was measured.
    """

    scorer_version: str
    """Changes whenever any verdict may change."""
    n_gold: int
    n_pred: int
    """Distinct ids in the predictions."""
    n_scored: int
    """Ids on both sides."""
    exact_correct: int
    exact_accuracy: float
    exact_interval: Interval
    numeric_correct: int
    numeric_accuracy: float
    numeric_interval: Interval
    ea_correct: int
    ea_accuracy: float
    ea_interval: Interval
    ea_paper_correct: int
    ea_paper_accuracy: float
    ea_paper_interval: Interval
    format_ok_correct: int
    """Answers of the form asked for, be their value right or wrong."""
    format_ok_accuracy: float
    format_ok_interval: Interval
    ea_strict_correct: int
    """Right by EA and of the form asked for."""
    ea_strict_accuracy: float
    ea_strict_interval: Interval
    macro_exact_accuracy: float
    macro_numeric_accuracy: float
    macro_ea_accuracy: float
    macro_ea_paper_accuracy: float
    macro_da_solution_accuracy: float | None = None
    """Mean over communities with a measured task; None without one."""
    reasons: dict[Reason, int]
    """Number of tasks by reason; sums to `n_gold`."""
    missing_ids: tuple[int, ...]
    extra_ids: tuple[int, ...]
    duplicate_ids: tuple[int, ...] = ()
    """Ids predicted more than once; the last line counted."""
    n_duplicates: int = 0
    """Lines that were overruled by a later one."""
    access_source: AccessSource | None = None
    """None when no targets were given."""
    da_known_targets: int = 0
    """Tasks with known targets, measured or not."""
    da_n: int = 0
    da_solution_correct: int = 0
    da_solution_accuracy: float | None = None
    da_solution_interval: Interval = None
    da_solution_bounds: Interval = None
    """Lowest and highest accuracy over all known targets that the unmeasured tasks leave possible."""
    da_superset_correct: int = 0
    da_superset_accuracy: float | None = None
    da_superset_interval: Interval = None
    da_superset_bounds: Interval = None
    da_touched_correct: int = 0
    da_touched_accuracy: float | None = None
    da_touched_interval: Interval = None
    da_touched_bounds: Interval = None
    da_file_precision: float | None = None
    """Mean over the `da_n` tasks."""
    da_file_recall: float | None = None
    da_not_measured_ids: tuple[int, ...] = ()
    da_unusable_target_ids: tuple[int, ...] = ()
    """Tasks whose target paths lie outside their community; left out of `da_known_targets`."""
    da_unknown_target_ids: tuple[int, ...] = ()
    """Ids of the targets that no gold task has; many of them mean that targets and golds belong to different files."""
    da_unmapped: dict[int, tuple[str, ...]] = Field(default_factory=dict)
    """Reported paths outside the community, by instance id."""
    spec_sha256: str = ""
    """Hash over the answer specs of all tasks: equal ones and an equal scorer version give comparable scores."""
    views: tuple[ViewScore, ...] = ()
    """Scores over parts of the tasks, such as the sound ones."""
    per_community: tuple[CommunityScore, ...]
    per_instance: tuple[InstanceScore, ...]

    def to_row(self) -> dict[str, Any]:
        """Return the JSON object that is stored and printed."""
        return self.model_dump(mode="json")

    # Programs written for the public evaluator's result treat it as a plain dictionary.

    def __getitem__(self, key: str) -> Any:
        """Return a field by its stored name, in its stored form."""
        if key not in self:
            raise KeyError(key)
        return self.model_dump(mode="json", include={key})[key]

    def __contains__(self, key: object) -> bool:
        """Whether there is a field of that name."""
        return key in type(self).model_fields

    def keys(self) -> list[str]:
        """Return the names of all fields; makes `dict(scores)` the stored form."""
        return list(type(self).model_fields)

    def get(self, key: str, default: Any = None) -> Any:
        """Return a field by its stored name, or the default where there is none."""
        return self[key] if key in type(self).model_fields else default


class Change(Record):
    """One verdict, prediction or gold that differs between two evaluations."""

    instance_id: int
    what: str
    """Name of the verdict as in `InstanceScore`, or `prediction`, `gold`, `scored`."""
    before: str
    after: str
    prediction: str
    gold: str


class Rescore(StoredRecord):
    """What rescoring changed."""

    scorer_version_before: str
    scorer_version_after: str
    n_gold_before: int
    n_gold_after: int
    ea_correct_before: int
    ea_correct_after: int
    n_specs_changed: int
    """Tasks whose answer spec has another hash; not counted where the old scores hold none."""
    changes: tuple[Change, ...]
