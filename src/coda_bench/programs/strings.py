"""The strings that code can build, as far as they are plain to see: constants, joins, formats, loops over lists.

Every name has a set of values, so a path made in a loop or under a condition has all of its forms. Nothing is run, and
what a value may be is bounded in number and length: code can be written to have no end of either.
"""

import ast
import itertools
import re
import warnings
from collections.abc import Iterator, Sequence

from coda_bench.programs.filling import MOST, UNKNOWN, Values, formatted, percent, product
from coda_bench.programs.quotes import Found, shell_words

_MAGIC = re.compile(r"\s*(?:[%!?]|[A-Za-z_]\w*\s*=\s*[%!]|[\w.]+\?)")
_CELL_MAGIC = re.compile(r"\s*%%(\w+)")
_PYTHON_MAGICS = frozenset({"time", "timeit", "capture", "prun", "python", "python3"})
_TEXT_MAGICS = frozenset({"markdown", "html", "latex", "svg", "javascript", "js"})
_JOINS = frozenset({"join", "Path", "PurePath", "PosixPath", "PurePosixPath"})
_SAME = frozenset({"str", "expanduser", "abspath", "absolute", "resolve", "as_posix", "glob", "rglob"})
_TRANSPARENT = (ast.Attribute, ast.FormattedValue, ast.keyword, ast.Tuple, ast.Starred)
_CONTAINERS = (ast.List, ast.Tuple, ast.Set, ast.Dict)
_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


class Unparsable(Exception):
    """Code is not Python as it is today, or nested beyond measure."""


class Strings:
    """Values of names, carried from cell to cell in their order."""

    def __init__(self) -> None:
        self._names: dict[str, Values] = {}
        # Each expression is looked at where it stands, and once: looked at anew from every level above it, nested
        # calls would take twice as long for each level.
        self._known: dict[int, Values] = {}
        self._known_items: dict[int, Values] = {}
        self._known_keys: dict[int, dict[object, ast.expr]] = {}
        self._containers: dict[str, ast.expr] = {}
        """Lists and dictionaries as they are written, by the name they were given last."""
        self._made: list[ast.expr] = []
        """Expressions of our own making: kept while their numbers stand in `_known`."""

    def of_cell(self, source: str) -> Iterator[Found]:
        """Yield the strings of a cell; commands to a shell are taken word by word.

        Raises:
            Unparsable: the cell does not parse.
        """
        magic = _CELL_MAGIC.match(source)
        if magic and magic[1] not in _PYTHON_MAGICS:
            yield from () if magic[1] in _TEXT_MAGICS else shell_words(source)
            return
        tree, commands = _parsed(source)
        yield from commands
        for known in (self._known, self._known_items, self._known_keys):
            known.clear()
        self._made.clear()
        try:
            yield from self._walk_cell(tree)
        except RecursionError as error:
            raise Unparsable("nested too deeply") from error

    def _walk_cell(self, tree: ast.Module) -> Iterator[Found]:
        """Yield the strings of a cell, those of its functions last: by then it is known what they are called with."""
        functions = [one for one in tree.body if isinstance(one, ast.FunctionDef)]
        for statement in tree.body:
            if not isinstance(statement, ast.FunctionDef) and not _is_docstring(statement):
                yield from self._walk(statement)
        parameters = {one.name: [argument.arg for argument in one.args.args] for one in functions}
        for node in ast.walk(tree) if functions else ():
            if isinstance(node, ast.Call) and (names := parameters.get(_name(node.func))):
                self._pass(names, node)
        for function in functions:
            yield from self._walk(function)

    def _pass(self, names: Sequence[str], call: ast.Call) -> None:
        """Let parameters of a function stand for what a call gives them."""
        places = [(name, value) for name, value in zip(names, call.args, strict=False)]
        for name, value in [*places, *((one.arg, one.value) for one in call.keywords if one.arg in names)]:
            self._assign(ast.Name(str(name)), value)

    def _walk(self, node: ast.AST) -> Iterator[Found]:
        self._bind(node)
        if isinstance(node, ast.expr) and (values := self._values(node)):
            yield from (Found(node.lineno, value) for value in values)
            yield from self._walk_parts(node)
            return
        for child in ast.iter_child_nodes(node):
            if not _is_docstring(child):
                yield from self._walk(child)

    def _walk_parts(self, node: ast.AST) -> Iterator[Found]:
        """Yield what stands inside an expression whose value is known, without the pieces the value is made of."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, _TRANSPARENT) or (isinstance(child, ast.expr) and self._values(child)):
                yield from self._walk_parts(child)
            else:
                yield from self._walk(child)

    def _bind(self, node: ast.AST) -> None:
        """Give names the values that a node gives them."""
        match node:
            case ast.Assign():
                for target in node.targets:
                    self._assign(target, node.value)
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
                self._assign(target, value)
            case ast.AugAssign(op=ast.Add() | ast.Div()):
                between = "" if isinstance(node.op, ast.Add) else "/"
                values = self._values(node.value) or self._items(node.value)
                grown = product([self._names.get(_name(node.target), ()), values], between)
                if grown:
                    self._names[_name(node.target)] = grown
                self._add(_name(node.target), self._items(node.value))
            case ast.For() | ast.AsyncFor():
                self._loop(node.target, node.iter)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                self._defaults(node.args)
            case ast.ClassDef():
                self._members(node)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                self._generators(node)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for one, part in zip(target.elts, value.elts, strict=True):
                self._assign(one, part)
        elif isinstance(value, _CONTAINERS) and _name(target):
            self._containers[_name(target)] = value
        else:
            self._add(_name(target), self._values(value) or self._items(value))

    def _members(self, node: ast.ClassDef) -> None:
        for one in node.body:
            if isinstance(one, ast.Assign):
                for target in one.targets:
                    self._add(f"{node.name}.{_name(target)}", self._values(one.value) or self._items(one.value))

    def _defaults(self, arguments: ast.arguments) -> None:
        named = [*arguments.posonlyargs, *arguments.args]
        pairs = [*zip(reversed(named), reversed(arguments.defaults), strict=False)]
        for argument, value in [*pairs, *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]:
            if value is not None:
                self._add(argument.arg, self._values(value) or self._items(value))

    def _generators(self, node: _Comprehension) -> None:
        for one in node.generators:
            self._loop(one.target, one.iter)

    def _loop(self, target: ast.expr, over: ast.expr) -> None:
        if elements := self._elements(over):
            self._spread(target, elements)
        elif isinstance(target, ast.Tuple):
            for one, values in zip(target.elts, self._columns(over, len(target.elts)), strict=False):
                self._add(_name(one), values)
        else:
            self._add(_name(target), self._items(over))

    def _columns(self, node: ast.expr, width: int) -> Sequence[Values]:
        """Return what each of several names of a loop can be."""
        match node:
            case ast.List(elts=rows) | ast.Tuple(elts=rows) | ast.Set(elts=rows):
                whole = [one.elts for one in rows if isinstance(one, ast.Tuple | ast.List) and len(one.elts) == width]
                return [self._union([row[place] for row in whole]) for place in range(width)]
            case ast.Call(func=ast.Attribute(value=ast.Dict(keys=keys, values=values), attr="items")):
                return [self._union([key for key in keys if key]), self._union(values)]
            case ast.Call(func=ast.Name(id="zip"), args=rows):
                return [self._items(one) for one in rows]
            case ast.Call(func=ast.Name(id="enumerate"), args=[over, *_]):
                return [(), self._items(over)]
            case _:
                return [self._items(node)] * width

    def _spread(self, target: ast.expr, values: Sequence[ast.expr]) -> None:
        """Let a name, or each of several, stand for any of some expressions."""
        values = values[:MOST]
        if isinstance(target, ast.Tuple | ast.List):
            rows = [one.elts for one in values if isinstance(one, ast.Tuple | ast.List)]
            for place, name in enumerate(target.elts):
                self._spread(name, [row[place] for row in rows if len(row) == len(target.elts)])
        else:
            for value in values:
                self._assign(target, value)

    def _container(self, node: ast.expr) -> ast.expr:
        return self._containers.get(_name(node), node)

    def _elements(self, node: ast.expr) -> list[ast.expr]:
        """Return what a loop over an expression goes through, as far as it is written out."""
        match self._container(node):
            case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
                return elements
            case ast.Dict(keys=keys):
                return [key for key in keys[:MOST] if key is not None]
            case ast.Call(func=ast.Attribute(value=value, attr=method), args=[]):
                return self._of_dictionary(self._container(value), method)
            case ast.Call(func=ast.Name(id=function), args=[ast.expr() as first, *others]):
                return self._of_function(function, self._elements(first), others)
            case _:
                return []

    def _of_dictionary(self, node: ast.expr, method: str) -> list[ast.expr]:
        if not isinstance(node, ast.Dict):
            return []
        both = itertools.islice(zip(node.keys, node.values, strict=True), MOST)
        pairs = [(key, value) for key, value in both if key is not None]
        if method == "items":
            return self._rows([list(pair) for pair in pairs])
        return [value if method == "values" else key for key, value in pairs] if method in {"values", "keys"} else []

    def _of_function(self, name: str, first: list[ast.expr], others: list[ast.expr]) -> list[ast.expr]:
        if name in {"sorted", "list", "tuple", "set", "reversed"}:
            return first
        if name == "enumerate":
            return self._rows([[ast.Constant(0), one] for one in first[:MOST]])
        if name == "zip":
            return self._rows([list(row) for row in zip(first[:MOST], *map(self._elements, others), strict=False)])
        return []

    def _rows(self, rows: list[list[ast.expr]]) -> list[ast.expr]:
        made: list[ast.expr] = [ast.Tuple(row, ast.Load()) for row in rows]
        self._made += [*made, *(one for row in rows for one in row)]
        return made

    def _picked(self, node: ast.Subscript) -> Values:
        """Return what an index into a list or dictionary can give: the value of a known key, else any."""
        match self._container(node.value), node.slice:
            case (ast.Dict() as dictionary, ast.Constant(value=wanted)):
                found = self._keyed(dictionary).get(wanted)
                return self._union([found] if found else [])
            case ast.Dict(values=values), _:
                return self._union(values)
            case ((ast.List(elts=elements) | ast.Tuple(elts=elements)), ast.Constant(value=int(place))):
                return self._union(elements[place : place + 1])
            case _:
                return self._items(node.value)

    def _keyed(self, node: ast.Dict) -> dict[object, ast.expr]:
        if id(node) not in self._known_keys:
            pairs = zip(node.keys, node.values, strict=True)
            self._known_keys[id(node)] = {key.value: value for key, value in pairs if isinstance(key, ast.Constant)}
        return self._known_keys[id(node)]

    def _add(self, name: str, values: Values) -> None:
        if name and values:
            self._names[name] = tuple(dict.fromkeys([*self._names.get(name, ()), *values]))[:MOST]

    def _items(self, node: ast.expr) -> Values:
        """Return what a loop over an expression, or an index into it, can give."""
        container = self._container(node)
        if id(container) not in self._known_items:
            self._known_items[id(container)] = ()  # of a list that holds itself, what it holds beside
            self._known_items[id(container)] = self._looked_up(container)
        return self._known_items[id(container)]

    def _looked_up(self, container: ast.expr) -> Values:
        match container:
            case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
                return self._union(elements)
            case ast.Dict(keys=keys, values=values):
                return self._union([one for one in (*values, *keys) if one is not None])
            case (ast.ListComp() | ast.SetComp() | ast.GeneratorExp()) as made:
                self._generators(made)
                return self._values(made.elt)
            case ast.Call(func=ast.Attribute(value=value), args=[]):
                return self._items(value)  # d.items(), d.values()
            case ast.Call(func=ast.Name(id="sorted" | "list" | "set" | "tuple" | "reversed"), args=[value, *_]):
                return self._items(value)
            case _:
                return self._names.get(_name(container), ())

    def _union(self, nodes: list[ast.expr]) -> Values:
        found = (value for node in nodes for value in self._values(node) or self._items(node))
        return tuple(dict.fromkeys(itertools.islice(found, MOST)))

    def _values(self, node: ast.expr) -> Values:
        """Return the strings that an expression can be; none when that is not plain to see."""
        if id(node) not in self._known:
            self._known[id(node)] = self._evaluated(node)
        return self._known[id(node)]

    def _evaluated(self, node: ast.expr) -> Values:
        match node:
            case ast.Constant(value=str(text)):
                found: Values = (text,)
            case ast.Attribute(value=value, attr="parent"):
                found = tuple(one.rpartition("/")[0] for one in self._values(value) if "/" in one)
            case ast.Name() | ast.Attribute():
                found = self._names.get(_name(node), ())
            case ast.JoinedStr():
                found = product([self._part(part) for part in node.values], "")
            case ast.BinOp():
                found = self._operation(node)
            case ast.Subscript():
                found = self._picked(node)
            case ast.IfExp():
                found = tuple(dict.fromkeys((*self._values(node.body), *self._values(node.orelse))))
            case ast.NamedExpr():
                found = self._values(node.value)
            case ast.Call():
                found = self._call(node)
            case _:
                found = ()
        return found

    def _or_unknown(self, node: ast.expr) -> Values:
        return self._values(node) or (UNKNOWN,)

    def _part(self, node: ast.expr) -> Values:
        return self._or_unknown(node.value if isinstance(node, ast.FormattedValue) else node)

    def _operation(self, node: ast.BinOp) -> Values:
        left, right = self._values(node.left), self._values(node.right)
        if isinstance(node.op, ast.Add) and (left or right):
            return product([left or (UNKNOWN,), right or (UNKNOWN,)], "")
        if isinstance(node.op, ast.Div) and left:
            return product([left, right or (UNKNOWN,)], "/")
        if isinstance(node.op, ast.Mod) and left:
            return percent(left, *self._operands(node.right))
        return ()

    def _operands(self, node: ast.expr) -> tuple[list[Values], dict[str, Values]]:
        """Return what stands after a percent sign: by place, and by name."""
        if isinstance(node, ast.Tuple):
            return [self._or_unknown(one) for one in node.elts], {}
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            return [], {
                key.value: self._or_unknown(value)
                for key, value in pairs
                if isinstance(key, ast.Constant) and isinstance(key.value, str)
            }
        return [self._or_unknown(node)], {}

    def _call(self, node: ast.Call) -> Values:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        base = self._values(node.func.value) if isinstance(node.func, ast.Attribute) else ()
        places = [self._or_unknown(one) for one in node.args]
        if name == "format" and base:
            starred = any(isinstance(one, ast.Starred) for one in node.args)
            named = {one.arg: self._or_unknown(one.value) for one in node.keywords if one.arg}
            return formatted(base, [] if starred else places, named)
        if name == "join" and base and len(node.args) == 1 and isinstance(node.args[0], ast.List | ast.Tuple):
            elements = [self._or_unknown(one) for one in node.args[0].elts]
            return tuple(one for text in base for one in product(elements, text))[:MOST]
        if name == "joinpath" and base:
            return product([base, *places], "/")
        if name in _JOINS and any(self._values(one) for one in node.args):
            return product(places, "/")
        if name in _SAME:
            return product([base, *places] if base else [self._values(one) for one in node.args], "/")
        return ()


def _name(node: ast.expr) -> str:
    """Return a name, `self.name` or `Settings.name` as the key of its values; nothing for other expressions."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _parsed(source: str) -> tuple[ast.Module, list[Found]]:
    """Return a cell's tree, and the words of its commands to the shell.

    A line that begins with a percent sign can be the rest of an expression, so lines are taken for commands only if
    the cell does not parse as it stands.
    """
    try:
        return _tree(source), []
    except Unparsable:
        code, commands = _without_commands(source)
        return _tree(code), commands


def _tree(source: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about other people's code
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Unparsable(str(error) or type(error).__name__) from error


def _without_commands(source: str) -> tuple[str, list[Found]]:
    """Return a cell with `pass` in place of magics and commands to a shell, and the words of those."""
    lines, commands, goes_on = source.splitlines(), [], False
    for number, line in enumerate(lines, 1):
        if goes_on or _MAGIC.match(line):
            commands += list(shell_words(line, number))
            lines[number - 1] = "" if goes_on else line[: len(line) - len(line.lstrip())] + "pass"
            goes_on = line.endswith("\\")
    return "\n".join(lines), commands


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
