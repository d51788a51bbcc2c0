"""Methods of tables, columns and groups, in words."""

import ast
from collections.abc import Callable

from coda_bench.tasks.question.figures import STATISTICS, of_figures
from coda_bench.tasks.question.meaning import (
    Figure,
    Figures,
    Groups,
    Meaning,
    NoWords,
    Rows,
    Values,
    words,
)
from coda_bench.tasks.question.reading import Reader, column, constant, said

_AGGREGATES = {
    "mean": "the mean of {}",
    "median": "the median of {}",
    "sum": "the sum of {}",
    "min": "the smallest {}",
    "max": "the largest {}",
    "std": "the sample standard deviation of {}",
    "var": "the sample variance of {}",
    "nunique": "the number of different values of {}",
    "count": "the number of records with a value of {}",
    "skew": "the skewness of {}",
}


def method(reader: Reader, table: Meaning, name: str, call: ast.Call) -> Meaning:
    """Return what a method gives.

    Raises:
        NoWords: there are no words for it, or for one of its arguments.
    """
    if isinstance(table, Rows):
        return _of_rows(reader, table, name, call)
    if isinstance(table, Values):
        return _of_values(reader, table, name, call)
    if isinstance(table, Groups):
        return _of_groups(table, name, call)
    if isinstance(table, Figures):
        return of_figures(table, name, call)
    if name in {"round", "item"}:
        return table
    raise NoWords(f"{name} of a figure")


def _plain(call: ast.Call, *allowed: str) -> None:
    """Refuse arguments that change what a method means."""
    for word in call.keywords:
        if word.arg not in allowed:
            raise NoWords(f"argument {word.arg}")


def _of_rows(reader: Reader, rows: Rows, name: str, call: ast.Call) -> Meaning:
    if name in {"corr", "describe"} or name in _AGGREGATES:
        _plain(call, "numeric_only")
        return _of_columns(rows, name)
    found = _OF_ROWS.get(name)
    if found is None:
        raise NoWords(f"{name} of a table")
    return found(reader, rows, call)


def _grouped(_reader: Reader, rows: Rows, call: ast.Call) -> Groups:
    _plain(call, "by", "sort", "observed")
    return Groups(rows, _keys(call))


def _queried(_reader: Reader, rows: Rows, call: ast.Call) -> Rows:
    _plain(call)
    return rows._replace(conditions=(*rows.conditions, str(constant(call.args[0]))))


def _unchanged(_reader: Reader, rows: Rows, _call: ast.Call) -> Rows:
    return rows


def _numbered(_reader: Reader, rows: Rows, _call: ast.Call) -> Rows:
    if rows.named_by:
        raise NoWords("names of rows taken off")
    return rows


def _named(_reader: Reader, rows: Rows, call: ast.Call) -> Rows:
    return rows._replace(named_by=_keys(call))


def _narrowed(_reader: Reader, rows: Rows, call: ast.Call) -> Rows:
    if call.args or not call.keywords:
        raise NoWords("rows dropped")
    _plain(call, "columns")
    return rows


def _first(_reader: Reader, rows: Rows, _call: ast.Call) -> Rows:
    if not rows.order:
        raise NoWords("first rows of an order that nothing gives")
    return rows._replace(is_cut=True)


def _merged(reader: Reader, rows: Rows, call: ast.Call) -> Rows:
    _plain(call, "on", "how")
    other = reader.read(call.args[0]) if len(call.args) == 1 else None
    named = {word.arg: constant(word.value) for word in call.keywords}
    keys = [named["on"]] if isinstance(named.get("on"), str) else named.get("on")
    if not (isinstance(other, Rows) and isinstance(keys, list)) or named.get("how", "inner") not in {"inner", "left"}:
        raise NoWords("tables joined in another way")
    if other.conditions or other.remarks or other.order or rows.order:
        raise NoWords("parts of tables joined")
    kind = "every record of the first kept" if named.get("how") == "left" else "only records that stand in both"
    remark = f"two tables joined by {said([words(str(key)) for key in keys])}, {kind}".replace("'", "")
    return rows._replace(
        files=rows.files + other.files, derived=rows.derived + other.derived, remarks=(*rows.remarks, remark)
    )


def _keys(call: ast.Call) -> tuple[str, ...]:
    by = call.args[0] if call.args else next((word.value for word in call.keywords if word.arg in {"by", "keys"}), None)
    if by is None:
        raise NoWords("no keys")
    value = constant(by)
    return (value,) if isinstance(value, str) else tuple(map(str, value)) if isinstance(value, list) else _no("keys")


def _no(what: str) -> tuple[str, ...]:
    raise NoWords(what)


def _cleaned(rows: Rows, name: str, call: ast.Call) -> Rows:
    _plain(call, "subset")
    subset = next((constant(word.value) for word in call.keywords), None) or (
        constant(call.args[0]) if call.args else None
    )
    names = [subset] if isinstance(subset, str) else subset
    of = f" of {said([words(str(one)) for one in names])}".replace("'", "") if isinstance(names, list) else ""
    remark = f"without records that lack a value{of}" if name == "dropna" else f"counting repeated records{of} once"
    return rows._replace(remarks=(*rows.remarks, remark))


def _of_columns(rows: Rows, name: str) -> Figures:
    if name == "corr":
        return Figures("the Pearson correlation of {row} and {column}", rows, ("",), "")
    if name == "describe":
        return Figures("the {row} of {column}", rows, ("",), "")
    return Figures(_AGGREGATES[name].format("{row}"), rows, ("",))


def _pivot(_reader: Reader, rows: Rows, call: ast.Call) -> Figures:
    _plain(call, "values", "index", "columns", "aggfunc", "observed")
    named = {word.arg: constant(word.value) for word in call.keywords}
    values, index, across = (named.get(one) for one in ("values", "index", "columns"))
    how = str(named.get("aggfunc", "mean"))
    if not all(isinstance(one, str) for one in (values, index)) or how not in _AGGREGATES:
        raise NoWords("a pivot of several values")
    what = _AGGREGATES[how].format(column(rows, str(values)).what)
    if across is None:
        return Figures(f"{what} for {{row}}", rows, (words(str(index)),))
    return Figures(f"{what} for {{row}} and {{column}}", rows, (words(str(index)),), words(str(across)))


def _renamed(_reader: Reader, rows: Rows, call: ast.Call) -> Rows:
    _plain(call, "columns")
    names = constant(call.keywords[0].value) if call.keywords else None
    if not isinstance(names, dict):
        raise NoWords("renamed by a function")
    return rows._replace(derived=(*rows.derived, *((str(new), words(str(old))) for old, new in names.items())))


def _ranked(rows: Rows, name: str, call: ast.Call) -> Rows:
    _plain(call, "by", "ascending", "columns", "n")
    by = [argument for argument in call.args if not isinstance(constant(argument), int)]
    named = [word.value for word in call.keywords if word.arg in {"by", "columns"}]
    value = constant([*by, *named][0]) if [*by, *named] else None
    key = value[0] if isinstance(value, list) and len(value) == 1 else value
    if not isinstance(key, str):
        raise NoWords("sorted by several columns")
    falling = name == "nlargest" or any(
        word.arg == "ascending" and constant(word.value) is False for word in call.keywords
    )
    order = f"{'highest' if falling else 'lowest'} {column(rows, key).what}"
    return rows._replace(order=order, is_cut=name != "sort_values")


def _by_name(name: str, found: Callable[[Rows, str, ast.Call], Rows]) -> "_OfRows":
    return lambda _reader, rows, call: found(rows, name, call)


_OfRows = Callable[[Reader, Rows, ast.Call], Meaning]
_OF_ROWS: dict[str, _OfRows] = {
    "groupby": _grouped,
    "query": _queried,
    "pivot_table": _pivot,
    "copy": _unchanged,
    "sort_index": _unchanged,
    "reset_index": _numbered,
    "set_index": _named,
    "merge": _merged,
    "drop": _narrowed,
    "rename": _renamed,
    "head": _first,
    **{name: _by_name(name, _cleaned) for name in ("dropna", "drop_duplicates")},
    **{name: _by_name(name, _ranked) for name in ("nlargest", "nsmallest", "sort_values")},
}


def _of_values(reader: Reader, values: Values, name: str, call: ast.Call) -> Meaning:
    if values.is_condition and name in {"mean", "sum"}:
        phrase = f"the {'share' if name == 'mean' else 'number'} of records where {values.what}"
        return Figure(phrase, values.rows, is_share=name == "mean")
    if name in _AGGREGATES:
        _plain(call, "skipna")
        return Figure(_AGGREGATES[name].format(values.what), values.rows)
    if values.is_text:
        return _of_text(values, name, call)
    found = _OF_VALUES.get(name)
    if found is None:
        raise NoWords(f"{name} of a column")
    return found(reader, values, call)


def _quantile(_reader: Reader, values: Values, call: ast.Call) -> Figure:
    _plain(call)
    return Figure(f"the {said(constant(call.args[0]))} quantile of {values.what}", values.rows)


def _described(_reader: Reader, values: Values, call: ast.Call) -> Figures:
    _plain(call)
    return Figures(f"the {{row}} of {values.what}", values.rows, ("",))


def _known(words_for: str) -> "_OfValues":
    return lambda _reader, values, _call: values._replace(what=f"{values.what} {words_for}", is_condition=True)


def _one_of(_reader: Reader, values: Values, call: ast.Call) -> Values:
    return values._replace(what=f"{values.what} is one of {said(constant(call.args[0]))}", is_condition=True)


def _between(_reader: Reader, values: Values, call: ast.Call) -> Values:
    _plain(call)
    low, high = (said(constant(one)) for one in call.args)
    return values._replace(what=f"{values.what} is between {low} and {high}, both included", is_condition=True)


def _itself(_reader: Reader, values: Values, _call: ast.Call) -> Values:
    return values


def _absolute(_reader: Reader, values: Values, _call: ast.Call) -> Values:
    return values._replace(what=f"the absolute value of {values.what}")


def _of_text(values: Values, name: str, call: ast.Call) -> Values:
    if name in {"contains", "startswith", "endswith"} and len(call.args) == 1 and not call.keywords:
        word = {"contains": "contains", "startswith": "begins with", "endswith": "ends with"}[name]
        return values._replace(what=f"{values.what} {word} {said(constant(call.args[0]))}", is_condition=True)
    if name == "len":
        return values._replace(what=f"the length of {values.what}", is_text=False)
    raise NoWords(f"{name} of text")


def _paired(word: str) -> "_OfValues":
    def pair(reader: Reader, values: Values, call: ast.Call) -> Figure:
        _plain(call)
        other = reader.read(call.args[0])
        if not isinstance(other, Values) or other.rows != values.rows:
            raise NoWords(f"{word} across tables")
        return Figure(f"the {word} of {values.what} and {other.what}", values.rows)

    return pair


def _counted(_reader: Reader, values: Values, call: ast.Call) -> Figures:
    _plain(call, "normalize", "dropna", "ascending", "sort")
    named = {word.arg: constant(word.value) for word in call.keywords}
    share = bool(named.get("normalize"))
    word = "share" if share else "number"
    most = "" if named.get("sort") is False else "lowest" if named.get("ascending") else "highest"
    return Figures(f"the {word} of records with {{row}}", values.rows, (values.what,), None, most, share)


_OfValues = Callable[[Reader, Values, ast.Call], Meaning]
_OF_VALUES: dict[str, _OfValues] = {
    "quantile": _quantile,
    "value_counts": _counted,
    "describe": _described,
    "isin": _one_of,
    "between": _between,
    "dropna": _itself,
    "copy": _itself,
    "abs": _absolute,
    "corr": _paired("Pearson correlation"),
    "cov": _paired("sample covariance"),
    **dict.fromkeys(("isna", "isnull"), _known("is missing")),
    **dict.fromkeys(("notna", "notnull"), _known("is given")),
}


def _of_groups(groups: Groups, name: str, call: ast.Call) -> Meaning:
    keys = tuple(words(key) for key in groups.keys)
    if name == "size":
        return Figures("the number of records with {row}", groups.rows, keys)
    if name == "value_counts" and groups.what and len(keys) == 1:
        return Figures("the number of records with {row}", groups.rows, (*keys, groups.what))
    if name in {"agg", "aggregate"} and len(call.args) == 1:
        return _aggregated(groups, keys, call)
    if name in _AGGREGATES:
        _plain(call, "numeric_only")
        if groups.what is None:
            return Figures(_AGGREGATES[name].format("{column}") + " for {row}", groups.rows, keys, "")
        return Figures(_AGGREGATES[name].format(groups.what) + " for {row}", groups.rows, keys)
    if name == "describe" and groups.what is not None:
        return Figures(f"the {{column}} of {groups.what} for {{row}}", groups.rows, keys, "")
    raise NoWords(f"{name} of groups")


def _aggregated(groups: Groups, keys: tuple[str, ...], call: ast.Call) -> Figures:
    how = constant(call.args[0])
    if isinstance(how, str) and how in _AGGREGATES and groups.what:
        return Figures(_AGGREGATES[how].format(groups.what) + " for {row}", groups.rows, keys)
    if isinstance(how, list) and groups.what and all(str(one) in STATISTICS for one in how):
        return Figures(f"the {{column}} of {groups.what} for {{row}}", groups.rows, keys, "")
    raise NoWords("an aggregate of several kinds")
