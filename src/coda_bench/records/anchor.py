"""Anchors: results of notebooks that are worth asking for, and where in a notebook they come from."""

from typing import NamedTuple


class StatementId(NamedTuple):
    """One statement of a notebook."""

    cell: int
    """From 1, among all cells."""
    position: int
    """From 0, among the top-level statements of the cell."""
