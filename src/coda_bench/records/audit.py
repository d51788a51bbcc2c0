"""Audit: what is doubtful about the tasks of a file, class by class, with the words that gave it away."""

from enum import StrEnum

from coda_bench.records.record import Record, StoredRecord


class AuditSeverity(StrEnum):
    """How much a defect hurts."""

    FATAL = "fatal"
    """No answer can be right for the right reason: the task does not belong in a score."""
    SERIOUS = "serious"
    """The gold or the question is doubtful; a person should look."""
    MINOR = "minor"
    """Answerable, but not as clean as it should be."""
    NOTE = "note"
    """Worth knowing when results are read."""


class DefectClass(StrEnum):
    """A class of defect."""

    GOLD_NOT_AN_ANSWER = "gold_not_an_answer"
    ANNOTATOR_NOTE = "annotator_note"
    GOLD_INCOMPLETE = "gold_incomplete"
    CONTRADICTING_GOLDS = "contradicting_golds"
    QUESTION_ANSWER_MISMATCH = "question_answer_mismatch"
    GOLD_AGAINST_GUIDELINE = "gold_against_guideline"
    OUTPUT_SHAPE = "output_shape"
    LEAKED_ANSWER = "leaked_answer"
    HIDDEN_NOTEBOOK = "hidden_notebook"
    CONFLICTING_DUPLICATES = "conflicting_duplicates"
    GOLD_LITERAL_IN_CODE = "gold_literal_in_code"
    NO_COMPUTATION = "no_computation"
    INLINE_DATA = "inline_data"
    UNPARSABLE_CODE = "unparsable_code"
    UNSEEDED_RANDOMNESS = "unseeded_randomness"
    MISSING_TARGETS = "missing_targets"
    DUMMY_DATA = "dummy_data"
    NETWORK = "network"
    FREE_TEXT = "free_text"
    APPROXIMATE_WORDING = "approximate_wording"
    FILE_NAMED = "file_named"
    NON_ENGLISH = "non_english"
    EXACT_DUPLICATE = "exact_duplicate"
    SAME_ANSWER = "same_answer"
    SEEDED_RANDOMNESS = "seeded_randomness"
    OUTSIDE_PATHS = "outside_paths"
    THIRD_PARTY = "third_party"
    OVER_REPRESENTED = "over_represented"

    @property
    def severity(self) -> AuditSeverity:
        """How much a defect of this class hurts."""
        return _SEVERITY[self]

    @property
    def meaning(self) -> str:
        """What a finding of this class says, in one line."""
        return _MEANING[self]


_FATAL, _SERIOUS, _MINOR, _NOTE = AuditSeverity
_CLASSES = {
    DefectClass.GOLD_NOT_AN_ANSWER: (_FATAL, "the gold is blank, a refusal, or tells what an answer should be"),
    DefectClass.ANNOTATOR_NOTE: (_FATAL, "the question is a note between annotators"),
    DefectClass.GOLD_INCOMPLETE: (_FATAL, "the gold has fewer parts than its guideline spells out"),
    DefectClass.CONTRADICTING_GOLDS: (_FATAL, "the same question, word for word, has another gold elsewhere"),
    DefectClass.QUESTION_ANSWER_MISMATCH: (_FATAL, "the gold is of another kind than the question asks for"),
    DefectClass.GOLD_AGAINST_GUIDELINE: (_SERIOUS, "the gold breaks a rule of its own guideline"),
    DefectClass.OUTPUT_SHAPE: (_SERIOUS, "the reference code prints another number of parts than the gold has"),
    DefectClass.LEAKED_ANSWER: (_SERIOUS, "a part of the gold stands in the question or the guideline"),
    DefectClass.HIDDEN_NOTEBOOK: (_SERIOUS, "asks for what a notebook says, which no solver can see"),
    DefectClass.CONFLICTING_DUPLICATES: (_SERIOUS, "nearly the same question elsewhere has another gold"),
    DefectClass.GOLD_LITERAL_IN_CODE: (_SERIOUS, "every part of the gold is a literal in the reference code"),
    DefectClass.NO_COMPUTATION: (_SERIOUS, "there is no reference code, or it computes nothing"),
    DefectClass.INLINE_DATA: (_SERIOUS, "the reference code reads no file: its data are typed in it"),
    DefectClass.UNPARSABLE_CODE: (_SERIOUS, "the reference code is no Python 3 program"),
    DefectClass.UNSEEDED_RANDOMNESS: (_SERIOUS, "the reference code draws random numbers without a seed"),
    DefectClass.MISSING_TARGETS: (_SERIOUS, "the provenance has no target files for the task"),
    DefectClass.DUMMY_DATA: (_MINOR, "the reference code makes up data when its files are missing"),
    DefectClass.NETWORK: (_MINOR, "the reference code reads from the network"),
    DefectClass.FREE_TEXT: (_MINOR, "a part of the gold is a sentence that only a person could compare"),
    DefectClass.APPROXIMATE_WORDING: (_MINOR, "asks for an approximate value"),
    DefectClass.FILE_NAMED: (_MINOR, "names a data file, which gives the discovery away"),
    DefectClass.NON_ENGLISH: (_MINOR, "question, guideline or gold hold words in another script"),
    DefectClass.EXACT_DUPLICATE: (_MINOR, "asks what another task asks, word for word"),
    DefectClass.SAME_ANSWER: (_NOTE, "several tasks of one community have the same telling gold"),
    DefectClass.SEEDED_RANDOMNESS: (_NOTE, "the result rests on seeded random numbers: versions may differ"),
    DefectClass.OUTSIDE_PATHS: (_NOTE, "the reference code reads paths that are not those of a release"),
    DefectClass.THIRD_PARTY: (_NOTE, "the reference code needs packages beyond the usual ones"),
    DefectClass.OVER_REPRESENTED: (_NOTE, "one notebook or community has a large share of the tasks"),
}
_SEVERITY = {name: severity for name, (severity, _) in _CLASSES.items()}
_MEANING = {name: meaning for name, (_, meaning) in _CLASSES.items()}


class AuditFinding(Record):
    """One defect of one task, or of several together."""

    defect: DefectClass
    instance_ids: tuple[int, ...]
    evidence: str
    """The words or values that gave it away; at most 300 characters."""

    @property
    def severity(self) -> AuditSeverity:
        """That of its class."""
        return self.defect.severity


class Audit(StoredRecord):
    """All findings of a task file."""

    audit_version: str
    """Changes whenever any finding may change."""
    n_tasks: int
    findings: tuple[AuditFinding, ...]

    @property
    def fatal_ids(self) -> frozenset[int]:
        """Tasks with a fatal finding: those the view `sound` leaves out."""
        fatal = (finding for finding in self.findings if finding.severity is AuditSeverity.FATAL)
        return frozenset(id_ for finding in fatal for id_ in finding.instance_ids)

    def ids_of(self, defect: DefectClass) -> frozenset[int]:
        """Return the tasks with a finding of a class."""
        found = (finding for finding in self.findings if finding.defect is defect)
        return frozenset(id_ for finding in found for id_ in finding.instance_ids)
