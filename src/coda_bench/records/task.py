"""Task: one question with its gold answer, in the two released schemas.

Source of the fields: the data format document of the public release (v1.0.0: eight fields) and its
v1.0.1 (three more). Fields that neither names are kept as they are.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, StrictInt, StrictStr, ValidationError

from coda_bench.errors import BadInput
from coda_bench.records.answer_spec import StatedSpec
from coda_bench.records.record import first_problem
from coda_bench.records.storage import read_json


class Task(BaseModel):
    """One task; unknown fields are preserved (`model_extra`)."""

    model_config = ConfigDict(frozen=True, extra="allow")

    instance_id: StrictInt
    """Identifier, unique in its own file; the Hard file numbers its tasks anew."""
    question: StrictStr
    answer: StrictStr
    """Gold answer; never enters a sandbox."""
    answer_guidelines: StrictStr
    reference_code: StrictStr
    """Reference program; enters only sandboxes of the `reference` agent and of proofs."""
    dataset: StrictStr
    """Where the source notebook was found; not the target data set (it differs in most released tasks)."""
    notebook: StrictStr
    release_community: StrictStr
    """Community whose files the agent sees, such as `community_26`."""
    data_path: StrictStr | None = None
    source_type: StrictStr | None = None
    source_community: StrictStr | None = None
    answer_spec: StatedSpec | None = None
    """What the task states about its answer beyond gold and guideline (our addition)."""

    def to_row(self) -> dict[str, Any]:
        """Return the JSON object of the task file: fields that were absent stay absent."""
        return self.model_dump(mode="json", exclude_unset=True)


def load_tasks(path: str | Path) -> list[Task]:
    """Read a task file: a JSON array of task objects of schema v1.0.0 or v1.0.1.

    Returns:
        The tasks in file order; 1,009 and 119 of them for the released files.

    Raises:
        BadInput: not such a file, or a task is malformed or its id repeated; the message names the index
            and the instance id.
    """
    rows = read_json(Path(path))
    if not isinstance(rows, list) or not rows:
        raise BadInput(f"{path}: not a task file (a JSON array of task objects is needed)")
    tasks = [_parse_task(row, f"{path}: task at index {index}") for index, row in enumerate(rows)]
    repeated = [id_ for id_, n in Counter(task.instance_id for task in tasks).items() if n > 1]
    if repeated:
        raise BadInput(f"{path}: instance_id {repeated[0]} stands more than once; ids must be unique")
    return tasks


def _parse_task(row: Any, where: str) -> Task:
    if not isinstance(row, dict):
        raise BadInput(f"{where} is not an object")
    try:
        return Task.model_validate(row)
    except ValidationError as error:
        raise BadInput(f"{where} (instance_id {row.get('instance_id')!r}): {first_problem(error)}") from error


def map_by_question(subset: Sequence[Task], full: Iterable[Task]) -> dict[int, int]:
    """Map instance ids of a renumbered file (such as the Hard one) to those of the full file.

    Two tasks are the same when question, answer and guideline agree: the released full file asks two
    questions twice, so the question alone does not identify a task.

    Returns:
        `{id in subset: id in full}`.

    Raises:
        BadInput: a task of the subset is not in the full file, or matches several of it.
    """
    by_text: dict[tuple[str, str, str], list[int]] = {}
    for task in full:
        by_text.setdefault(_identity(task), []).append(task.instance_id)
    mapping = {}
    for task in subset:
        found = by_text.get(_identity(task), [])
        if len(found) != 1:
            count = "no task" if not found else f"tasks {found}"
            raise BadInput(f"instance_id {task.instance_id}: {count} of the full file asks this question")
        mapping[task.instance_id] = found[0]
    return mapping


def _identity(task: Task) -> tuple[str, str, str]:
    return task.question, task.answer, task.answer_guidelines
