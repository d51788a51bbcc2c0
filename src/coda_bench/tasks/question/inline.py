"""A displayed expression with every name replaced by what it stands for, down to the files that are read."""

import ast
import copy
from collections.abc import Iterable

DERIVED = "__derived__"
"""`__derived__(table, column, expression)`: a table with one more column."""
MOST_NODES = 4000


class NotInlined(Exception):
    """A slice has a statement that is no plain definition; the message names it."""


class _Replacer(ast.NodeTransformer):
    def __init__(self, known: dict[str, ast.expr], bound: frozenset[str] = frozenset()) -> None:
        self._known, self._bound = known, bound

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and node.id in self._known and node.id not in self._bound:
            return copy.deepcopy(self._known[node.id])
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        own = {one.arg for one in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]}
        return _Replacer(self._known, self._bound | own).generic_visit(node)  # type: ignore[return-value]


def inlined(sources: Iterable[str], expression: str) -> ast.expr:
    """Return an expression in terms of the files that are read.

    Args:
        sources: the statements of the slice, in their order; those that only display are passed over.
        expression: what is displayed.

    Raises:
        NotInlined: a statement is more than the definition of a name or of a column.
    """
    known: dict[str, ast.expr] = {}
    for source in sources:
        for node in ast.parse(source).body:
            _learn(node, known)
    found = _Replacer(known).visit(ast.parse(expression.strip(), mode="eval").body)
    if sum(1 for _ in ast.walk(found)) > MOST_NODES:
        raise NotInlined("too long")
    return found  # type: ignore[no-any-return]


def _learn(node: ast.stmt, known: dict[str, ast.expr]) -> None:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            known.pop(alias.asname or alias.name, None)
    elif isinstance(node, ast.Assign) and len(node.targets) == 1:
        _assign(node.targets[0], _Replacer(known).visit(node.value), known)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _is_inplace(node.value):
        _changed(node.value, known)
    elif not isinstance(node, ast.Expr):
        raise NotInlined(f"{type(node).__name__} statement")


def _assign(target: ast.expr, value: ast.expr, known: dict[str, ast.expr]) -> None:
    if isinstance(target, ast.Name):
        known[target.id] = value
    elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) and target.value.id in known:
        column = _Replacer(known).visit(target.slice)
        if not (isinstance(column, ast.Constant) and isinstance(column.value, str)):
            raise NotInlined("assignment to a part")
        table = known[target.value.id]
        known[target.value.id] = ast.Call(ast.Name(DERIVED, ast.Load()), [table, column, value], [])
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        for one, part in zip(target.elts, value.elts, strict=True):
            _assign(one, part, known)
    else:
        raise NotInlined("assignment to a part")


def _is_inplace(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and any(
        word.arg == "inplace" and isinstance(word.value, ast.Constant) and word.value.value is True
        for word in call.keywords
    )


def _changed(call: ast.Call, known: dict[str, ast.expr]) -> None:
    """Take a call that changes a table in place as one that gives a new table."""
    function = call.func
    if not (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)):
        raise NotInlined("change in place of a part")
    words = [word for word in call.keywords if word.arg != "inplace"]
    known[function.value.id] = _Replacer(known).visit(ast.Call(function, call.args, words))
