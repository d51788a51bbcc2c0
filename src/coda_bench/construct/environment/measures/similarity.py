"""Are the other files of a community close to its targets, or would random files do as well?

What is compared is what an agent sees of a file before it opens it whole: its data set, its name, the names of its
columns. Two similarities: cosine of TF-IDF weights of the words, and cosine of WordLlama's embeddings (a model of
16 MB that its package ships; nothing is fetched).
"""

import bisect
import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from coda_bench.construct.environment.measures.headers import dataset
from coda_bench.errors import MissingExtra
from coda_bench.records.environment import FileProfile, Similarity

MOST_ANCHORS = 100
MOST_COMPARED = 1_000
_SHOWN_COLUMNS = 60
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+|\d+")

Matrix = list[list[float]]
Compare = Callable[[Sequence[str], Sequence[str]], Matrix]
"""Texts of anchors and of others, and the similarity of each to each."""
Anchors = Literal["targets", "all files"]
Scope = Literal["all", "other data sets"]
Method = Literal["lexical", "embedding"]


def described(profile: FileProfile) -> str:
    """Return the words of a file's data set, name and columns, in lower case."""
    columns = [column.name for table in profile.tables for column in table.columns][:_SHOWN_COLUMNS]
    named = columns if profile.header is not False else []
    return " ".join(word.lower() for part in (profile.path, *named) for word in _WORD.findall(part))


def sample(profiles: Sequence[FileProfile], most: int) -> list[FileProfile]:
    """Return at most so many files, always the same ones: those whose path has the least hash."""
    return sorted(profiles, key=lambda one: hashlib.sha256(one.path.encode()).digest())[:most]


def similarity(
    anchors: Sequence[FileProfile],
    distractors: Sequence[FileProfile],
    random: Sequence[FileProfile],
    *,
    method: Method,
    kind: Anchors,
) -> list[Similarity]:
    """Return how much closer distractors are to the anchors than random files of other communities.

    Twice: for all distractors, and for those of data sets that hold no anchor. AUC is the mean over the anchors of
    P(distractor closer than random file) + P(as close) / 2.
    """
    chosen = sample(anchors, MOST_ANCHORS)
    apart = {dataset(one) for one in chosen} if kind == "targets" else set()
    near, far = sample(distractors, MOST_COMPARED), sample(random, MOST_COMPARED)
    if not (chosen and near and far):
        return []
    compare = embedded() if method == "embedding" else lexical([*chosen, *near, *far])
    rows = compare([described(one) for one in chosen], [described(one) for one in (*near, *far)])
    places: dict[Scope, list[int]] = {
        "all": list(range(len(near))),
        "other data sets": [n for n, one in enumerate(near) if dataset(one) not in apart],
    }
    if not apart:
        del places["other data sets"]
    return [
        _Compared(chosen, near, ones, len(far), rows).summary(method, kind, scope)
        for scope, ones in places.items()
        if ones
    ]


@dataclass(frozen=True)
class _Compared:
    """Anchors, the distractors of one scope, random files, and how similar each is to each anchor."""

    anchors: Sequence[FileProfile]
    near: Sequence[FileProfile]
    places: Sequence[int]
    """Which of `near` count."""
    n_random: int
    rows: Matrix
    """A row an anchor: first all of `near`, then the random files."""

    def summary(self, method: Method, kind: Anchors, scope: Scope) -> Similarity:
        close, far, areas = [], [], []
        for anchor, row in zip(self.anchors, self.rows, strict=True):
            mine = [row[n] for n in self.places if self.near[n].sha256 != anchor.sha256]
            others = row[len(self.near) :]
            close += mine
            far += others
            areas += [_auc(mine, others)] if mine else []
        return Similarity(
            method=method,
            scope=scope,
            anchors=kind,
            n_anchors=len(self.anchors),
            n_distractors=len(self.places),
            n_random=self.n_random,
            mean_distractors=_round(math.fsum(close) / max(1, len(close))),
            mean_random=_round(math.fsum(far) / len(far)),
            auc=_round(math.fsum(areas) / len(areas)) if areas else 0.5,
        )


def _round(value: float) -> float:
    """Keep six digits: the last ones of a float differ between processors."""
    return round(value, 6)


def _auc(ones: Sequence[float], others: Sequence[float]) -> float:
    ranked = sorted(others)
    below = sum(bisect.bisect_left(ranked, one) + bisect.bisect_right(ranked, one) for one in ones)
    return below / (2 * len(ones) * len(others))


def lexical(profiles: Sequence[FileProfile]) -> Compare:
    """Return the cosine of TF-IDF weights, tf = 1 + log count, idf = log((1 + N) / (1 + df)) + 1."""
    texts = [described(one).split() for one in profiles]
    df = Counter(word for words in texts for word in set(words))
    idf = {word: math.log((1 + len(texts)) / (1 + n)) + 1 for word, n in df.items()}

    def weighed(text: str) -> dict[str, float]:
        raw = {word: (1 + math.log(n)) * idf[word] for word, n in Counter(text.split()).items()}
        norm = math.sqrt(math.fsum(value * value for value in raw.values()))
        return {word: value / norm for word, value in raw.items()} if norm else {}

    def compare(ones: Sequence[str], others: Sequence[str]) -> Matrix:
        mine, theirs = [weighed(text) for text in ones], [weighed(text) for text in others]
        return [[_round(_dot(one, other)) for other in theirs] for one in mine]

    return compare


def _dot(one: dict[str, float], other: dict[str, float]) -> float:
    return math.fsum(one[word] * other[word] for word in one.keys() & other.keys())


def embedded() -> Compare:
    """Return the cosine of WordLlama's embeddings, 256 numbers a text.

    Raises:
        MissingExtra: the package is not installed, or ships no model.
    """
    hint = "similarity by embeddings needs wordllama: pip install 'coda-bench[embed]'"
    try:
        import wordllama  # noqa: PLC0415 an optional library
    except ImportError as error:
        raise MissingExtra(hint) from error
    try:
        # The package looks for its tokenizer in a folder it does not have; as a cache its own folder is the right one.
        model = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    except FileNotFoundError as error:
        raise MissingExtra(f"{hint} (this one ships no model: {error})") from error

    def compare(ones: Sequence[str], others: Sequence[str]) -> Matrix:
        mine, theirs = (model.embed([text or "file" for text in texts], norm=True) for texts in (ones, others))
        return [[_round(float(value)) for value in row] for row in mine @ theirs.T]

    return compare
