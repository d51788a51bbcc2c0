"""Reading: from an expression to its meaning, one kind of node at a time."""

import ast
from collections.abc import Callable
from typing import NamedTuple

from coda_bench.tasks.question.inline import DERIVED
from coda_bench.tasks.question.meaning import (
    Figure,
    Figures,
    Groups,
    Meaning,
    NoWords,
    Rows,
    Values,
    joined,
    words,
)

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Gt: "is above",
    ast.GtE: "is at least",
    ast.Lt: "is below",
    ast.LtE: "is at most",
    ast.Eq: "is",
    ast.NotEq: "is not",
}
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "plus",
    ast.Sub: "minus",
    ast.Mult: "times",
    ast.Div: "divided by",
    ast.Pow: "to the power of",
}


class Constant(NamedTuple):
    """A literal number."""

    number: float


def constant(node: ast.expr) -> object:
    """Return the value of a literal, of a list or tuple of them, or of a signed number.

    Raises:
        NoWords: it is none.
    """
    try:
        return ast.literal_eval(node)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise NoWords(f"not a literal: {ast.unparse(node)[:60]}") from error


def said(value: object) -> str:
    """Return a literal in words."""
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, (list, tuple, set)):
        return joined([said(one) for one in value])
    return str(value)


PERCENT = 100


class Reader:
    """Reads expressions; methods of tables are read by `methods`."""

    def __init__(self, method: Callable[["Reader", Meaning, str, ast.Call], Meaning]) -> None:
        self._method = method

    def read(self, node: ast.expr) -> Meaning:
        """Return what an expression means.

        Raises:
            NoWords: there are no words for a part of it.
        """
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Compare):
            return self._compare(node)
        if isinstance(node, ast.BinOp):
            return self._arithmetic(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            value = self.read(node.operand)
            if isinstance(value, Values) and value.is_condition:
                return value._replace(what=f"it is not the case that {value.what}")
        raise NoWords(f"{type(node).__name__}: {ast.unparse(node)[:60]}")

    def _call(self, node: ast.Call) -> Meaning:
        function = node.func
        if isinstance(function, ast.Name):
            return self._function(node, function.id)
        if not isinstance(function, ast.Attribute):
            raise NoWords(ast.unparse(node)[:60])
        if function.attr.startswith("read_") and isinstance(function.value, ast.Name):
            return self._reads(node)
        if isinstance(function.value, ast.Name) and function.value.id in {"np", "numpy", "pd", "pandas"}:
            return self._library(node, function.attr)
        return self._method(self, self.read(function.value), function.attr, node)

    def _function(self, node: ast.Call, name: str) -> Meaning:
        if name == DERIVED:
            return self._derived(node)
        if name.startswith("read_"):
            return self._reads(node)
        if name == "len" and len(node.args) == 1:
            return self._length(node.args[0])
        if name not in {"round", "float", "abs", "int"} or not node.args:
            raise NoWords(f"function {name}")
        inner = self.read(node.args[0])
        if name == "int" and not (isinstance(inner, Figure) and inner.phrase.startswith("the number of")):
            raise NoWords("a number cut to a whole one")
        is_absolute = name == "abs" and isinstance(inner, Figure)
        return inner._replace(phrase=f"the absolute value of {inner.phrase}") if is_absolute else inner  # type: ignore[union-attr,call-arg]

    def _reads(self, node: ast.Call) -> Rows:
        allowed = {"sep", "delimiter", "encoding", "compression", "sheet_name", "parse_dates", "low_memory", "engine"}
        named_by: tuple[str, ...] = ()
        for word in node.keywords:
            if word.arg == "index_col":
                value = constant(word.value)
                named_by = (value,) if isinstance(value, str) else ()
                if not named_by:
                    raise NoWords("rows named by an unnamed column")
            elif word.arg not in allowed:
                raise NoWords(f"read with {word.arg}")
        return Rows(files=(ast.unparse(node.args[0]) if node.args else ast.unparse(node),), named_by=named_by)

    def _library(self, node: ast.Call, name: str) -> Meaning:
        if name in {"mean", "median", "sum", "std", "min", "max", "round", "abs"} and node.args:
            if name == "std":
                raise NoWords("a standard deviation of NumPy divides by n")
            call = ast.Call(ast.Attribute(node.args[0], name, ast.Load()), node.args[1:], node.keywords)
            return self._method(self, self.read(node.args[0]), name, call)
        if name == "crosstab" and not node.keywords:
            one, other = (self.read(argument) for argument in node.args[:2])
            if len(node.args) == len((one, other)) and isinstance(one, Values) and isinstance(other, Values):
                return Figures("the number of records with {row} and {column}", one.rows, (one.what,), other.what)
        raise NoWords(f"function {name}")

    def _derived(self, node: ast.Call) -> Rows:
        table, column, value = node.args
        rows, what = self.read(table), self.read(value)
        name = str(constant(column))
        if not isinstance(rows, Rows) or not isinstance(what, Values):
            raise NoWords(f"column {name}")
        kept = tuple(pair for pair in rows.derived if pair[0] != name)
        return rows._replace(derived=(*kept, (name, what.what)))

    def _length(self, node: ast.expr) -> Figure:
        value = self.read(node)
        if isinstance(value, Rows):
            return Figure("the number of records", value)
        if isinstance(value, Values):
            return Figure("the number of records", value.rows)
        raise NoWords("length of something else")

    def _subscript(self, node: ast.Subscript) -> Meaning:
        table = self.read(node.value)
        if isinstance(table, (Rows, Values)) and not isinstance(node.slice, (ast.Constant, ast.List)):
            condition = self.read(node.slice)
            if isinstance(condition, Values) and condition.is_condition:
                return _where(table, condition.what)
        value = constant(node.slice)
        if isinstance(table, Figures):
            return _chosen(table, value)
        if isinstance(value, str) and isinstance(table, (Rows, Groups)):
            return (
                column(table, value) if isinstance(table, Rows) else table._replace(what=column(table.rows, value).what)
            )
        if isinstance(value, list) and isinstance(table, (Rows, Groups)):
            return table._replace(columns=tuple(map(str, value))) if isinstance(table, Rows) else table
        raise NoWords(f"part {said(value)[:40]}")

    def _attribute(self, node: ast.Attribute) -> Meaning:
        table = self.read(node.value)
        if node.attr in {"str", "dt"} and isinstance(table, Values):
            return table._replace(is_text=node.attr == "str")
        if node.attr in {"year", "month", "hour", "day"} and isinstance(table, Values):
            return table._replace(what=f"the {node.attr} of {table.what}")
        if node.attr == "T" and isinstance(table, Figures) and table.column is not None and len(table.row) == 1:
            phrase = (
                table.phrase.replace("{row}", "{other}").replace("{column}", "{row}").replace("{other}", "{column}")
            )
            return table._replace(phrase=phrase, row=(table.column,), column=table.row[0])
        if node.attr in {"loc", "iloc"}:
            raise NoWords(node.attr)
        if isinstance(table, Rows) and node.attr not in {"shape", "columns", "index", "size", "dtypes"}:
            return column(table, node.attr)
        raise NoWords(f"attribute {node.attr}")

    def _compare(self, node: ast.Compare) -> Values:
        left, operator, right = node.left, node.ops[0], node.comparators[0]
        value = self.read(left)
        if len(node.ops) != 1 or not isinstance(value, Values) or type(operator) not in _COMPARISONS:
            raise NoWords(f"comparison {ast.unparse(node)[:60]}")
        try:
            other = said(constant(right))
        except NoWords:
            meant = self.read(right)
            if not isinstance(meant, (Values, Figure)) or meant.rows != value.rows:
                raise
            other = meant.what if isinstance(meant, Values) else meant.phrase
        return value._replace(what=f"{value.what} {_COMPARISONS[type(operator)]} {other}", is_condition=True)

    def _arithmetic(self, node: ast.BinOp) -> Meaning:
        if isinstance(node.op, (ast.BitAnd, ast.BitOr)):
            one, other = self.read(node.left), self.read(node.right)
            if isinstance(one, Values) and isinstance(other, Values) and one.is_condition and other.is_condition:
                word = "and" if isinstance(node.op, ast.BitAnd) else "or"
                return one._replace(what=f"{one.what} {word} {other.what}")
            raise NoWords("a set of both")
        if type(node.op) not in _ARITHMETIC:
            raise NoWords(f"operator {type(node.op).__name__}")
        left, right = self._operand(node.left), self._operand(node.right)
        return _computed(left, _ARITHMETIC[type(node.op)], right)

    def _operand(self, node: ast.expr) -> Meaning | Constant:
        try:
            value = constant(node)
        except NoWords:
            return self.read(node)
        if not isinstance(value, (int, float)):
            raise NoWords(f"arithmetic with {said(value)[:40]}")
        return Constant(value)


def _chosen(figures: Figures, value: object) -> Meaning:
    """Return one column of figures, or one of the figures."""
    if not isinstance(value, (str, int)):
        raise NoWords(f"part {said(value)[:40]}")
    if figures.column is not None:
        label = f"{words(figures.column)} {value}" if figures.column else words(str(value))
        return figures._replace(phrase=figures.phrase.replace("{column}", label), column=None)
    if len(figures.row) > 1:
        raise NoWords("a label of several levels")
    label = f"{figures.row[0]} {said(value)}" if figures.row[0] else words(str(value))
    return Figure(figures.phrase.replace("{row}", label), figures.rows, figures.is_share)


def column(rows: Rows, name: str) -> Values:
    """Return a column of a table."""
    how = dict(rows.derived).get(name)
    return Values(rows, f"{words(name)} (taken as {how})" if how else words(name))


def _where(table: Rows | Values, condition: str) -> Rows | Values:
    if isinstance(table, Values):
        return table._replace(rows=table.rows._replace(conditions=(*table.rows.conditions, condition)))
    return table._replace(conditions=(*table.conditions, condition))


def _computed(left: Meaning | Constant, word: str, right: Meaning | Constant) -> Meaning:
    """Put two operands together; one of them may be a literal."""
    if isinstance(left, Constant) and word == "times" and left.number == PERCENT and isinstance(right, Figure):
        return right._replace(phrase=f"{right.phrase}, in percent" if right.is_share else f"100 times {right.phrase}")
    main = right if isinstance(left, Constant) else left
    if isinstance(main, Constant):
        raise NoWords("arithmetic of literals")
    phrase = f"{_phrase(left)} {word} {_phrase(right)}"
    if isinstance(main, Values):
        if not all(
            isinstance(one, Constant) or (isinstance(one, Values) and one.rows == main.rows) for one in (left, right)
        ):
            raise NoWords("arithmetic of columns of several tables")
        return main._replace(what=phrase)
    left, right, rows = _told(left, right)
    phrase = f"{_phrase(left)} {word} {_phrase(right)}"
    if isinstance(main, Figure):
        return Figure(phrase, rows)
    if not isinstance(main, Figures):
        raise NoWords("arithmetic with tables")
    if isinstance(right, Figures) and (main.row, main.column) != (right.row, right.column):
        raise NoWords("arithmetic of different tables")
    return main._replace(phrase=phrase, rows=rows, is_share=False)


def _phrase(one: Meaning | Constant) -> str:
    if isinstance(one, Values):
        return one.what
    if isinstance(one, (Figure, Figures)):
        return one.phrase
    return str(one.number) if isinstance(one, Constant) else ""


def _told(left: Meaning | Constant, right: Meaning | Constant) -> tuple[Meaning | Constant, Meaning | Constant, Rows]:
    """Return two figures with the rows that both are about; conditions that only one has are told in its phrase."""
    if any(isinstance(one, (Rows, Groups, Values)) for one in (left, right)):
        raise NoWords("arithmetic with tables")
    tables = [one.rows for one in (left, right) if isinstance(one, (Figure, Figures))]
    bare = {table._replace(conditions=()) for table in tables}
    if len(bare) > 1:
        raise NoWords("arithmetic across tables")
    if len({table.conditions for table in tables}) == 1:
        return left, right, tables[0]
    return _among(left), _among(right), bare.pop()


def _among(one: Meaning | Constant) -> Meaning | Constant:
    if isinstance(one, (Figure, Figures)) and one.rows.conditions:
        among = f"{one.phrase} among records where {joined(list(one.rows.conditions))}"
        return one._replace(phrase=among, rows=one.rows._replace(conditions=()))
    return one
