"""Notes of what is displayed: calls around the expressions whose values a reader of the output sees.

Noted are the last expression of a cell, the arguments of `print` and `display`, and within a text the values put into
it: by an f-string, by `%`, by `.format` or by `str`. A note ties a value to its expression, wherever its text ends up.
"""

import ast
import copy
from typing import NamedTuple

NOTE = "__coda_bench_note__"
SHOWING = frozenset({"print", "display"})


class Site(NamedTuple):
    """One expression whose value is displayed."""

    cell: int
    position: int
    """Of the statement in its cell, from 0."""
    number: int
    """Of the site in its statement, from 0 in the order of the source."""
    role: str
    """`result` (last expression), `argument` (of print or display) or `part` (of a text)."""
    source: str
    label: str
    """The literal text right before it, where it stands in one."""
    line: int
    """From 1, in its cell."""

    @property
    def key(self) -> str:
        """What a note names its site by."""
        return f"{self.cell}.{self.position}.{self.number}"


class Noter(ast.NodeTransformer):
    """Wraps displayed expressions of one statement in calls of `NOTE`."""

    def __init__(self, cell: int, position: int, source: str) -> None:
        self._cell, self._position, self._source = cell, position, source
        self.sites: list[Site] = []

    def result(self, node: ast.expr) -> ast.expr:
        """Wrap the expression at the end of a cell."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SHOWING:
            return self.visit(node)  # type: ignore[no-any-return]
        return self._shown(node, "result", "")

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Wrap what a display shows; look for displays in all other calls."""
        if not (isinstance(node.func, ast.Name) and node.func.id in SHOWING):
            return self.generic_visit(node)  # type: ignore[return-value]
        shown, label = [], ""
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                shown.append(self.visit(argument))
            else:
                shown.append(self._shown(argument, "argument", label))
            label = str(argument.value) if isinstance(argument, ast.Constant) else ""
        return ast.copy_location(ast.Call(node.func, shown, node.keywords), node)

    def _shown(self, node: ast.expr, role: str, label: str) -> ast.expr:
        """Wrap an expression, or the values that a text is made of."""
        if isinstance(node, ast.JoinedStr):
            return self._f_string(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and _is_text(node.left):
            return self._percent(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and _is_text(_leftmost(node)):
            return self._sum(node, label)
        if isinstance(node, ast.Call) and _is_format(node):
            return self._format(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str" and node.args:
            inner = self._shown(node.args[0], "part", label)
            return ast.copy_location(ast.Call(node.func, [inner, *node.args[1:]], node.keywords), node)
        return self._noted(node, role, label)

    def _f_string(self, node: ast.JoinedStr) -> ast.expr:
        values, label = [], ""
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                inner = self._noted(value.value, "part", label)
                made: ast.expr = ast.FormattedValue(inner, value.conversion, value.format_spec)
                values.append(ast.copy_location(made, value))
                label = ""
            else:
                values.append(value)
                label = str(value.value) if isinstance(value, ast.Constant) else ""
        return ast.copy_location(ast.JoinedStr(values), node)

    def _format(self, node: ast.Call) -> ast.expr:
        arguments = [one if isinstance(one, ast.Starred) else self._noted(one, "part", "") for one in node.args]
        keywords = [
            ast.keyword(one.arg, self._noted(one.value, "part", "")) if one.arg else one for one in node.keywords
        ]
        return ast.copy_location(ast.Call(node.func, arguments, keywords), node)

    def _percent(self, node: ast.BinOp) -> ast.expr:
        right = node.right
        if isinstance(right, ast.Tuple):
            parts = [self._noted(one, "part", "") for one in right.elts]
            made: ast.expr = ast.copy_location(ast.Tuple(parts, ast.Load()), right)
        else:
            made = self._noted(right, "part", "")
        return ast.copy_location(ast.BinOp(node.left, ast.Mod(), made), node)

    def _sum(self, node: ast.BinOp, label: str) -> ast.expr:
        """Wrap the terms of a text that is put together by `+`."""
        if isinstance(node.left, ast.BinOp):
            left, before = self._sum(node.left, label), node.left.right
        else:
            left, before = self._shown(node.left, "part", label), node.left
        label = str(before.value) if isinstance(before, ast.Constant) else ""
        return ast.copy_location(ast.BinOp(left, node.op, self._shown(node.right, "part", label)), node)

    def _noted(self, node: ast.expr, role: str, label: str) -> ast.expr:
        if isinstance(node, ast.Constant):
            return node
        text = ast.get_source_segment(self._source, node) or ast.unparse(node)
        site = Site(self._cell, self._position, len(self.sites), role, text, label[-200:], node.lineno)
        self.sites.append(site)
        call = ast.Call(ast.Name(NOTE, ast.Load()), [ast.Constant(site.key), copy.copy(node)], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _leftmost(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        node = node.left
    return node


def _is_format(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and node.func.attr == "format" and _is_text(node.func.value)
