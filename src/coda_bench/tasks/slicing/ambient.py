"""Effects that no name shows: seeds, working directories, options, files written and read again."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

_SEEDS = frozenset("seed set_seed manual_seed set_random_seed RandomState".split())
_DRAWS = frozenset(
    "sample shuffle permutation rand randn randint random random_sample choice choices normal uniform "
    "train_test_split standard_normal poisson binomial fit fit_transform fit_predict bootstrap multivariate_normal "
    "cross_val_score KMeans RandomForestClassifier RandomForestRegressor".split()
)
_READS = frozenset("open connect load loadtxt genfromtxt fetch imread glob iglob listdir walk scandir iterdir".split())
_WRITES = frozenset(
    "save savetxt savez dump writerow writerows to_file copyfile copytree move urlretrieve makedirs mkdir unlink "
    "remove rmtree extractall extract write_text write_bytes to_csv to_excel to_json to_parquet to_pickle to_sql "
    "to_stata to_feather to_hdf to_html".split()
)
_DIRECTORY = frozenset("chdir".split())


class Ambient(NamedTuple):
    """What a statement does beside names."""

    seeds: bool
    draws: bool
    moves: bool
    """Whether it changes the working directory or the environment's variables."""
    reads: bool
    """Whether it may read files."""
    writes: frozenset[str]
    """Texts in a statement that writes files, the last parts of paths; `*` when it has none."""
    texts: frozenset[str]
    """Texts in the statement, the last parts of paths."""
    patches: frozenset[str]
    """Modules whose attributes it sets, by the name they are bound to."""


def ambient(node: ast.AST, modules: frozenset[str]) -> Ambient:
    """Return what a statement does beside names.

    Args:
        node: the statement.
        modules: names that modules are bound to, as far as is known.
    """
    called = set(_called(node))
    texts = frozenset(_texts(node))
    writes = bool(called & _WRITES) or _opens_to_write(node)
    return Ambient(
        seeds=bool(called & _SEEDS),
        draws=bool(called & _DRAWS),
        moves=bool(called & _DIRECTORY) or _sets_environment(node),
        reads=bool(called & _READS) or any(name.startswith("read_") for name in called),
        writes=(texts or frozenset({"*"})) if writes else frozenset(),
        texts=texts,
        patches=frozenset(_patched(node)) & modules,
    )


def _called(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Call):
            if isinstance(one.func, ast.Attribute):
                yield one.func.attr
            elif isinstance(one.func, ast.Name):
                yield one.func.id


def _texts(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value.strip():
            yield one.value.rstrip("/").rpartition("/")[2]


def _opens_to_write(node: ast.AST) -> bool:
    for one in ast.walk(node):
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == "open":
            modes = [*one.args[1:2], *[word.value for word in one.keywords if word.arg == "mode"]]
            if any(isinstance(mode, ast.Constant) and set(str(mode.value)) & set("wax+") for mode in modes):
                return True
    return False


def _sets_environment(node: ast.AST) -> bool:
    return any(
        isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store) and ast.unparse(one.value).endswith("environ")
        for one in ast.walk(node)
    )


def _patched(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store):
            inner: ast.expr = one
            while isinstance(inner, ast.Attribute):
                inner = inner.value
            if isinstance(inner, ast.Name):
                yield inner.id
