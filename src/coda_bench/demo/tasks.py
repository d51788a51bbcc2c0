"""The demo's tasks: question, guideline, gold and reference program of each, and which of them are Hard."""

import tomllib
from collections.abc import Iterable
from importlib import resources

from pydantic import ValidationError

from coda_bench.errors import BadInput
from coda_bench.records.record import Record, first_problem
from coda_bench.records.task import Task

FALLBACK = "Where the available data do not allow an answer, respond with 'Not Applicable'."
"""Ends every guideline, as every guideline of the public release ends with such a sentence."""

HARD_TARGETS = 2
HARD_LINES = 30
"""Hard by the paper's rule: at least two target files and more than thirty effective lines."""


class DemoTask(Record):
    """One task as written in `questions/<theme>.toml`."""

    theme: str
    program: str
    """Name of the reference program in `references/<theme>/`."""
    targets: tuple[str, ...]
    """Community paths of exactly the files the program opens."""
    question: str
    guideline: str
    answer: str
    derivation: str
    """How the gold follows from the files, in words."""
    code: str
    """The reference program."""

    @property
    def effective_lines(self) -> int:
        """Lines of the reference program that are neither blank nor comment."""
        lines = (line.strip() for line in self.code.splitlines())
        return sum(1 for line in lines if line and not line.startswith("#"))

    @property
    def is_hard(self) -> bool:
        """Whether the task belongs to the Hard subset."""
        return len(self.targets) >= HARD_TARGETS and self.effective_lines > HARD_LINES

    @property
    def datasets(self) -> tuple[str, ...]:
        """Slugs of the data sets that hold its targets, each once."""
        return tuple(dict.fromkeys(target.split("/")[0] for target in self.targets))

    def to_task(self, instance_id: int, community: str) -> Task:
        """Return the task, set in a community, in the released schema v1.0.1."""
        return Task(
            instance_id=instance_id,
            question=self.question,
            answer=self.answer,
            answer_guidelines=f"{self.guideline} {FALLBACK}",
            reference_code=self.code,
            dataset=self.datasets[0],
            notebook=self.program.replace("_", "-"),
            release_community=community,
            data_path=f"communities/{community}/full_community",
            source_type="package_data",
            source_community=community,
        )


def load_demo_tasks(themes: Iterable[str]) -> tuple[DemoTask, ...]:
    """Read the tasks of the themes, in their order; the position of a task is its instance id.

    Raises:
        BadInput: a task is malformed, or two tasks share a program.
        FileNotFoundError: a task has no program, which only a broken installation shows.
    """
    tasks = tuple(task for theme in themes for task in _load_theme(theme))
    programs = [(task.theme, task.program) for task in tasks]
    repeated = [program for program in programs if programs.count(program) > 1]
    if repeated:
        raise BadInput(f"demo/questions: two tasks use the program {'/'.join(repeated[0])}")
    return tasks


def _load_theme(theme: str) -> list[DemoTask]:
    where = f"demo/questions/{theme}.toml"
    text = resources.files(__package__).joinpath("questions", f"{theme}.toml").read_text("utf-8")
    try:
        rows = tomllib.loads(text)["tasks"]
        return [DemoTask(theme=theme, code=_code(theme, row["program"]), **row) for row in rows]
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{where}: {error}") from error
    except ValidationError as error:
        raise BadInput(f"{where}: {first_problem(error)}") from error


def _code(theme: str, program: str) -> str:
    folder = resources.files(__package__).joinpath("references", theme)
    return folder.joinpath(f"{program}.py").read_text("utf-8")
