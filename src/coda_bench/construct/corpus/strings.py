"""The strings that code can build, as far as they are plain to see: constants, joins, formats, loops over lists.

Every name has a set of values, so a path made in a loop or under a condition has all of its forms. Nothing is run.
"""

import ast
import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

_MOST = 64
"""Values of one name or expression: more say nothing any more."""
_MAGIC = re.compile(r"^\s*[%!?]")
_CELL_MAGIC = re.compile(r"^\s*%%(\w+)")
_PYTHON_MAGICS = frozenset({"time", "timeit", "capture", "prun", "python", "python3"})
_QUOTED = re.compile(r"""(?P<quote>["'])(?P<text>(?:\\.|(?!(?P=quote)).)*)(?P=quote)""")
_WORD = re.compile(r"[^\s'\"=<>|&;]+")
_PLACEHOLDER = re.compile(r"%[sd]|\{[^{}]*\}")
_JOINS = frozenset({"join", "joinpath", "Path", "PurePath", "PosixPath", "PurePosixPath"})


class Found(NamedTuple):
    """A string that code has, and the line it begins on."""

    line: int
    """From 1, in its cell."""
    text: str


class Unparsable(Exception):
    """Code is not Python as it is today."""


class Strings:
    """Values of names, carried from cell to cell in their order."""

    def __init__(self) -> None:
        self._names: dict[str, tuple[str, ...]] = {}

    def of_cell(self, source: str) -> Iterator[Found]:
        """Yield the strings of a cell; commands to a shell are taken word by word.

        Raises:
            Unparsable: the rest of the cell does not parse.
        """
        magic = _CELL_MAGIC.match(source)
        if magic and magic[1] not in _PYTHON_MAGICS:
            yield from _words(source)
            return
        lines = source.splitlines()
        for number, line in enumerate(lines):
            if _MAGIC.match(line):
                yield from (Found(number + 1, found.text) for found in _words(line))
                lines[number] = "pass" if line[:1] in "%!?" else line[: len(line) - len(line.lstrip())] + "pass"
        try:
            tree = ast.parse("\n".join(lines))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise Unparsable(str(error)) from error
        yield from self._walk(tree)

    def _walk(self, node: ast.AST) -> Iterator[Found]:
        if isinstance(node, ast.Assign):
            self._assign(node)
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            self._add(node.target.id, self._items(node.iter))
        if isinstance(node, ast.expr) and (values := self._values(node)):
            yield from (Found(node.lineno, value) for value in values)
            return
        for child in ast.iter_child_nodes(node):
            if not _is_docstring(child):
                yield from self._walk(child)

    def _assign(self, node: ast.Assign) -> None:
        values = self._values(node.value) or self._items(node.value)
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._add(target.id, values)

    def _add(self, name: str, values: tuple[str, ...]) -> None:
        self._names[name] = tuple(dict.fromkeys([*self._names.get(name, ()), *values]))[:_MOST]

    def _items(self, node: ast.expr) -> tuple[str, ...]:
        """Return what a loop over an expression, or an index into it, can give."""
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            return self._union(node.elts)
        if isinstance(node, ast.Dict):
            return self._union([one for one in (*node.values, *node.keys) if one is not None])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
            return self._items(node.func.value)  # d.items(), d.values()
        return self._names.get(node.id, ()) if isinstance(node, ast.Name) else ()

    def _union(self, nodes: list[ast.expr]) -> tuple[str, ...]:
        found = (value for node in nodes for value in self._values(node) or self._items(node))
        return tuple(dict.fromkeys(itertools.islice(found, _MOST)))

    def _values(self, node: ast.expr | None) -> tuple[str, ...]:
        """Return the strings that an expression can be; none when that is not plain to see."""
        match node:
            case ast.Constant(value=str(text)):
                found: tuple[str, ...] = (text,)
            case ast.Name():
                found = self._names.get(node.id, ())
            case ast.JoinedStr():
                found = self._product([self._part(part) for part in node.values], "")
            case ast.BinOp():
                found = self._operation(node)
            case ast.Subscript():
                found = self._items(node.value)
            case ast.IfExp():
                found = tuple(dict.fromkeys((*self._values(node.body), *self._values(node.orelse))))
            case ast.Call():
                found = self._call(node)
            case _:
                found = ()
        return found

    def _part(self, node: ast.expr) -> tuple[str, ...]:
        if isinstance(node, ast.FormattedValue):
            return self._values(node.value) or ("*",)  # what cannot be told stands for itself
        return self._values(node)

    def _operation(self, node: ast.BinOp) -> tuple[str, ...]:
        left, right = self._values(node.left), self._values(node.right)
        if isinstance(node.op, ast.Add) and (left or right):
            return self._product([left or ("*",), right or ("*",)], "")
        if isinstance(node.op, ast.Div) and left:
            return self._product([left, right or ("*",)], "/")
        if isinstance(node.op, ast.Mod) and left:
            return self._filled(left, [right or ("*",)])
        return ()

    def _call(self, node: ast.Call) -> tuple[str, ...]:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        base = self._values(node.func.value) if isinstance(node.func, ast.Attribute) else ()
        arguments = [self._values(one) or ("*",) for one in node.args]
        if name == "format" and base:
            return self._filled(base, [*arguments, *(self._values(one.value) or ("*",) for one in node.keywords)])
        if name in _JOINS and any(self._values(one) for one in node.args):
            return self._product([base, *arguments] if name == "joinpath" and base else arguments, "/")
        if name in {"str", "expanduser", "abspath", "resolve", "as_posix", "glob"}:
            return self._product([part for part in (base, *arguments) if part], "/")
        return ()

    @staticmethod
    def _product(parts: list[tuple[str, ...]], between: str) -> tuple[str, ...]:
        if not parts or any(not part for part in parts):
            return ()
        return tuple(between.join(one) for one in itertools.islice(itertools.product(*parts), _MOST))

    def _filled(self, patterns: tuple[str, ...], values: list[tuple[str, ...]]) -> tuple[str, ...]:
        """Put every value into every place of a pattern: too many forms, but the right one among them."""
        every = [value for part in values for value in part][:_MOST]
        filled = (value.join(_PLACEHOLDER.split(one)) for one in patterns for value in every)
        return tuple(itertools.islice(filled, _MOST))


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _words(text: str) -> Iterator[Found]:
    for number, line in enumerate(text.splitlines(), 1):
        yield from (Found(number, word[0]) for word in _WORD.finditer(line.partition("#")[0]))


def quoted(source: str) -> Iterator[Found]:
    """Yield what stands in quotes, line by line: for code that does not parse."""
    for number, line in enumerate(source.splitlines(), 1):
        if not line.lstrip().startswith("#"):
            yield from (Found(number, found["text"]) for found in _QUOTED.finditer(line))
