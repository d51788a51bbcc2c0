"""The reference program of a task: the slice made self-contained over the release's paths, ending with the answer."""

import ast
import re
from collections.abc import Sequence

from coda_bench.records.anchor import Candidate, Leaf, Scalar, Step
from coda_bench.records.proof import Proof
from coda_bench.tasks.execution.kernel.noting import SHOWING
from coda_bench.tasks.proof.program import lines_of

_INPUT = re.compile(r"(?:\.\./|/kaggle/)input(?:/datasets/[\w-]+)?(?=[/\"'])")
HARD_TARGETS, HARD_LINES = 2, 30
"""Hard: at least two target files and more than thirty effective lines (paper, section 5)."""


class NoReference(Exception):
    """A slice cannot be made a program over the release's paths; the message says why."""


def reference_program(proof: Proof, candidate: Candidate, leaves: Sequence[Leaf], answer: str) -> str:
    """Return a program that prints the answer.

    Args:
        proof: of the slice.
        candidate: what of it is displayed.
        leaves: the parts that the answer is made of: one.
        answer: the gold, for the form it is printed in.

    Raises:
        NoReference: the displaying statement is more than an expression, or a path is put together in a way that
            cannot be rewritten.
    """
    cells = _without_display(proof, candidate)
    text = "\n\n".join(cell.strip("\n") for cell in cells if cell.strip())
    text = _INPUT.sub("/data", text)
    if "input" in re.findall(r"[\"'](\.\.|input|kaggle)[\"'/]", text):
        raise NoReference("its paths are put together from parts")
    value = _INPUT.sub("/data", candidate.expression.strip())
    return f"{text}\n\nvalue = {_in_one_line(value)}\n{_printing(leaves[0], answer)}\n"


def _without_display(proof: Proof, candidate: Candidate) -> list[str]:
    """Return the cells with the displaying statement, which comes last, left out."""
    *before, last = [cell.source for cell in proof.program]
    body = ast.parse(last).body
    shown = body[-1]
    if candidate.place.occurrence or not isinstance(shown, ast.Expr):
        raise NoReference("it is displayed in a loop or a function")
    if candidate.role != "result" and not _is_display(shown.value):
        raise NoReference("it is displayed within another expression")
    kept = "\n".join(last.split("\n")[: shown.lineno - 1])
    if lines_of([kept]) and len(ast.parse(kept).body) != len(body) - 1:
        raise NoReference("it stands on a line with other statements")
    return [*before, kept]


def _is_display(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SHOWING


def _in_one_line(expression: str) -> str:
    return f"({expression})" if "\n" in expression else expression


def _printing(leaf: Leaf, answer: str) -> str:
    """Return the statements that take a part of the value and print it as the answer has it."""
    has_label = ";" in answer
    taken = "value" + _selected(leaf.path)
    number = answer.rpartition(";")[2].strip()
    shown = _formatted(number, leaf)
    if not has_label:
        return f"answer = {taken}\nprint({shown})"
    label = 'label = value.index[0]\nname = ", ".join(map(str, label)) if isinstance(label, tuple) else str(label)'
    return f'{label}\nanswer = {taken}\nprint(name + "; " + {shown})'


def _formatted(number: str, leaf: Leaf) -> str:
    if leaf.value[0] == "s":
        return "str(answer)"
    decimals = len(number.rstrip("%").partition(".")[2])
    if leaf.as_percent:
        return f'f"{{100 * answer:.{decimals}f}}%"'
    return f'f"{{answer:.{decimals}f}}"'


def _selected(path: Sequence[Step]) -> str:
    rows = [step for step in path if step.kind == "row"]
    columns = [step for step in path if step.kind == "column"]
    if rows and columns:
        return f".loc[{_literal(rows[0].label)}, {_literal(columns[0].label)}]"
    if rows:
        return f".loc[{_literal(rows[0].label)}]"
    return "".join(f"[{_literal(step.label)}]" for step in path)


def _literal(label: Scalar) -> str:
    kind, content = label
    if kind == "m":
        return f"({', '.join(_literal((part[0], part[1])) for part in content)},)"
    if kind not in {"s", "i", "f", "b"}:
        raise NoReference("a row or column has a name that no literal gives")
    return repr(content)


def is_hard(n_targets: int, program: str) -> bool:
    """Whether a task belongs to the Hard subset."""
    return n_targets >= HARD_TARGETS and lines_of([program]) > HARD_LINES
