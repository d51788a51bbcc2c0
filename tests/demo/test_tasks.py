"""The demo's tasks as checked in."""

import ast
import re
from importlib import resources

import pytest

from coda_bench.demo.catalog import load_catalog
from coda_bench.demo.tasks import FALLBACK, load_demo_tasks

TASKS = load_demo_tasks(load_catalog().themes)
ids = [task.program for task in TASKS]

SHAPES = {
    "integer": r"-?\d+",
    "decimal": r"-?\d+\.\d+",
    "percent": r"-?\d+(\.\d+)?%",
    "range": r"\d+(\.\d+)?-\d+(\.\d+)?",
    "date": r"\d{4}-\d\d-\d\d",
    "month or weekday": r"[A-Z][a-z]+",
    "yes or no": r"(Yes|No)(; .*)?",
    "tuple of numbers": r"[-\d.%]+(; [-\d.%]+)+",
    "tuple of text and numbers": r"(?=.*[A-Za-z]).*;.*\d.*",
}


def shape(answer):
    return next(name for name, pattern in SHAPES.items() if re.fullmatch(pattern, answer))


def test_there_are_enough_tasks_of_enough_kinds():
    """At least 24 tasks, six answer shapes, a third with several files, eight Hard."""
    assert len(TASKS) >= 24
    assert len({shape(task.answer) for task in TASKS}) >= 6
    assert sum(len(task.targets) >= 2 for task in TASKS) * 3 >= len(TASKS)
    assert sum(task.is_hard for task in TASKS) >= 8


@pytest.mark.parametrize("task", TASKS, ids=ids)
def test_a_question_names_no_file_and_no_dataset(task):
    """An agent has to find the data from what the question says about them."""
    text = f"{task.question} {task.guideline}".lower()
    for target in task.targets:
        dataset, *_, name = target.split("/")
        assert dataset not in text
        assert name.lower() not in text
        assert "/data" not in text


@pytest.mark.parametrize("task", TASKS, ids=ids)
def test_question_and_guideline_do_not_hold_the_gold(task):
    """The answer stands nowhere in what an agent reads."""
    text = f"{task.question} {task.guideline}"
    assert not re.search(rf"(?<![\w.]){re.escape(task.answer)}(?![\w.]*\d)", text)


@pytest.mark.parametrize("task", TASKS, ids=ids)
def test_a_guideline_ends_with_the_fallback(task):
    """Every released guideline says what to answer when the data do not suffice."""
    released = task.to_task(7, "c0123456789")
    assert released.answer_guidelines.endswith(FALLBACK)
    assert released.instance_id == 7
    assert released.data_path == "communities/c0123456789/full_community"


@pytest.mark.parametrize("task", TASKS, ids=ids)
def test_a_reference_program_computes_its_answer(task):
    """No program holds its gold as a literal; it is Python and names each target's file."""
    strings = [node.value for node in ast.walk(ast.parse(task.code)) if isinstance(node, ast.Constant)]
    assert task.answer not in [str(value) for value in strings]
    for target in task.targets:
        assert target.rsplit("/", 1)[1] in task.code


def test_every_target_is_a_file_of_the_catalog():
    """No task points at a file that the build does not write."""
    made = {(entry.theme, f"{entry.slug}/{name}") for entry in load_catalog().datasets for name, _ in entry.expand()}
    assert {(task.theme, target) for task in TASKS for target in task.targets} <= made


def test_every_program_belongs_to_a_task():
    """The folder of reference programs holds no orphan."""
    folder = resources.files("coda_bench.demo").joinpath("references")
    programs = {
        (theme.name, program.name.removesuffix(".py"))
        for theme in folder.iterdir()
        for program in theme.iterdir()
        if program.name.endswith(".py")
    }
    assert programs == {(task.theme, task.program) for task in TASKS}


def test_effective_lines_leave_out_blanks_and_comments():
    """Counting follows the paper's reading: neither blank nor comment."""
    task = next(task for task in TASKS if task.program == "training_trial_and_survey")
    kept = [line for line in task.code.splitlines() if line.strip() and line.strip()[0] != "#"]
    assert task.effective_lines == len(kept)
    assert "#" in task.code
