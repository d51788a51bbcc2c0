"""How many parts a reference program prints, where its last statement shows it."""

import ast
from typing import NamedTuple

from coda_bench.tasks.audit.program import Program, name_of

_TEXT_NAMES = ("str", "list", "joined", "text", "answer", "output", "result", "part")


class Parts(NamedTuple):
    """What the last print of a program shows."""

    n: int
    """Parts between semicolons."""
    evidence: str


def printed_parts(program: Program) -> Parts | None:
    """Return the number of parts a program prints; None where it cannot be read off.

    Read are programs whose only top-level print comes last and prints one f-string, or a name bound once
    to one. A text joined in a loop, or a value in the f-string that may itself hold semicolons, is not read.
    """
    prints = [call for call in program.calls if name_of(call.func) == "print"]
    last = program.tree.body[-1] if program.tree.body else None
    if len(prints) != 1 or not (isinstance(last, ast.Expr) and last.value is prints[0]) or len(prints[0].args) != 1:
        return None
    value: ast.AST | None = prints[0].args[0]
    if isinstance(value, ast.Name):
        value = _bound_once(program, value.id)
    if not isinstance(value, ast.JoinedStr):
        return None
    if any(_may_hold_more(part) for part in value.values):
        return None
    texts = [str(part.value) if isinstance(part, ast.Constant) else "x" for part in value.values]
    text = "".join(texts)
    return Parts(text.strip("; \n").count(";") + 1, ast.unparse(value)[:120])


def _bound_once(program: Program, name: str) -> ast.AST | None:
    bound = [
        node.value
        for node in program.nodes
        if isinstance(node, ast.Assign) and any(isinstance(to, ast.Name) and to.id == name for to in node.targets)
    ]
    changed = any(isinstance(node, ast.AugAssign) and name_of(node.target) == name for node in program.nodes)
    return bound[0] if len(bound) == 1 and not changed else None


def _may_hold_more(part: ast.AST) -> bool:
    """Whether a part of an f-string could be text with separators of its own: a bare name or a joined list."""
    if not isinstance(part, ast.FormattedValue) or part.format_spec is not None:
        return False
    names = [
        node.func.attr
        for node in ast.walk(part.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]
    is_text = isinstance(part.value, ast.Name) and any(
        word in part.value.id.lower()
        for word in ("str", "list", "joined", "text", "answer", "output", "result", "part")
    )
    return "join" in names or is_text
