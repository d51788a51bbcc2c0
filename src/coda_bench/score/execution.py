"""Execution accuracy: the verdicts on one answer, by the typed comparison and by those it stands beside."""

import hashlib
from collections.abc import Iterable

from coda_bench.answers.legacy import coda_exact, coda_numeric
from coda_bench.answers.paper import ea_paper
from coda_bench.answers.spec import AnswerSpec
from coda_bench.answers.verdict import judge_by, spec_of
from coda_bench.records.prediction import Prediction
from coda_bench.records.scores import InstanceScore
from coda_bench.records.task import Task

SCORER_VERSION = "2"
"""Raised whenever any verdict on any answer may change; stored with every score."""


def answer_spec(task: Task) -> AnswerSpec:
    """Compile what a task asks of its answer."""
    return spec_of(task.answer, task.answer_guidelines, question=task.question, stated=task.answer_spec)


def specs_hash(tasks: Iterable[Task]) -> str:
    """Return one hash over the answer specs of tasks, whatever their order."""
    lines = sorted(f"{task.instance_id} {answer_spec(task).sha256}" for task in tasks)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def score_answer(prediction: Prediction, task: Task) -> InstanceScore:
    """Judge one answer; a pure function of the two texts and the guideline, whatever their size."""
    found, gold = prediction.prediction, task.answer
    spec = answer_spec(task)
    verdict = judge_by(found, spec)
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
