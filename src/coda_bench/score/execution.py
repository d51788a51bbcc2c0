"""Execution accuracy: the verdicts on one answer, by the typed comparison and by those it stands beside."""

from coda_bench.answers.legacy import coda_exact, coda_numeric
from coda_bench.answers.paper import ea_paper
from coda_bench.answers.verdict import judge_by, spec_of
from coda_bench.records.prediction import Prediction
from coda_bench.records.scores import InstanceScore
from coda_bench.records.task import Task

SCORER_VERSION = "2"
"""Raised whenever any verdict on any answer may change; stored with every score."""


def score_answer(prediction: Prediction, task: Task) -> InstanceScore:
    """Judge one answer; a pure function of the two texts and the guideline, whatever their size."""
    found, gold = prediction.prediction, task.answer
    spec = spec_of(gold, task.answer_guidelines, question=task.question, stated=task.answer_spec)
    verdict = judge_by(found, gold, spec)
    return InstanceScore(
        instance_id=task.instance_id,
        prediction=found,
        gold=gold,
        exact_match=coda_exact(found, gold),
        numeric_match=coda_numeric(found, gold),
        ea=verdict.ea,
        ea_paper=ea_paper(found, gold),
        format_ok=verdict.format_ok,
        reason=verdict.reason,
        fields=verdict.fields,
        spec_sha256=spec.sha256,
        release_community=task.release_community,
        dataset=task.dataset,
    )
