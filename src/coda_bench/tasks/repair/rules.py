"""Rules: for each thing that pandas, NumPy and their kin have removed, what is written today.

Sources: the release notes of pandas 1.0, 2.0, 2.2 and 3.0, of NumPy 1.20, 1.24 and 2.0, and of Python 3.3 to 3.10.
"""

import ast
from collections.abc import Callable, Iterator

from coda_bench.tasks.repair.edit import Edit, Offsets

Rule = Callable[[ast.AST, Offsets, str], Iterator[Edit]]
_BUILTINS = frozenset("object int float bool str complex".split())
_NUMPY = frozenset({"np", "numpy"})
_PANDAS = frozenset({"pd", "pandas"})
_ALIASES = {
    "M": "ME",
    "Q": "QE",
    "Y": "YE",
    "A": "YE",
    "H": "h",
    "T": "min",
    "S": "s",
    "L": "ms",
    "BM": "BME",
    "BQ": "BQE",
}
_BY_FREQUENCY = frozenset("resample date_range Grouper asfreq period_range bdate_range".split())
_ABSTRACT = frozenset("Iterable Mapping Sequence Callable Hashable MutableMapping Iterator Sized Set".split())
_AGGREGATES = frozenset("mean median std var sum min max corr cov skew sem quantile prod".split())
_MOVED = {
    "sklearn.externals": "joblib",
    "sklearn.cross_validation": "sklearn.model_selection",
    "sklearn.grid_search": "sklearn.model_selection",
    "pandas.io.json": "pandas",
    "pandas.tools.plotting": "pandas.plotting",
    "pandas.util.testing": "pandas.testing",
    "pandas.tseries.offsets": "pandas.tseries.offsets",
}


def _edit(node: ast.expr | ast.keyword, offsets: Offsets, text: str, rule: str) -> Edit:
    start, end = offsets.of(node)
    return Edit(start, end, text, rule, node.lineno)


def _root(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def builtin_types(node: ast.AST, offsets: Offsets, _source: str) -> Iterator[Edit]:
    """`np.object` and its like were removed by NumPy 1.24: they always were the built-in types."""
    if isinstance(node, ast.Attribute) and _root(node.value) in _NUMPY:
        if node.attr in _BUILTINS:
            yield _edit(node, offsets, node.attr, "builtin_types")
        elif node.attr in {"NaN", "NAN", "Inf", "Infinity", "PINF"}:
            yield _edit(node, offsets, f"{_root(node.value)}.{'nan' if node.attr[0].lower() == 'n' else 'inf'}", "nan")


def numpy_in_pandas(node: ast.AST, offsets: Offsets, _source: str) -> Iterator[Edit]:
    """`pandas.np` was removed by pandas 2.0."""
    if isinstance(node, ast.Attribute) and node.attr == "np" and _root(node.value) in _PANDAS:
        yield _edit(node, offsets, '__import__("numpy")', "numpy_in_pandas")


def label_indexer(node: ast.AST, offsets: Offsets, source: str) -> Iterator[Edit]:
    """`.ix` was removed by pandas 1.0; with labels it is `.loc`."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "ix":
        start, end = offsets.of(node.value.value)
        yield _edit(node.value, offsets, f"{source[start:end]}.loc", "label_indexer")


def appended(node: ast.AST, offsets: Offsets, source: str) -> Iterator[Edit]:
    """`DataFrame.append` was removed by pandas 2.0; only its result was of use, so it is assigned or passed on.

    A list's `append` stands alone as a statement, which is never touched.
    """
    if not isinstance(node, (ast.Assign, ast.Return)) or not isinstance(call := node.value, ast.Call):
        return
    if isinstance(call.func, ast.Attribute) and call.func.attr == "append" and len(call.args) == 1:
        start, end = offsets.of(call.func.value)
        first, last = offsets.of(call.args[0])
        words = [source[slice(*offsets.of(word))] for word in call.keywords]
        text = ", ".join([f"[{source[start:end]}, {source[first:last]}]", *words])
        yield _edit(call, offsets, f'__import__("pandas").concat({text})', "appended")


def fill_method(node: ast.AST, offsets: Offsets, source: str) -> Iterator[Edit]:
    """`fillna(method=…)` was removed by pandas 3.0."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "fillna"):
        return
    named = {word.arg: word for word in node.keywords}
    how = named.get("method")
    if how is None or not isinstance(how.value, ast.Constant):
        return
    name = {"ffill": "ffill", "pad": "ffill", "bfill": "bfill", "backfill": "bfill"}.get(str(how.value.value))
    rest = ", ".join(source[slice(*offsets.of(word))] for key, word in named.items() if key != "method")
    start, end = offsets.of(node.func.value)
    if name:
        yield _edit(node, offsets, f"{source[start:end]}.{name}({rest})", "fill_method")


def frequency_aliases(node: ast.AST, offsets: Offsets, _source: str) -> Iterator[Edit]:
    """`M`, `Q`, `H` and their like were renamed by pandas 2.2 and removed by pandas 3.0."""
    if not isinstance(node, ast.Call):
        return
    name = node.func.attr if isinstance(node.func, ast.Attribute) else _root(node.func)
    if name not in _BY_FREQUENCY:
        return
    for argument in [*node.args, *(word.value for word in node.keywords)]:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            number = argument.value.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
            if (new := _ALIASES.get(argument.value[len(number) :])) and (not number or number.isdigit()):
                yield _edit(argument, offsets, repr(number + new), "frequency_aliases")


def renamed_methods(node: ast.AST, offsets: Offsets, source: str) -> Iterator[Edit]:
    """`iteritems` of pandas and Python 2, `time.clock`, `collections.Iterable`: gone, with a plain successor."""
    if not isinstance(node, ast.Attribute):
        return
    start, end = offsets.of(node.value)
    before, root = source[start:end], _root(node.value)
    if node.attr == "iteritems":
        yield _edit(node, offsets, f"{before}.items", "renamed_methods")
    elif node.attr == "clock" and root == "time":
        yield _edit(node, offsets, f"{before}.perf_counter", "renamed_methods")
    elif root == "collections" and node.attr in _ABSTRACT:
        yield _edit(node, offsets, f'__import__("collections.abc").abc.{node.attr}', "renamed_methods")
    elif root in _PANDAS and node.attr == "datetime":
        yield _edit(node, offsets, '__import__("datetime").datetime', "renamed_methods")


def renamed_arguments(node: ast.AST, offsets: Offsets, _source: str) -> Iterator[Edit]:
    """`error_bad_lines`, `line_terminator` and `delim_whitespace` were replaced by pandas 1.3 to 3.0."""
    if not isinstance(node, ast.keyword) or not isinstance(node.value, (ast.Constant, ast.Name)):
        return
    value = node.value.value if isinstance(node.value, ast.Constant) else None
    if node.arg == "error_bad_lines" and value is False:
        yield _edit(node, offsets, 'on_bad_lines="skip"', "renamed_arguments")
    elif node.arg == "delim_whitespace" and value is True:
        yield _edit(node, offsets, 'sep=r"\\s+"', "renamed_arguments")
    elif node.arg == "line_terminator":
        yield _edit(node, offsets, f"lineterminator={ast.unparse(node.value)}", "renamed_arguments")
    elif node.arg == "sparse" and isinstance(value, bool):
        yield _edit(node, offsets, f"sparse_output={value}", "renamed_arguments")


def moved_imports(node: ast.AST, offsets: Offsets, _source: str) -> Iterator[Edit]:
    """Modules that were moved or split."""
    if not isinstance(node, ast.ImportFrom) or node.module is None:
        return
    names = ", ".join(alias.name + (f" as {alias.asname}" if alias.asname else "") for alias in node.names)
    start, end = offsets.of(node)
    if node.module == "sklearn.externals" and names == "joblib":
        yield Edit(start, end, "import joblib", "moved_imports", node.lineno)
    elif node.module in _MOVED and node.module != "sklearn.externals":
        yield Edit(start, end, f"from {_MOVED[node.module]} import {names}", "moved_imports", node.lineno)
    elif node.module == "numpy" and {"NaN", "NAN"} & {alias.name for alias in node.names}:
        text = ", ".join(
            f"nan as {one.asname or one.name}" if one.name.lower() == "nan" else one.name for one in node.names
        )
        yield Edit(start, end, f"from numpy import {text}", "moved_imports", node.lineno)
    elif node.module == "collections" and {alias.name for alias in node.names} <= _ABSTRACT:
        yield Edit(start, end, f"from collections.abc import {names}", "moved_imports", node.lineno)


def open_modes(node: ast.AST, offsets: Offsets, _source: str) -> Iterator[Edit]:
    """The mode `U` was removed by Python 3.11; it has been what `r` does since Python 3.0."""
    if isinstance(node, ast.Call) and _root(node.func) == "open":
        for argument in [*node.args[1:2], *(word.value for word in node.keywords if word.arg == "mode")]:
            if isinstance(argument, ast.Constant) and "U" in str(argument.value):
                mode = str(argument.value).replace("U", "")
                yield _edit(argument, offsets, repr(mode if "r" in mode else f"r{mode}"), "open_modes")


def styles(node: ast.AST, offsets: Offsets, _source: str) -> Iterator[Edit]:
    """Styles of seaborn were renamed by Matplotlib 3.6."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "use":
        for argument in node.args:
            name = str(argument.value) if isinstance(argument, ast.Constant) else ""
            if name.startswith("seaborn") and not name.startswith("seaborn-v0_8"):
                name = name.replace("seaborn", "seaborn-v0_8", 1)
                yield _edit(argument, offsets, repr(name), "styles")


def numeric_only(node: ast.AST, offsets: Offsets, source: str) -> Iterator[Edit]:
    """Aggregates over tables with columns of text left these out until pandas 2.0."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _AGGREGATES:
        if node.args or any(word.arg == "numeric_only" for word in node.keywords):
            return
        start, end = offsets.of(node)
        inner = source[start : end - 1].rstrip().rstrip(",")
        comma = ", " if node.keywords else ""
        yield Edit(start, end, f"{inner}{comma}numeric_only=True)", "numeric_only", node.lineno)


ALWAYS: tuple[Rule, ...] = (
    builtin_types,
    numpy_in_pandas,
    label_indexer,
    appended,
    fill_method,
    frequency_aliases,
    renamed_methods,
    renamed_arguments,
    moved_imports,
    open_modes,
    styles,
)
"""Rules that replace what fails today in any case."""
ON_TROUBLE: dict[str, Rule] = {
    "could not convert string": numeric_only,
    "agg function failed": numeric_only,
    "unsupported operand": numeric_only,
    "does not support reduction": numeric_only,
    "Could not convert": numeric_only,
    "cannot perform": numeric_only,
    "does not support operation": numeric_only,
}
"""Rules for one line, where an error says that it is what the rule is about."""
