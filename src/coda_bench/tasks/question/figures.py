"""Figures, many numbers told apart by labels: what methods make of them, in words."""

import ast
from collections.abc import Callable

from coda_bench.tasks.question.meaning import COLUMN, ROW, Figure, Figures, Meaning, NoWords, joined, words
from coda_bench.tasks.question.reading import constant

STATISTICS = {
    "mean": "mean",
    "std": "sample standard deviation",
    "min": "smallest value",
    "25%": "first quartile",
    "50%": "median",
    "75%": "third quartile",
    "max": "largest value",
    "count": "number of values",
    "median": "median",
    "sum": "sum",
    "size": "number of records",
    "var": "sample variance",
    "nunique": "number of different values",
}
_SAME = frozenset("round copy head to_frame to_dict squeeze rename_axis dropna".split())
"""Methods that leave the figures that remain, and their labels, as they are."""


def of_figures(figures: Figures, name: str, call: ast.Call) -> Meaning:
    """Return what a method gives.

    Raises:
        NoWords: there are no words for it, or for one of its arguments.
    """
    found = _OF_FIGURES.get(name)
    if found is None:
        raise NoWords(f"{name} of figures")
    return found(figures, call)


def _sorted(figures: Figures, call: ast.Call) -> Figures:
    falling = any(word.arg == "ascending" and constant(word.value) is False for word in call.keywords)
    single = figures.column is None and not call.args
    return figures._replace(most=("highest" if falling else "lowest") if single else "")


def _most(most: str) -> "_OfFigures":
    return lambda figures, _call: figures._replace(most=most if figures.column is None else "")


def _unstacked(figures: Figures, call: ast.Call) -> Figures:
    if call.args or call.keywords or len(figures.row) != len((ROW, COLUMN)):
        raise NoWords("levels moved to columns")
    phrase = figures.phrase.replace("{row}", "{row} and {column}")
    return figures._replace(phrase=phrase, row=figures.row[:1], column=figures.row[1])


def _label_of(word: str) -> "_OfFigures":
    def label(figures: Figures, _call: ast.Call) -> Figure:
        if figures.column is not None or len(figures.row) != 1 or not figures.row[0]:
            raise NoWords("labels of several levels")
        phrase = figures.phrase.replace(" with {row}", "").replace(" for {row}", "")
        return Figure(f"the {figures.row[0]} for which {phrase} is {word}", figures.rows)

    return label


def _extreme(word: str) -> "_OfFigures":
    def extreme(figures: Figures, call: ast.Call) -> Figure:
        if figures.column is not None or not all(figures.row) or call.args or call.keywords:
            raise NoWords("extremes of several columns")
        phrase = figures.phrase.replace("{row}", f"any single {joined(figures.row)}")
        return Figure(f"the {word} value that {phrase} takes", figures.rows)

    return extreme


def _dropped(figures: Figures, _call: ast.Call) -> Figures:
    """Take labels out: what is first now need not have the most of all."""
    return figures._replace(most="")


def _filled(figures: Figures, _call: ast.Call) -> Figures:
    """Fill gaps, which are none of where records are counted."""
    if not figures.phrase.startswith("the number of records"):
        raise NoWords("gaps filled in figures")
    return figures


def _remaining(figures: Figures, _call: ast.Call) -> Figures:
    return figures


_OfFigures = Callable[[Figures, ast.Call], Meaning]
_OF_FIGURES: dict[str, _OfFigures] = {
    "sort_values": _sorted,
    "nlargest": _most("highest"),
    "nsmallest": _most("lowest"),
    "tail": _most(""),
    "sort_index": _most(""),
    "unstack": _unstacked,
    "idxmax": _label_of("highest"),
    "idxmin": _label_of("lowest"),
    "max": _extreme("largest"),
    "min": _extreme("smallest"),
    "drop": _dropped,
    "fillna": _filled,
    **dict.fromkeys(_SAME, _remaining),
}


def statistic(label: str) -> str:
    """Return a row of `describe`, or a name of an aggregate, in words."""
    return STATISTICS.get(label, words(label))
