"""Rules that make a displayed value unfit to be asked for, judged by the statements that it needs."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from coda_bench.records.anchor import Candidate, Leaf, Unfit

_MODELS = frozenset(
    "sklearn xgboost lightgbm catboost keras tensorflow torch fastai prophet fbprophet pycaret autosklearn h2o".split()
)
_RANDOM = frozenset(
    "sample shuffle permutation rand randn randint random_sample choice choices normal uniform default_rng "
    "train_test_split bootstrap resample standard_normal poisson binomial".split()
)
_TIMING = frozenset("time perf_counter process_time monotonic now utcnow today timeit elapsed total_seconds".split())
_RAW = frozenset(
    "head tail sample loc iloc at iat copy rename set_index reset_index sort_index sort_values drop filter columns T "
    "transpose reindex take squeeze to_frame values to_numpy tolist items iterrows itertuples display print list "
    "astype to_datetime read_csv read_excel read_json read_table read_parquet read_sql read_stata concat DataFrame "
    "Series format strip lower upper title replace str join append format_map set_option Path open range enumerate "
    "zip dict set tuple int float str round info dtypes isin query reverse assign select_dtypes style".split()
)
"""Calls that bring rows but compute nothing about them."""
_COMPARES_COUNT = frozenset("dropna drop_duplicates query isin between merge groupby unique nunique filter".split())
_SORTS = frozenset("sort_values nlargest nsmallest value_counts sorted most_common rank sort sort_index".split())
_RANKS = frozenset("nlargest nsmallest sort_values sorted argsort idxmax idxmin rank".split())
_EXTENT = frozenset("shape size ndim columns dtypes index memory_usage".split())
_HEADS = frozenset("head tail sample".split())
_VERSION = re.compile(r"__version__|\bsys\.version|\bversion_info\b|show_versions|platform\.")
_IDENTIFIER = re.compile(
    r"(^|[\W_])(id|ids|uuid|guid|isbn|zip|zipcode|zip_code|phone|fips|code)$|[a-z]Id$|^ID", re.ASCII
)


class Operations(NamedTuple):
    """What the statements of a slice do, by name."""

    calls: frozenset[str]
    """Functions and methods called, attributes read."""
    imports: frozenset[str]
    """Root packages that are imported."""
    computes: bool
    """Whether anything is computed from rows: aggregates, arithmetic between columns, functions of one's own."""
    compares: bool
    """Whether rows are chosen by a condition."""


def operations(sources: Iterable[str]) -> Operations:
    """Read off statements what they do."""
    calls: set[str] = set()
    imports: set[str] = set()
    computes = compares = False
    for node in (node for source in sources for node in _nodes(source)):
        calls |= set(_called(node))
        imports |= set(_imported(node))
        computes |= isinstance(node, (ast.FunctionDef, ast.Lambda, ast.AugAssign)) or _is_arithmetic(node)
        compares |= isinstance(node, ast.Compare)
    computes |= bool(_functions(calls) - _RAW - {"len"})
    return Operations(frozenset(calls), frozenset(imports), computes, compares)


def _functions(calls: set[str]) -> set[str]:
    return {name.removesuffix("()") for name in calls if name.endswith("()")}


def _nodes(source: str) -> Iterator[ast.AST]:
    try:
        yield from ast.walk(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError):
        return


def _called(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            yield f"{node.func.attr}()"
        elif isinstance(node.func, ast.Name):
            yield f"{node.func.id}()"
    if isinstance(node, ast.Attribute):
        yield node.attr


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module.partition(".")[0]


def _is_arithmetic(node: ast.AST) -> bool:
    if not isinstance(node, ast.BinOp):
        return False
    if isinstance(node.op, (ast.BitAnd, ast.BitOr)):  # of conditions, or else of sets
        return any(isinstance(one, ast.Call) for one in (node.left, node.right))
    return not any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in (node.left, node.right))


def unfit(candidate: Candidate, sources: Sequence[str], *, reads: bool) -> Unfit | None:
    """Return why a displayed value is no anchor, or None.

    Args:
        candidate: the displayed value.
        sources: the statements it needs, its own among them.
        reads: whether any of them read a file of the data.
    """
    done = operations([*sources, candidate.expression])
    names = {name.removesuffix("()") for name in done.calls}
    if _VERSION.search(candidate.expression):
        return Unfit.VERSION
    if not reads:
        return Unfit.CONSTANT
    if done.imports & _MODELS and names & {"fit", "fit_transform", "predict", "score", "fit_predict"}:
        return Unfit.MODEL_METRIC
    if (names & _RANDOM and not names & _RANDOM <= {"sample", "normal"}) or _draws(done, names):
        return Unfit.RANDOM
    if names & _TIMING & {"perf_counter", "process_time", "monotonic", "timeit", "utcnow", "now", "today"}:
        return Unfit.TIMING
    return _raw(candidate, done, names)


def _draws(done: Operations, names: set[str]) -> bool:
    return "sample()" in done.calls or ("random" in names and bool(names & _RANDOM))


def _raw(candidate: Candidate, done: Operations, names: set[str]) -> Unfit | None:
    """Judge values that are read off the data or tell its extent, with nothing computed."""
    shown = operations([candidate.expression])
    own = {name.removesuffix("()") for name in shown.calls}
    counts = "len()" in shown.calls or bool(own & _EXTENT)
    chosen = done.compares or bool(names & _COMPARES_COUNT) or (done.computes and "len()" in shown.calls)
    if counts and not chosen and not shown.computes:
        return Unfit.SHAPE
    if done.computes or names & _RANKS:
        return None
    if own & _HEADS:
        return Unfit.HEAD
    return None if counts else Unfit.ROWS


def fit_leaves(candidate: Candidate, sources: Sequence[str]) -> tuple[list[Leaf], Unfit | None]:
    """Return the parts that can be asked for, with the reason when none can."""
    done = operations([candidate.expression, *sources[-2:]])
    is_sorted = bool({name.removesuffix("()") for name in done.calls} & _SORTS)
    is_head = bool(_functions(set(operations([candidate.expression]).calls)) & _HEADS)
    kept, why = [], None
    for leaf in candidate.leaves:
        reason = _unfit_leaf(candidate, leaf, is_sorted=is_sorted)
        if reason is None:
            kept.append(leaf)
        why = why or reason
    if why is Unfit.ROW_NUMBER and is_head:
        why = Unfit.HEAD
    return kept, None if kept else why


def _unfit_leaf(candidate: Candidate, leaf: Leaf, *, is_sorted: bool) -> Unfit | None:
    columns = [step for step in leaf.path if step.kind == "column"]
    rows = [step for step in leaf.path if step.kind == "row"]
    if leaf.value[0] == "i" and columns and _IDENTIFIER.search(str(columns[-1].label[1])):
        return Unfit.IDENTIFIER
    unnamed = not any(candidate.index_names)
    if rows and rows[-1].label[0] == "i" and unnamed and not is_sorted:
        return Unfit.ROW_NUMBER
    return None
