"""Drafts: what a proven result gives on its way to a task, and why some end there."""

from enum import StrEnum

from coda_bench.records.record import StoredRecord


class Dropped(StrEnum):
    """Why a proven result became no task."""

    NO_WORDS = "no_words"
    """There are no words for what its statements compute; a model may find some."""
    NO_REFERENCE = "no_reference"
    """Its slice cannot be made a program over the release's paths."""
    NO_PART = "no_part"
    """None of its parts can be asked for: labels are missing, or rounding hangs by less than 1e-6."""
    LEAKS = "leaks"
    """Its question would name a file, a data set, a column as it is written, or the answer."""
    AMBIGUOUS = "ambiguous"
    """Another file of the community gives another plausible answer, and nothing said tells the two apart."""
    REFERENCE_DIFFERS = "reference_differs"
    """Its reference program prints something else, or opens other files."""
    UNPARSABLE_ANSWER = "unparsable_answer"
    """Its answer does not parse under the spec that question and guideline give."""
    CAP = "cap"
    """Its notebook, or its data set, has as many tasks as it may."""
    SAME_QUESTION = "same_question"
    """Another task asks the same."""


class DroppedDraft(StoredRecord):
    """One proven result without a task."""

    notebook: str
    cell: int
    expression: str
    why: Dropped
    detail: str = ""
