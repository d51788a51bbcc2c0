"""Edits of source text at the places of syntax nodes; everything else keeps its bytes."""

import ast
from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """One replacement."""

    start: int
    """Offset in the text."""
    end: int
    text: str
    rule: str
    line: int


class Offsets:
    """Places of nodes as offsets in the text; the syntax tree counts columns in UTF-8 bytes."""

    def __init__(self, source: str) -> None:
        self._lines = source.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def at(self, line: int, column: int) -> int:
        """Return the offset of a line (from 1) and a column in bytes."""
        return self._starts[line - 1] + len(self._lines[line - 1].encode()[:column].decode(errors="ignore"))

    def of(self, node: ast.expr | ast.stmt | ast.keyword | ast.alias) -> tuple[int, int]:
        """Return the offsets of a node's beginning and end."""
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno or 0, node.end_col_offset or 0)


def applied(source: str, edits: Iterable[Edit]) -> tuple[str, list[Edit]]:
    """Apply edits that do not overlap, the first of those that do; return the text and what was applied."""
    done: list[Edit] = []
    for edit in sorted(set(edits)):
        if not done or edit.start >= done[-1].end:
            done.append(edit)
    for edit in reversed(done):
        source = source[: edit.start] + edit.text + source[edit.end :]
    return source, done
