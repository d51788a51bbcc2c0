"""Repair: apply rules to a cell's source, and say what was done."""

import ast
from typing import NamedTuple

from coda_bench.records.anchor import Repair
from coda_bench.tasks.repair.edit import Offsets, applied
from coda_bench.tasks.repair.rules import ALWAYS, ON_TROUBLE


class Repaired(NamedTuple):
    """Source after repair; the same source where there was nothing to do."""

    source: str
    repairs: tuple[Repair, ...]


def repair(source: str, trouble: str = "", line: int | None = None) -> Repaired:
    """Repair the source of a cell.

    Args:
        source: without IPython's own syntax; what does not parse comes back unchanged.
        trouble: the error that it ends with, which may call for rules of its own.
        line: where the error is, from 1; those rules are kept to it.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Repaired(source, ())
    offsets = Offsets(source)
    special = [rule for text, rule in ON_TROUBLE.items() if text in trouble]
    nodes = list(ast.walk(tree))
    edits = [edit for node in nodes for rule in ALWAYS for edit in rule(node, offsets, source)]
    edits += [
        edit
        for node in nodes
        for rule in special
        if line is not None and getattr(node, "lineno", 0) <= line <= (getattr(node, "end_lineno", 0) or 0)
        for edit in rule(node, offsets, source)
    ]
    made, done = applied(source, edits)
    repairs = tuple(
        Repair(rule=edit.rule, line=edit.line, was=source[edit.start : edit.end], now=edit.text) for edit in done
    )
    return Repaired(made, repairs)
