"""Flow: from the cells of a notebook, in the order they are run, to the statements that a displayed value may need."""

import ast
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from coda_bench.records.anchor import StatementId
from coda_bench.tasks.execution.execute import CellSource
from coda_bench.tasks.execution.kernel import cells as kernel_cells
from coda_bench.tasks.slicing.ambient import Ambient, ambient
from coda_bench.tasks.slicing.names import Effects, effects


class Statement(NamedTuple):
    """One top-level statement."""

    id: StatementId
    source: str
    first_line: int
    """From 1, in its cell."""
    last_line: int
    effects: Effects
    ambient: Ambient


class Flow(NamedTuple):
    """All statements of a notebook, in the order they are run, with what they do to one another."""

    statements: tuple[Statement, ...]
    unparsed: tuple[int, ...]
    """Cells that are not Python of this interpreter."""

    def slice_of(self, target: StatementId, *, names: Collection[str] | None = None) -> frozenset[StatementId]:
        """Return the statements that a statement may need, itself among them.

        Args:
            target: the statement.
            names: those of its names that matter; None for all.
        """
        place = next(place for place, one in enumerate(self.statements) if one.id == target)
        return frozenset(self.statements[kept].id for kept in _Backward(self.statements, place).kept(names))

    def widened(self, kept: frozenset[StatementId], target: StatementId) -> Iterator[frozenset[StatementId]]:
        """Yield wider slices: whole cells of what is kept, then all that is run before the target."""
        cells = {one.cell for one in kept}
        before = self._until(target)
        yield frozenset(one for one in before if one.cell in cells)
        yield frozenset(before)

    def _until(self, target: StatementId) -> list[StatementId]:
        ids = [one.id for one in self.statements]
        return ids[: ids.index(target) + 1]


def read_flow(cells: Sequence[CellSource]) -> Flow:
    """Read the statements of cells; a cell that cannot be parsed has none."""
    found: list[Statement] = []
    unparsed = []
    modules: set[str] = set()
    for number, source, _ in cells:
        text = kernel_cells.clean(source)
        try:
            body = kernel_cells.statements(text)
        except (SyntaxError, ValueError):
            unparsed.append(number)
            continue
        lines = text.split("\n")
        for position, node in enumerate(body):
            modules |= _modules(node)
            found.append(_statement(StatementId(number, position), node, lines, frozenset(modules)))
    return Flow(tuple(found), tuple(unparsed))


def _statement(name: StatementId, node: ast.stmt, lines: Sequence[str], modules: frozenset[str]) -> Statement:
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
    last = node.end_lineno or first
    source = "\n".join(lines[first - 1 : last])
    if not _is_one_statement(source):
        source = ast.unparse(node)  # others stand on the same lines
    done = effects(node)
    return Statement(name, source, first, last, done, ambient(node, modules))


def _is_one_statement(source: str) -> bool:
    try:
        return len(ast.parse(source).body) == 1
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _modules(node: ast.stmt) -> set[str]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    return set()


class _Backward:
    """One walk from a target back to the beginning."""

    def __init__(self, statements: Sequence[Statement], target: int) -> None:
        self._all = statements
        self._target = target
        self._bodies = _bodies(statements)
        self._changing = frozenset(name for one in statements for name in one.effects.changing)
        self._kept: set[int] = set()
        self._asked: set[tuple[int, str]] = set()
        self._aliases = _alias_classes(statements, target)
        self._star = [place for place, one in enumerate(statements) if one.effects.star]

    def kept(self, names: Collection[str] | None) -> set[int]:
        """Return the places of all statements that may matter."""
        waiting = [self._target]
        while waiting:
            at = waiting.pop()
            if at in self._kept:
                continue
            self._kept.add(at)
            waiting += self._ambient_needs(at)
            done = self._all[at].effects
            needed = done.uses | done.mutates | done.may_define
            for name in needed if names is None or at != self._target else needed & set(names):
                waiting += self._definitions(name, at)
        return self._kept

    def _definitions(self, name: str, before: int) -> list[int]:
        """Return the statements that may have given a name its value, or changed it, before a place."""
        if (before, name) in self._asked:
            return []
        self._asked.add((before, name))
        found, known = [], False
        for at in range(before - 1, -1, -1):
            one = self._all[at]
            if self._touches(one, name):
                found.append(at)
            if name in one.effects.defines:
                known = True
                break
        return found if known else found + [at for at in self._star if at < before]

    def _touches(self, one: Statement, name: str) -> bool:
        return name in one.effects.defines or name in one.effects.may_define or name in self._changed(one)

    def _changed(self, one: Statement) -> set[str]:
        """Return the names whose value a statement may change, through other names and through functions too."""
        direct = set(one.effects.mutates)
        for called in one.effects.calls:
            direct |= self._bodies.get(called, frozenset())
        direct |= {name for function, name in one.effects.passed if function in self._changing}
        return direct | {other for name in direct for other in self._aliases.get(name, ())}

    def _ambient_needs(self, at: int) -> list[int]:
        one, found = self._all[at].ambient, []
        used = self._all[at].effects.uses
        for earlier in range(at):
            other = self._all[earlier].ambient
            if (
                (one.draws and (other.seeds or other.draws))
                or ((one.reads or one.writes) and other.moves)
                or (one.reads and other.writes and (other.writes & one.texts or "*" in other.writes or not one.texts))
                or (other.patches & used)
            ):
                found.append(earlier)
        return found


def _bodies(statements: Sequence[Statement]) -> dict[str, frozenset[str]]:
    """Return, by function, the outer names that it changes when it is called."""
    return {
        name: one.effects.mutates
        for one in statements
        for name in one.effects.defines
        if one.effects.mutates and one.source.lstrip().startswith(("def ", "async def ", "@"))
    }


def _alias_classes(statements: Sequence[Statement], target: int) -> dict[str, set[str]]:
    """Return, by name, those that may share its value at some time before the target."""
    pairs = [pair for one in statements[: target + 1] for pair in one.effects.aliases]
    classes: dict[str, set[str]] = {}
    for one, other in pairs:
        joined = classes.get(one, {one}) | classes.get(other, {other})
        for name in joined:
            classes[name] = joined
    return classes
