"""What one statement does to names: which it uses, defines for certain, may define, and changes in place."""

import ast
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

_MUTATING = frozenset(
    "append extend insert remove pop popitem clear sort reverse update setdefault add discard difference_update "
    "intersection_update appendleft extendleft rotate fill put resize itemset partition setflags "
    "fit partial_fit fit_transform fit_predict train compile load_state_dict "
    "write writelines read readline readlines seek execute executemany executescript commit fetchone fetchall "
    "set_index reset_index rename drop dropna fillna drop_duplicates replace sort_values sort_index clip where mask "
    "interpolate set_axis set_options connect create_function cursor feed subtract".split()
)
_ONLY_INPLACE = frozenset(
    "set_index reset_index rename drop dropna fillna drop_duplicates replace sort_values sort_index clip where mask "
    "interpolate set_axis".split()
)
"""Methods of pandas that change their object only when told `inplace`."""
_CONSUMING = frozenset("next shuffle setattr delattr heappush heappop heapify insort".split())
"""Functions that change what they are given."""
_SHOWING = frozenset("print display".split())


class Effects(NamedTuple):
    """What a statement does."""

    uses: frozenset[str]
    """Names whose value it reads."""
    defines: frozenset[str]
    """Names it binds whole and in any case: what was bound before does not matter any more."""
    may_define: frozenset[str]
    """Names it binds only sometimes."""
    mutates: frozenset[str]
    """Names whose value it changes or may change."""
    aliases: tuple[tuple[str, str], ...]
    """Pairs of names that may share a value afterwards: a change of one is a change of the other."""
    calls: frozenset[str]
    """Names that are called, for their bodies."""
    passed: tuple[tuple[str, str], ...]
    """Pairs of a called name and a name whose value it is given."""
    changing: frozenset[str]
    """Functions it defines that change what they are given."""
    star: bool
    """Whether it binds names that cannot be known (`from x import *`)."""


class _Reader(ast.NodeVisitor):
    """Collects effects; a nested scope gives the free names that it reads."""

    def __init__(self) -> None:
        self.uses: set[str] = set()
        self.defines: set[str] = set()
        self.may_define: set[str] = set()
        self.mutates: set[str] = set()
        self.aliases: list[tuple[str, str]] = []
        self.calls: set[str] = set()
        self.passed: list[tuple[str, str]] = []
        self.changing: set[str] = set()
        self.star = False
        self._depth = 0

    def _bind(self, name: str) -> None:
        (self.may_define if self._depth else self.defines).add(name)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.uses.add(node.id)
        elif isinstance(node.ctx, ast.Store):
            self._bind(node.id)
        else:
            self.mutates.add(node.id)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self._target(target)
            self.aliases += [(name, root) for name in _bound(target) for root in _shared(node.value)]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
            self._target(node.target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        for name in _roots(node.target):
            self.uses.add(name)
            self.mutates.add(name)
        self._parts(node.target)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self._bind(node.target.id)

    def visit_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self.mutates |= set(_roots(target))
            self.uses |= set(_roots(target))

    def _target(self, target: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._bind(target.id)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for one in target.elts:
                self._target(one)
        elif isinstance(target, ast.Starred):
            self._target(target.value)
        else:
            self.mutates |= set(_roots(target))
            self.uses |= set(_roots(target))
            self._parts(target)

    def _parts(self, target: ast.expr) -> None:
        """Read what stands in the brackets of a target."""
        for child in ast.walk(target):
            if isinstance(child, ast.Subscript):
                self.visit(child.slice)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self.visit(node.iter)
        items = _bound(node.target)
        self.aliases += [(name, root) for name in items for root in _names_in(node.iter)]
        self._within([node.target, *node.body, *node.orelse])

    visit_AsyncFor = visit_For

    def visit_While(self, node: ast.While) -> None:
        self.visit(node.test)
        self._within([*node.body, *node.orelse])

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        self._within([*node.body, *node.orelse])

    def visit_Try(self, node: ast.Try) -> None:
        self._within([*node.body, *node.orelse, *node.handlers])
        for one in node.finalbody:
            self.visit(one)

    def visit_Match(self, node: ast.Match) -> None:
        self.visit(node.subject)
        self._within(node.cases)

    def visit_With(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            self.visit(item.context_expr)
            if item.optional_vars is not None:
                self._target(item.optional_vars)
        for one in node.body:
            self.visit(one)

    visit_AsyncWith = visit_With

    def _within(self, nodes: Iterable[ast.AST]) -> None:
        self._depth += 1
        for one in nodes:
            self.visit(one)
        self._depth -= 1

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._bind(alias.asname or alias.name.partition(".")[0])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name == "*":
                self.star = True
            else:
                self._bind(alias.asname or alias.name)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for one in [*node.decorator_list, *node.args.defaults, *[one for one in node.args.kw_defaults if one]]:
            self.visit(one)
        self._bind(node.name)
        self._inner(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._inner(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for one in [*node.decorator_list, *node.bases, *[word.value for word in node.keywords]]:
            self.visit(one)
        self._bind(node.name)
        inner = _Reader()
        for part in node.body:
            inner.visit(part)
        self.uses |= inner.uses - inner.defines - inner.may_define
        self.calls |= inner.calls
        self.changing |= inner.changing

    def _inner(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        """Take the names that a function reads or changes from outside itself; it may be called by anyone."""
        inner = _Reader()
        body: list[Any] = node.body if isinstance(node.body, list) else [node.body]
        for part in body:
            inner.visit(part)
        arguments = node.args
        own = {one.arg for one in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]}
        own |= {one.arg for one in (arguments.vararg, arguments.kwarg) if one}
        told = {name for one in ast.walk(node) if isinstance(one, (ast.Global, ast.Nonlocal)) for name in one.names}
        local = own | ((inner.defines | inner.may_define) - told)
        self.uses |= inner.uses - local
        self.calls |= inner.calls - local
        self.passed += [pair for pair in inner.passed if pair[1] not in local]
        if inner.mutates & own and not isinstance(node, ast.Lambda):
            self.changing.add(node.name)
        self.mutates |= (inner.mutates - local) | (told & (inner.defines | inner.may_define | inner.mutates))

    def visit_comprehension_scope(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        inner = _Reader()
        for part in ast.iter_child_nodes(node):
            inner.visit(part)
        own = {name for one in node.generators for name in _bound(one.target)}
        self.uses |= inner.uses - own
        self.calls |= inner.calls - own
        self.passed += inner.passed
        self.mutates |= inner.mutates - own
        for one in node.generators:
            if inner.mutates & set(_bound(one.target)):
                self.mutates |= set(_names_in(one.iter))

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_comprehension_scope

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self.visit(node.iter)
        for one in node.ifs:
            self.visit(one)

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        function = node.func
        if isinstance(function, ast.Attribute):
            if function.attr in _MUTATING and (function.attr not in _ONLY_INPLACE or _is_inplace(node)):
                self.mutates |= set(_roots(function.value))
            if function.attr in _CONSUMING:
                self._changed_arguments(node)
        elif isinstance(function, ast.Name):
            self.calls.add(function.id)
            given = [*node.args, *(word.value for word in node.keywords)]
            self.passed += [(function.id, name) for argument in given for name in _roots(argument)]
            if function.id in _CONSUMING:
                self._changed_arguments(node)

    def _changed_arguments(self, node: ast.Call) -> None:
        for argument in node.args:
            self.mutates |= set(_roots(argument))


def _is_inplace(node: ast.Call) -> bool:
    words = [word for word in node.keywords if word.arg == "inplace" or word.arg is None]
    return any(not (isinstance(word.value, ast.Constant) and not word.value.value) for word in words)


def _roots(node: ast.AST) -> Iterator[str]:
    """Yield the names whose value an expression is a part of: `x` of `x`, `x.y`, `x['y'].loc[z]` and `x.f().g`."""
    while True:
        if isinstance(node, ast.Name):
            yield node.id
            return
        if isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value
        else:
            break
    if isinstance(node, (ast.Tuple, ast.List)):
        for one in node.elts:
            yield from _roots(one)


def _shared(node: ast.expr) -> Iterator[str]:
    """Yield the names whose value an assigned expression may share: itself, a part or a view, a container of it."""
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Starred)):
        yield from _roots(node)
    elif isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        for one in node.elts:
            yield from _shared(one)
    elif isinstance(node, ast.Dict):
        for value in node.values:
            yield from _shared(value)
    elif isinstance(node, ast.IfExp):
        yield from _shared(node.body)
        yield from _shared(node.orelse)


def _bound(target: ast.AST) -> list[str]:
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]


def _names_in(node: ast.AST) -> list[str]:
    return [one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]


def effects(node: ast.AST) -> Effects:
    """Return what a statement, or an expression, does to names."""
    reader = _Reader()
    reader.visit(node)
    return Effects(
        uses=frozenset(reader.uses),
        defines=frozenset(reader.defines),
        may_define=frozenset(reader.may_define),
        mutates=frozenset(reader.mutates),
        aliases=tuple(reader.aliases),
        calls=frozenset(reader.calls),
        passed=tuple(reader.passed),
        changing=frozenset(reader.changing),
        star=reader.star,
    )
