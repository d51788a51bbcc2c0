"""`coda-bench spec`: what is accepted as the answer of a task, in words and by examples."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from coda_bench.answers.examples import Example, examples
from coda_bench.answers.explain import explain_answer, explain_field
from coda_bench.answers.spec import AnswerSpec
from coda_bench.answers.verdict import judge_by
from coda_bench.cli.console import console, guarded, print_json, visible
from coda_bench.errors import BadInput
from coda_bench.records.task import Task, load_tasks
from coda_bench.score.execution import SCORER_VERSION, answer_spec


@guarded
def spec(
    instance: Annotated[int, typer.Argument(metavar="ID", help="Instance id of the task.")],
    *,
    tasks: Annotated[Path, typer.Option(help="Task file.")] = Path("coda_bench.json"),
    answer: Annotated[str | None, typer.Option(help="Judge this answer too, field by field.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the spec as JSON.")] = False,
) -> None:
    """Explain how answers to a task are judged: fields, types, tolerances, order. Shows the gold.

    Exit codes: 0 explained; 2 no such task or file.
    """
    task = next((task for task in load_tasks(tasks) if task.instance_id == instance), None)
    if task is None:
        raise BadInput(f"{tasks}: no task has instance_id {instance}")
    compiled = answer_spec(task)
    if json:
        print_json(_row(task, compiled, answer))
        return
    console.print(
        Text(visible(f"question   {task.question}\nguideline  {task.answer_guidelines}\ngold       {task.answer}"))
    )
    console.print()
    for text in explain_answer(compiled):
        console.print(Text(visible(f"- {text}")))
    console.print()
    console.print(_field_table(compiled))
    console.print()
    console.print(_example_table(examples(compiled)))
    if answer is not None:
        console.print()
        console.print(_example_table([Example(answer, judge_by(answer, compiled))], heading="your answer"))
    console.print(Text(f"\nscorer version {SCORER_VERSION}, spec {compiled.sha256[:16]}"))


def _row(task: Task, compiled: AnswerSpec, answer: str | None) -> dict[str, Any]:
    row = {
        "instance_id": task.instance_id,
        "scorer_version": SCORER_VERSION,
        "spec_sha256": compiled.sha256,
        "spec": compiled.to_row(),
        "answer": explain_answer(compiled),
        "fields": [explain_field(field, compiled.rules) for field in compiled.fields],
        "examples": [_verdict_row(example) for example in examples(compiled)],
    }
    if answer is not None:
        row["judged"] = _verdict_row(Example(answer, judge_by(answer, compiled)))
    return row


def _verdict_row(example: Example) -> dict[str, Any]:
    return {"answer": example.answer, **example.verdict._asdict()}


def _field_table(compiled: AnswerSpec) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("field", "named", "gold", "what is accepted"):
        table.add_column(heading, overflow="fold")
    for place, field in enumerate(compiled.fields, 1):
        words = "; ".join(explain_field(field, compiled.rules))
        table.add_row(str(place), *(Text(visible(text)) for text in (field.name or "-", field.text, words)))
    return table


def _example_table(rows: list[Example], *, heading: str = "examples, judged") -> Table:
    table = Table(box=None, pad_edge=False)
    for name in (heading, "EA", "form", "why"):
        table.add_column(name, overflow="fold")
    for example in rows:
        found = example.verdict
        why = found.reason if found.ea or len(set(found.fields)) < 2 else ", ".join(found.fields)  # noqa: PLR2004 says more than one word
        table.add_row(Text(visible(example.answer[:300])), _mark(found.ea), _mark(found.format_ok), why)
    return table


def _mark(value: bool) -> str:
    return "yes" if value else "no"
