"""Leaks: names in a question that give away what has to be found."""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

_ORDINARY = re.compile(r"[A-Za-z]+(?: [A-Za-z]+)*")
_LEAST_DIGITS = 3


def leaks(question: str, answer: str, files: Iterable[str], columns: Iterable[str]) -> list[str]:
    """Return what a question must not say: names of files, data sets and columns as they are written, and the answer.

    A name that is made of ordinary words, `species`, can hardly be left out and gives nothing away that they would not.

    Args:
        question: question and guideline.
        answer: the gold.
        files: paths `<data set>/<file>` of the targets.
        columns: names of their columns.
    """
    names = [part for file in files for part in (*PurePosixPath(file).parts, PurePosixPath(file).stem)]
    found = [name for name in [*names, *columns] if not _ORDINARY.fullmatch(name) and _stands(name, question)]
    parts = [part.strip() for part in answer.split(";")]
    return found + [part for part in parts if sum(map(str.isdigit, part)) >= _LEAST_DIGITS and _stands(part, question)]


def _stands(name: str, text: str) -> bool:
    return bool(name) and re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", text, re.IGNORECASE) is not None
