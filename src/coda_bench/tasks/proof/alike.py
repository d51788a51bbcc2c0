"""Files that could be taken for one another: those of the community that have the columns a program uses of a file."""

import ast
from collections.abc import Callable, Iterator, Sequence

from coda_bench.layout import counts_for_discovery
from coda_bench.records.environment import FileProfile

Alike = Callable[[str, Sequence[str]], Sequence[str]]


def alike_in(profiles: Sequence[FileProfile]) -> Alike:
    """Return a function that gives, for a file and the statements that use it, the others with the columns used.

    A column is used when its name stands in a statement, as a text or as an attribute. Files with the same content are
    no others: whoever finds one has found the file. Of a file without known columns nothing can be said.
    """
    columns = {one.path: columns_of(one) for one in profiles}
    hashes = {one.path: one.sha256 for one in profiles}

    def alike(file: str, sources: Sequence[str]) -> list[str]:
        used = columns.get(file, frozenset()) & set(_names(sources))
        if not used:
            return []
        return [
            path
            for path, there in sorted(columns.items())
            if used <= there and hashes[path] != hashes[file] and counts_for_discovery(path)
        ]

    return alike


def columns_of(profile: FileProfile) -> frozenset[str]:
    """Return the names of the columns of all tables in a file."""
    return frozenset(column.name for table in profile.tables for column in table.columns)


def _names(sources: Sequence[str]) -> Iterator[str]:
    for source in sources:
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
            elif isinstance(node, ast.Attribute):
                yield node.attr
