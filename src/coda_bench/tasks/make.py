"""Make: tasks from proven results, without a model.

Question, guideline and answer come from what the slice computes; the target files and the reference program from its
proof. Each reference program is run over the whole community and has to print the answer and open just the targets.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from coda_bench.answers.verdict import judge
from coda_bench.layout import counts_for_discovery
from coda_bench.records.anchor import Candidate
from coda_bench.records.draft import Dropped, DroppedDraft
from coda_bench.records.environment import FileProfile
from coda_bench.records.proof import Effect, Examined, Proof
from coda_bench.records.targets import Provenance, TargetFile
from coda_bench.records.task import Task
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import AnalysisEnvironment
from coda_bench.tasks.proof.program import lines_of
from coda_bench.tasks.question.compose import Question, questions
from coda_bench.tasks.question.context import Unclear, introduced
from coda_bench.tasks.question.leaks import leaks
from coda_bench.tasks.question.meaning import NoWords
from coda_bench.tasks.reference import NoReference, is_hard, reference_program

PROGRAM = "/workspace/reference.py"
_LIMIT_S = 120.0


class Community(NamedTuple):
    """What tasks of one community are made with."""

    name: str
    data: Path
    """Its `full_community`."""
    profiles: Mapping[str, FileProfile]
    """By community path."""


class Caps(NamedTuple):
    """How many tasks there may be."""

    of_a_notebook: int = 4
    of_a_dataset: int = 12


class Draft(NamedTuple):
    """A task before it has a number."""

    proof: Proof
    candidate: Candidate
    question: Question
    program: str
    community: str

    @property
    def targets(self) -> tuple[str, ...]:
        """Community paths of the target files."""
        return tuple(file.path for file in self.proof.files)

    @property
    def is_hard(self) -> bool:
        """Whether it belongs to the Hard subset."""
        return is_hard(len(self.targets), self.program)


class Made(NamedTuple):
    """Tasks, and what became of all other proven results."""

    drafts: tuple[Draft, ...]
    dropped: tuple[DroppedDraft, ...]


Progress = Callable[[int, int], None]


def make(
    examined: Sequence[Examined],
    communities: Mapping[str, Community],
    titles: Mapping[str, str],
    environments: Sequence[AnalysisEnvironment],
    *,
    caps: Caps | None = None,
    at_once: int = 2,
    progress: Progress = lambda _done, _all: None,
) -> Made:
    """Make tasks of what was proven.

    Args:
        examined: what came of each notebook.
        communities: by name.
        titles: of notebooks, by name.
        environments: all that proofs may be in; a reference program runs in its proof's own.
        caps: how many tasks a notebook and a data set may give.
        at_once: reference programs at a time.
        progress: called after each reference program.

    Raises:
        SandboxError: this machine cannot run reference programs.
    """
    dropped: list[DroppedDraft] = []
    drafts: list[Draft] = []
    for one in examined:
        for proof in one.proofs if one.community else ():
            community = communities[str(one.community)]
            drafts += _drafts(proof, community, titles.get(one.notebook, ""), dropped)
    kept = _capped(drafts, caps or Caps(), dropped)
    checked: list[Draft] = []
    with ThreadPoolExecutor(at_once) as pool:
        running = pool.map(lambda one: _differs(one, communities[one.community].data, _own(one, environments)), kept)
        for number, (draft, trouble) in enumerate(zip(kept, running, strict=True), 1):
            progress(number, len(kept))
            if trouble:
                dropped.append(_drop(draft.candidate, Dropped.REFERENCE_DIFFERS, trouble))
            else:
                checked.append(draft)
    return Made(tuple(checked), tuple(dropped))


def _drop(candidate: Candidate, why: Dropped, detail: str = "") -> DroppedDraft:
    return DroppedDraft(
        notebook=candidate.notebook,
        cell=candidate.place.cell,
        expression=candidate.expression,
        why=why,
        detail=detail[:300],
    )


def _drafts(proof: Proof, community: Community, title: str, dropped: list[DroppedDraft]) -> Iterator[Draft]:
    """Yield one draft for each displayed value that one can be made of."""
    targets = [community.profiles[file.path] for file in proof.files]
    rivals = [community.profiles[one.path] for one in proof.decoys if one.effect is Effect.OTHER]
    for candidate in proof.candidates:
        try:
            found = list(questions(candidate, [cell.source for cell in proof.program]))
        except NoWords as why:
            dropped.append(_drop(candidate, Dropped.NO_WORDS, str(why)))
            continue
        reasons = []
        for question in found:
            try:
                asked = question._replace(question=introduced(question.question, title, targets, rivals))
                yield _fit(Draft(proof, candidate, asked, "", community.name), targets)
                break
            except _Unfit as why:
                reasons.append(_drop(candidate, why.reason, str(why)))
            except Unclear as why:
                reasons.append(_drop(candidate, Dropped.AMBIGUOUS, str(why)))
        else:
            dropped.append(reasons[0] if reasons else _drop(candidate, Dropped.NO_PART))


class _Unfit(Exception):
    def __init__(self, reason: Dropped, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


def _fit(draft: Draft, targets: Sequence[FileProfile]) -> Draft:
    """Return a draft with its reference program, if its question gives nothing away and its answer parses."""
    asked = draft.question
    try:
        program = reference_program(draft.proof, draft.candidate, asked.leaves, asked.answer)
    except NoReference as why:
        raise _Unfit(Dropped.NO_REFERENCE, str(why)) from why
    names = [column.name for one in targets for table in one.tables for column in table.columns]
    leaked = leaks(f"{asked.question} {asked.guideline}", asked.answer, [one.path for one in targets], names)
    if leaked:
        raise _Unfit(Dropped.LEAKS, ", ".join(leaked))
    if not _parses(asked):
        raise _Unfit(Dropped.UNPARSABLE_ANSWER, asked.answer)
    return draft._replace(program=program)


def _parses(asked: Question) -> bool:
    verdict = judge(asked.answer, asked.answer, asked.guideline, question=asked.question)
    return verdict.ea and verdict.format_ok


def _capped(drafts: Sequence[Draft], caps: Caps, dropped: list[DroppedDraft]) -> list[Draft]:
    """Keep as many of a notebook and of a data set as may be; the same question once."""
    of_notebook, of_dataset = Counter[str](), Counter[tuple[str, str]]()
    asked: set[tuple[str, str]] = set()
    kept = []
    for draft in sorted(drafts, key=lambda one: not one.is_hard):
        datasets = {(draft.community, PurePosixPath(path).parts[0]) for path in draft.targets}
        notebook = draft.proof.notebook
        if (draft.community, draft.question.question) in asked:
            dropped.append(_drop(draft.candidate, Dropped.SAME_QUESTION))
        elif of_notebook[notebook] >= caps.of_a_notebook or any(
            of_dataset[one] >= caps.of_a_dataset for one in datasets
        ):
            dropped.append(_drop(draft.candidate, Dropped.CAP))
        else:
            of_notebook[notebook] += 1
            of_dataset.update(datasets)
            asked.add((draft.community, draft.question.question))
            kept.append(draft)
    return sorted(kept, key=_order)


def _order(draft: Draft) -> tuple[str, str, tuple[int, int], int]:
    place = draft.candidate.place
    return draft.community, draft.proof.notebook, (place.cell, place.position), place.number


def _own(draft: Draft, environments: Sequence[AnalysisEnvironment]) -> AnalysisEnvironment:
    lock = draft.proof.sufficient[0].environment_lock
    return next(one for one in environments if one.lock_sha256 == lock)


def _differs(draft: Draft, data: Path, environment: AnalysisEnvironment) -> str:
    """Run a reference program over the whole community; return what is wrong with it."""
    with Sandbox.start(SandboxSpec(data=data, environment=environment)) as sandbox:
        sandbox.write(PROGRAM, draft.program.encode())
        done = sandbox.execute(["python3", PROGRAM], timeout_s=_LIMIT_S)
    printed = done.stdout.decode("utf-8", "replace").strip()
    if done.exit_code != 0:
        return f"ended by {done.ended_by}: {done.stderr.decode('utf-8', 'replace').strip()[-200:]}"
    if printed.rpartition("\n")[2] != draft.question.answer:
        return f"printed {printed[-100:]!r}, not {draft.question.answer!r}"
    opened = {path for path in done.access.opened if counts_for_discovery(path)} if done.access else set()
    if done.access and done.access.complete and opened != set(draft.targets):
        return f"opened {sorted(opened)}"
    return ""


def to_task(draft: Draft, instance_id: int) -> Task:
    """Return a draft as a task of the released schema v1.0.1."""
    return Task(
        instance_id=instance_id,
        question=draft.question.question,
        answer=draft.question.answer,
        answer_guidelines=draft.question.guideline,
        reference_code=draft.program,
        dataset=PurePosixPath(draft.targets[0]).parts[0],
        notebook=draft.proof.notebook,
        release_community=draft.community,
        data_path=f"communities/{draft.community}/full_community",
        source_type="notebook",
        source_community=draft.community,
    )


def to_provenance(draft: Draft, instance_id: int) -> Provenance:
    """Return where a task comes from."""
    place = draft.candidate.place
    return Provenance(
        instance_id=instance_id,
        target_files=tuple(TargetFile(**file.model_dump()) for file in draft.proof.files),
        effective_lines=lines_of([draft.program]),
        derivation=f"cell {place.cell} of {draft.proof.notebook}: {draft.candidate.expression}",
        environment_lock=draft.proof.sufficient[0].environment_lock,
        proof=draft.proof.model_dump(mode="json"),
    )
