"""The data files that a program names to read them: its strings that look like paths, without those it writes to."""

import ast
import re
import warnings
from collections.abc import Iterator
from typing import NamedTuple

from coda_bench.programs.quotes import quoted
from coda_bench.programs.strings import Strings, Unparsable

_ENDINGS = (
    "csv tsv tab txt json jsonl ndjson xlsx xls xlsm xlsb ods parquet feather fth ftr arrow orc db db3 sqlite sqlite3 "
    "sql dat data zip gz gzip bz2 xz zst 7z tar xml html htm sas7bdat xpt dta sav por pkl pickle joblib npy npz h5 "
    "hdf5 hdf mat rds rda rdata geojson topojson shp kml gpkg arff log md pdf png jpg jpeg gif bmp tif tiff names "
    "test yaml yml toml ini"
)
_FILE = re.compile(rf"[^\n\t<>|*?{{}}]*[^/<>|*?{{}}\n\t]\.(?:{'|'.join(_ENDINGS.split())})$", re.IGNORECASE)
_PATTERN = re.compile(rf"[^\n\t<>|]+/[^\n\t<>|/]*\*[^\n\t<>|/]*(?:{'|'.join(_ENDINGS.split())})?$", re.IGNORECASE)
_URL = re.compile(r"^(?:https?|ftp|s3|gs)://", re.IGNORECASE)
_DATABASE = re.compile(r"^sqlite:/{2,4}")
_WRITERS = frozenset(
    "to_csv to_excel to_json to_parquet to_feather to_pickle to_html to_sql to_stata to_hdf savefig save savetxt savez "
    "dump write_csv write_parquet write_text write_bytes imsave".split()
)
_SEARCHES = {"glob": "a glob pattern", "iglob": "a glob pattern", "rglob": "a glob pattern"}
_WALKS = {"walk": "a walk through folders", "listdir": "a listing of a folder", "scandir": "a listing of a folder"}
_PROSE_WORDS = 4


class Read(NamedTuple):
    """One path that a program may read."""

    text: str
    """As the program builds it."""
    line: int
    is_fallback: bool
    """Whether it is tried only when something else failed or is missing."""


class Reads(NamedTuple):
    """What a program reads, as far as its text says."""

    found: tuple[Read, ...]
    patterns: tuple[Read, ...]
    """Names of many files, with stars for what differs."""
    parses: bool
    obstacles: tuple[str, ...]
    """What its files may hide behind: searches of folders, the network."""


def reads_of(source: str) -> Reads:
    """Return the data files that a program names; nothing of it is run."""
    tree = _parsed(source)
    if tree is None:
        texts = {found.text: found.line for found in quoted(source) if _is_file(found.text)}
        return Reads(tuple(Read(text, line, False) for text, line in texts.items()), (), False, ())
    try:
        strings = list(Strings().of_cell(source))
    except Unparsable:
        return Reads((), (), False, ("it is nested too deeply",))
    written, late = _written(tree), _lines_of_fallbacks(tree)
    first: dict[str, Read] = {}
    for line, text in strings:
        path = _DATABASE.sub("", text.strip())
        if _is_file(path) and not any(text.endswith(end) for end in written.get(line, ())):
            known = first.get(path)
            first[path] = Read(
                path, known.line if known else line, line in late and (known is None or known.is_fallback)
            )
    patterns = {text: Read(text, line, False) for line, text in strings if _PATTERN.fullmatch(text)}
    obstacles = dict.fromkeys(_obstacles(tree, [text for _, text in strings]))
    return Reads(tuple(first.values()), tuple(patterns.values()), True, tuple(obstacles))


def _parsed(source: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a foreign program: invalid escapes and the like
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_file(text: str) -> bool:
    name = text.rpartition("/")[2]
    is_prose = "/" not in text and len(text.split()) > _PROSE_WORDS
    return bool(_FILE.fullmatch(text)) and not _URL.match(text) and not is_prose and not name.startswith(".")


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _written(tree: ast.Module) -> dict[int, set[str]]:
    """Return, by line, how paths end that are no files to read; an empty end is that of all of them.

    They are written to, as arguments or by a name that is used for nothing else, or stand in a table whose keys are
    asked for one by one.
    """
    ends: dict[int, set[str]] = {line: {""} for line in _lines_of_tables(tree)}
    names: set[str] = set()
    used: set[str] = set()
    inner: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _writes(node):
            arguments = [*node.args[:1], *(word.value for word in node.keywords)]
            for part in (part for argument in arguments for part in ast.walk(argument)):
                inner.add(id(part))
                if isinstance(part, ast.Name):
                    names.add(part.id)
                elif isinstance(part, ast.Constant):
                    ends.setdefault(part.lineno, set()).add(str(part.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in inner:
            used.add(node.id)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and {_name(target) for target in node.targets} & (names - used):
            ends |= {line: {""} for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    return ends


def _lines_of_tables(tree: ast.Module) -> set[int]:
    """Return the lines of dictionaries that are only ever asked for single keys: what is asked for is read there."""
    written = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    asked = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)
    }
    otherwise = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in asked
    }
    kept = [value for name, value in written.items() if name not in otherwise]
    return {value.lineno for table in kept for value in table.values}


def _writes(node: ast.Call) -> bool:
    name = _name(node.func)
    if name in _WRITERS:
        return True
    modes = [*node.args[1:2], *(word.value for word in node.keywords if word.arg == "mode")]
    return name == "open" and any(
        isinstance(mode, ast.Constant) and set(str(mode.value)) & set("wax") for mode in modes
    )


def _lines_of_fallbacks(tree: ast.Module) -> set[int]:
    """Return the lines that are run only when something failed or is missing."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        late: list[ast.stmt] = []
        if isinstance(node, ast.Try):
            late = [one for handler in node.handlers for one in handler.body]
        elif isinstance(node, ast.If) and _asks_for_a_file(node.test):
            late = node.body if isinstance(node.test, ast.UnaryOp) else node.orelse
        for one in late:
            lines |= set(range(one.lineno, (one.end_lineno or one.lineno) + 1))
    return lines


def _asks_for_a_file(test: ast.expr) -> bool:
    return any(
        isinstance(node, ast.Call) and _name(node.func) in {"exists", "isfile", "is_file", "isdir", "is_dir"}
        for node in ast.walk(test)
    )


def _obstacles(tree: ast.Module, texts: list[str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = _name(node.func)
            if name in _SEARCHES or name in _WALKS:
                yield (_SEARCHES | _WALKS)[name]
            elif (
                name in {"DataFrame", "read_clipboard"} and node.args and isinstance(node.args[0], (ast.Dict, ast.List))
            ):
                yield "data within the program"
    if any(_URL.match(text) for text in texts):
        yield "the network"
