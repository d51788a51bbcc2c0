"""Second command: compute the answer from the chosen table alone and write `/workspace/result.txt`."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pandas as pd  # type: ignore[import-untyped]  # pandas ships no types

from .question import Asked, Comparison, read_guideline, read_question, write_number
from .search import CHOICE
from .tables import tables
from .wording import match, words

NOT_ANSWERED = "Not Applicable"
_GOOD_MATCH = 0.5
_YEAR = r"(?:1[89]|20)\d\d"
_MOST_CATEGORIES = 500
_REDUCE = {"mean": "mean", "median": "median", "sum": "sum", "max": "max", "min": "min"}


def answer(frame: Any, question: str, guideline: str) -> str:
    """Answer a question from a table, or say that it cannot."""
    asked = read_question(question)
    form = read_guideline(guideline)
    value = _value(frame, question, asked)
    if value is None:
        return NOT_ANSWERED
    if isinstance(value, str):
        return value
    share = asked.operations[:1] == ["share"]
    return write_number(value * 100 if share and (form.percent or "percent" in question.lower()) else value, form)


def _value(frame: Any, question: str, asked: Asked) -> float | str | None:
    kept = _filtered(frame, question, asked)
    operation = asked.operations[0] if asked.operations else None
    if operation is None or not len(kept):
        return None
    if asked.wants_label and (found := _label(kept, asked)) is not None:
        return found
    if operation == "share":
        return len(kept) / len(frame) if len(kept) < len(frame) else None
    if operation == "count":
        return float(len(kept))
    if operation == "distinct":
        column = best_column(kept, asked.subject)
        return float(kept[column].nunique()) if column is not None else None
    return _reduced(kept, asked)


def _reduced(frame: Any, asked: Asked) -> float | None:
    # `highest average x`: the outer word asks for a label and was answered above; what is left is a number.
    operation = next(name for name in asked.operations if name in _REDUCE)
    column = best_column(frame, asked.subject, numeric=True)
    if column is None:
        return None
    value = float(getattr(frame[column], _REDUCE[operation])())
    return value if value == value else None  # noqa: PLR0124  # nan is not an answer


def _label(frame: Any, asked: Asked) -> str | None:
    """Answer `which x has the highest y`, with y summed up per x when x repeats."""
    extreme = next((name for name in asked.operations if name in {"max", "min"}), None)
    label = best_column(frame, asked.words[:6], numeric=False)
    if extreme is None or label is None:
        return None
    column = best_column(frame, asked.subject, numeric=True)
    if column is None:
        counts = frame[label].value_counts()
        return str(counts.idxmax() if extreme == "max" else counts.idxmin())
    how = next((_REDUCE[name] for name in asked.operations if name in {"mean", "median", "sum"}), extreme)
    grouped = frame.groupby(label, observed=True)[column].agg(how).dropna()
    if grouped.empty:
        return None
    return str(grouped.idxmax() if extreme == "max" else grouped.idxmin())


def best_column(frame: Any, asked: list[str], *, numeric: bool | None = None) -> Any | None:
    """Return the column whose name fits best the words asked for, those said first weighing most.

    Args:
        frame: the table.
        asked: stems of the words, in order.
        numeric: only columns of numbers (True) or only others (False); None: any.
    """
    kind = {"include" if numeric else "exclude": "number"}
    columns = frame.columns if numeric is None else frame.select_dtypes(**kind).columns
    scored = [(sum(_position_score(str(column), asked)), -place, column) for place, column in enumerate(columns)]
    best = max(scored, default=(0.0, 0, None), key=lambda item: item[:2])
    return best[2] if best[0] >= _GOOD_MATCH else None


def _position_score(column: str, asked: list[str]) -> tuple[float, float]:
    fit = match(column, asked)
    first = next((place for place, word in enumerate(asked) if match(column, [word])), len(asked))
    return fit, 0.5 / (1 + first) if fit else 0.0


def _filtered(frame: Any, question: str, asked: Asked) -> Any:
    """Keep the rows that the question speaks of: by values it names, by comparisons, by year."""
    kept = frame
    for column in frame.select_dtypes(exclude="number").columns:
        named = _named_values(frame[column], question)
        if named:
            kept = kept[kept[column].astype(str).isin(named)]
    for comparison in asked.comparisons:
        kept = _compared(kept, comparison)
    return _of_year(kept, question)


def _named_values(values: Any, question: str) -> list[str]:
    """Return the values of a category that stand in the question as written; `yes` and such say nothing."""
    categories = values.dropna().astype(str).unique()
    if len(categories) > _MOST_CATEGORIES:
        return []
    return [
        value
        for value in categories
        if len(value) > 2  # noqa: PLR2004  # shorter ones stand in any text
        and value.strip().lower() not in {"yes", "true", "false", "none", "other"}
        and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", question, re.IGNORECASE)
    ]


def _compared(frame: Any, comparison: Comparison) -> Any:
    column = best_column(frame, comparison.context, numeric=True)
    if column is None:
        return frame
    numbers = frame[column]
    keep = {
        ">": numbers > comparison.number,
        "<": numbers < comparison.number,
        ">=": numbers >= comparison.number,
        "<=": numbers <= comparison.number,
        "==": numbers == comparison.number,
    }[comparison.sign]
    return frame[keep]


def _of_year(frame: Any, question: str) -> Any:
    text = question.lower()
    spans = re.findall(rf"\b({_YEAR})\s*(?:to|through|until|and|-|\u2013)\s*({_YEAR})\b", text)
    years = re.findall(rf"\b(?:in|of|for|during|year)\s+({_YEAR})\b", text)
    named = [*spans, *((year, year) for year in years)]
    column = next((name for name in frame.columns if "year" in words(str(name))), None)
    if not named or column is None or not pd.api.types.is_numeric_dtype(frame[column]):
        return frame
    return frame[frame[column].between(int(named[0][0]), int(named[0][1]))]


def main() -> None:
    """Read the task from standard input and the choice from the search; write the answer."""
    told = json.load(sys.stdin)
    choice = json.loads(CHOICE.read_text())
    found = NOT_ANSWERED
    if choice:
        frame = next(table.frame for table in tables(choice["path"]) if table.part == choice["part"])
        found = answer(frame, told["question"], told["guideline"])
    Path("/workspace/result.txt").write_text(found)
    print(found)  # noqa: T201  # its output is part of the attempt's record


if __name__ == "__main__":
    main()
