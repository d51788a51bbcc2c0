"""Which file a question is about: its words against names, columns and sampled values, rare words first."""

import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .tables import SAMPLE_ROWS, Table, readable, tables
from .wording import alike, content_words, words

_IGNORED = frozenset({"dataset-metadata.json"})
_NAME_WEIGHT, _COLUMN_WEIGHT, _VALUE_WEIGHT = 1.0, 1.5, 0.7
_SAMPLED_VALUES = 40


class Ranked(NamedTuple):
    """A table with its score."""

    score: float
    path: str
    part: str


def files_below(root: str) -> Iterator[str]:
    """Yield the paths of readable files, without opening any."""
    for folder, _, names in os.walk(root):
        for name in sorted(names):
            path = os.path.join(folder, name)  # noqa: PTH118  # a community may hold thousands
            if name not in _IGNORED and readable(path):
                yield path


def best_by_name(paths: list[str], question: str, most: int) -> list[str]:
    """Return at most `most` paths, those whose names share rare words with the question first."""
    weight = rarity([_path_words(path) for path in paths])
    asked = set(content_words(question))
    score = {path: _overlap(asked, _path_words(path), weight) for path in paths}
    return sorted(paths, key=lambda path: (-score[path], path))[:most]


def rank(paths: list[str], question: str) -> list[Ranked]:
    """Open files, look at columns and some values, and return their tables, best first."""
    seen = [(table, _seen_words(table)) for path in paths for table in _opened(path)]
    weight = rarity([_path_words(table.path) | columns | values for table, (columns, values) in seen])
    asked = set(content_words(question))
    ranked = [
        Ranked(
            _NAME_WEIGHT * _overlap(asked, _path_words(table.path) | set(words(table.part)), weight)
            + _COLUMN_WEIGHT * _overlap(asked, columns, weight)
            + _VALUE_WEIGHT * _overlap(asked, values - columns, weight),
            table.path,
            table.part,
        )
        for table, (columns, values) in seen
    ]
    return sorted(ranked, key=lambda item: (-item.score, item.path, item.part))


def _opened(path: str) -> list[Table]:
    try:
        return list(tables(path, SAMPLE_ROWS))
    except Exception:  # noqa: BLE001  # files of all kinds, some damaged: what cannot be read is no candidate
        return []


def _path_words(path: str) -> set[str]:
    return set(words(path.removeprefix("/data/")))


def _seen_words(table: Table) -> tuple[set[str], set[str]]:
    columns = {word for column in table.frame.columns for word in words(str(column))}
    texts = table.frame.select_dtypes(exclude="number")
    values = {
        word
        for column in texts.columns
        for value in texts[column].dropna().astype(str).unique()[:_SAMPLED_VALUES]
        for word in content_words(value[:60])
    }
    return columns, values


def rarity(documents: Iterable[set[str]]) -> dict[str, float]:
    """Return the weight of each word: the rarer among the files, the more it says."""
    documents = list(documents)
    counts = Counter(word for document in documents for word in document)
    return {word: math.log(1 + len(documents) / count) for word, count in counts.items()}


def _overlap(asked: set[str], present: set[str], weight: dict[str, float]) -> float:
    exact = sum(weight.get(word, 0.0) for word in asked & present)
    # An abbreviation counts half: `pop` for population, `temp` for temperature.
    loose = sum(
        max((weight.get(other, 0.0) for other in present if alike(word, other)), default=0.0)
        for word in asked - present
        if len(word) > 3  # noqa: PLR2004  # shorter words abbreviate too much
    )
    return exact + 0.5 * loose
