"""The strings that code can build, as far as they are plain to see: constants, joins, formats, loops over lists.

Every name has a set of values, so a path made in a loop or under a condition has all of its forms. Nothing is run.
"""

import ast
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_MOST = 64
"""Values of one name or expression: more say nothing any more."""
_LONGEST = 4_000
"""Characters of a path, generously."""
UNKNOWN = ("*",)
"""What stands for a part that cannot be told."""
_MAGIC = re.compile(r"^\s*[%!?]")
_CELL_MAGIC = re.compile(r"^\s*%%(\w+)")
_PYTHON_MAGICS = frozenset({"time", "timeit", "capture", "prun", "python", "python3"})
_QUOTED = re.compile(r"""(?P<quote>["'])(?P<text>(?:\\.|(?!(?P=quote)).)*)(?P=quote)""")
_WORD = re.compile(r"[^\s'\"=<>|&;]+")
_BRACES = re.compile(r"\{(?P<name>\w{0,30})[^{}]*\}")
_PERCENTS = re.compile(r"%(?:\((?P<name>\w{1,30})\))?[-+ 0#]*\d*(?:\.\d+)?[a-zA-Z]")
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
        self._containers: dict[str, ast.expr] = {}
        """Lists and dictionaries as they are written, by the name they were given last."""

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
            yield from list(self._walk(ast.parse("\n".join(lines))))  # whole, or its text stands in for it
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise Unparsable(str(error)) from error

    def _walk(self, node: ast.AST) -> Iterator[Found]:
        self._learn(node)
        if isinstance(node, ast.expr) and (values := self._values(node)):
            yield from (Found(node.lineno, value) for value in values)
            return
        for child in ast.iter_child_nodes(node):
            if not _is_docstring(child):
                yield from self._walk(child)

    def _learn(self, node: ast.AST) -> None:
        """Take up what a statement, or a comprehension before its element, says of names."""
        match node:
            case ast.Assign():
                for target in node.targets:
                    self._bind(target, [node.value])
            case ast.AnnAssign(value=ast.expr() as value) | ast.NamedExpr(value=value):
                self._bind(node.target, [value])
            case ast.AugAssign(op=ast.Add(), target=ast.Name(id=name)):
                self._names[name] = self._product([self._names.get(name, ()), self._values(node.value)], "")
            case ast.For() | ast.AsyncFor():
                self._bind(node.target, self._elements(node.iter))
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                for one in node.generators:
                    self._bind(one.target, self._elements(one.iter))
            case _:
                pass

    def _bind(self, target: ast.expr, values: Sequence[ast.expr]) -> None:
        """Let a name, or each of several, stand for any of some expressions."""
        if isinstance(target, ast.Tuple | ast.List):
            for place, name in enumerate(target.elts):
                rows = (value.elts for value in values if isinstance(value, ast.Tuple | ast.List))
                self._bind(name, [row[place] for row in rows if len(row) == len(target.elts)])
        elif isinstance(target, ast.Name):
            for value in values[:_MOST]:
                if isinstance(value, ast.List | ast.Tuple | ast.Set | ast.Dict):
                    self._containers[target.id] = value
                self._add(target.id, self._values(value))

    def _add(self, name: str, values: tuple[str, ...]) -> None:
        self._names[name] = tuple(dict.fromkeys([*self._names.get(name, ()), *values]))[:_MOST]

    def _container(self, node: ast.expr) -> ast.expr:
        return self._containers.get(node.id, node) if isinstance(node, ast.Name) else node

    def _elements(self, node: ast.expr) -> list[ast.expr]:
        """Return what a loop over an expression goes through, as far as it is written out."""
        match self._container(node):
            case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
                return elements
            case ast.Dict(keys=keys):
                return [key for key in keys if key is not None]
            case ast.Call(func=ast.Attribute(value=value, attr=method), args=[]):
                return self._of_dictionary(self._container(value), method)
            case ast.Call(func=ast.Name(id=function), args=[ast.expr() as first, *others]):
                return self._of_function(function, self._elements(first), others)
            case _:
                return []

    @staticmethod
    def _of_dictionary(node: ast.expr, method: str) -> list[ast.expr]:
        if not isinstance(node, ast.Dict):
            return []
        pairs = [(key, value) for key, value in zip(node.keys, node.values, strict=True) if key is not None]
        parts: dict[str, list[ast.expr]] = {
            "items": [ast.Tuple(list(pair), ast.Load()) for pair in pairs],
            "values": [value for _, value in pairs],
            "keys": [key for key, _ in pairs],
        }
        return parts.get(method, [])

    def _of_function(self, name: str, first: list[ast.expr], others: list[ast.expr]) -> list[ast.expr]:
        if name in {"sorted", "list", "tuple", "set", "reversed"}:
            return first
        if name == "enumerate":
            return [ast.Tuple([ast.Constant(0), one], ast.Load()) for one in first]
        if name == "zip":
            rows = zip(first, *(self._elements(one) for one in others), strict=False)
            return [ast.Tuple(list(row), ast.Load()) for row in rows]
        return []

    def _picked(self, node: ast.Subscript) -> tuple[str, ...]:
        """Return what an index into a list or dictionary can give: the value of a known key, else any."""
        match self._container(node.value), node.slice:
            case ast.Dict(keys=keys, values=values), ast.Constant(value=wanted):
                named = [one for key, one in zip(keys, values, strict=True) if getattr(key, "value", key) == wanted]
                return self._union(named[-1:])
            case ast.Dict(values=values), _:
                return self._union(values)
            case ((ast.List(elts=elements) | ast.Tuple(elts=elements)), ast.Constant(value=int(place))):
                return self._union(elements[place : place + 1])
            case ((ast.List(elts=elements) | ast.Tuple(elts=elements)), _):
                return self._union(elements)
            case _:
                return ()

    def _union(self, nodes: Sequence[ast.expr]) -> tuple[str, ...]:
        found = (value for node in nodes for value in self._values(node))
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
                found = self._picked(node)
            case ast.Attribute(attr="parent"):
                found = tuple(text.rpartition("/")[0] for text in self._values(node.value) if "/" in text)
            case ast.IfExp():
                found = tuple(dict.fromkeys((*self._values(node.body), *self._values(node.orelse))))
            case ast.Call():
                found = self._call(node)
            case _:
                found = ()
        return found

    def _part(self, node: ast.expr) -> tuple[str, ...]:
        if isinstance(node, ast.FormattedValue):
            return self._values(node.value) or UNKNOWN
        return self._values(node)

    def _operation(self, node: ast.BinOp) -> tuple[str, ...]:
        left, right = self._values(node.left), self._values(node.right)
        if isinstance(node.op, ast.Add) and (left or right):
            return self._product([left or UNKNOWN, right or UNKNOWN], "")
        if isinstance(node.op, ast.Div) and left:
            return self._product([left, right or UNKNOWN], "/")
        if isinstance(node.op, ast.Mod) and left:
            return self._percent(left, node.right)
        return ()

    def _call(self, node: ast.Call) -> tuple[str, ...]:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        base = self._values(node.func.value) if isinstance(node.func, ast.Attribute) else ()
        arguments = [self._values(one) or UNKNOWN for one in node.args]
        if name == "format" and base:
            named = {one.arg: self._values(one.value) or UNKNOWN for one in node.keywords if one.arg}
            return self._filled(base, _BRACES, arguments, named)
        if name in _JOINS and any(self._values(one) for one in node.args):
            return self._product([base, *arguments] if name == "joinpath" and base else arguments, "/")
        if name in {"str", "expanduser", "abspath", "resolve", "as_posix", "glob"}:
            return self._product([part for part in (base, *arguments) if part], "/")
        return ()

    def _percent(self, patterns: tuple[str, ...], node: ast.expr) -> tuple[str, ...]:
        """Return what `pattern % values` can be."""
        named: dict[str, tuple[str, ...]] = {}
        match self._container(node):
            case ast.Tuple(elts=elements):
                values = [self._values(one) or UNKNOWN for one in elements]
            case ast.Dict(keys=keys, values=items):
                values = []
                for key, one in zip(keys, items, strict=True):
                    named |= {text: self._values(one) or UNKNOWN for text in self._values(key)}
            case _:
                values = [self._values(node) or UNKNOWN]
        return self._filled(patterns, _PERCENTS, values, named)

    def _filled(
        self,
        patterns: tuple[str, ...],
        places: re.Pattern[str],
        values: list[tuple[str, ...]],
        named: dict[str, tuple[str, ...]],
    ) -> tuple[str, ...]:
        """Put into every place of a pattern what belongs there: by name, by number, or one after the other."""
        found: list[str] = []
        for pattern in patterns:
            waiting, parts, end = iter(values), [], 0
            for place in places.finditer(pattern):
                name = place["name"] or ""
                if name.isascii() and name.isdigit():
                    known = values[int(name)] if int(name) < len(values) else UNKNOWN
                else:
                    known = named.get(name, UNKNOWN) if name else next(waiting, UNKNOWN)
                parts += [(pattern[end : place.start()],), known]
                end = place.end()
            found += self._product([*parts, (pattern[end:],)], "")
        return tuple(found[:_MOST])

    @staticmethod
    def _product(parts: list[tuple[str, ...]], between: str) -> tuple[str, ...]:
        if not parts or any(not part for part in parts):
            return ()
        every = itertools.islice(itertools.product(*parts), _MOST)
        # Names that double themselves line by line would fill the memory.
        return tuple(between.join(one) for one in every if sum(map(len, one)) <= _LONGEST)


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
