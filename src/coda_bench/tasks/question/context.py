"""The context of a question: enough for a person to know which records are meant, and no names of files."""

import re
from collections.abc import Sequence

from coda_bench.records.environment import FileProfile
from coda_bench.tasks.question.leaks import leaks
from coda_bench.tasks.question.meaning import joined, words

_MOST_HINTS = 3
_WORD = re.compile(r"[A-Za-z][A-Za-z ]{2,}")


class Unclear(Exception):
    """Nothing that can be said tells a file from another that gives another answer; the message names that one."""


def introduced(question: str, title: str, targets: Sequence[FileProfile], rivals: Sequence[FileProfile]) -> str:
    """Return a question with a sentence before it that says which records it is about.

    Args:
        question: what is asked.
        title: of the notebook.
        targets: the files it is computed from.
        rivals: files that would give another answer and have every column that is used.

    Raises:
        Unclear: a rival has every column that could be named, and as many records.
    """
    hints, left = _hints(question, targets, rivals)
    about = f"An analysis headed “{title}” uses" if title and not _gives_away(title, targets) else "There is"
    sentence = f"{about} {'tables' if len(targets) > 1 else 'a table'}"
    if hints:
        sentence += f" that also give{'' if len(targets) > 1 else 's'} {joined(hints)}"
    if left:
        sentence += _rows(targets, left)
    return f"{sentence}. {question}"


def _gives_away(title: str, targets: Sequence[FileProfile]) -> bool:
    return bool(leaks(title, "", [one.path for one in targets], ())) or any(
        words(part).lower() in title.lower() for one in targets for part in one.path.split("/")[:1]
    )


def _hints(
    question: str, targets: Sequence[FileProfile], rivals: Sequence[FileProfile]
) -> tuple[list[str], list[FileProfile]]:
    """Choose columns to mention: first those that tell rivals apart; return the rivals that are left."""
    free = [
        name
        for target in targets
        for name in _columns(target)
        if _WORD.fullmatch(words(name)) and words(name).lower() not in question.lower()
    ]
    left, chosen = list(rivals), list[str]()
    while left and free:
        best = max(free, key=lambda name: sum(name not in _columns(one) for one in left))
        if not any(best not in _columns(one) for one in left):
            break
        chosen.append(best)
        left = [one for one in left if best in _columns(one)]
    chosen += [name for name in free if name not in chosen][: max(0, _MOST_HINTS - len(chosen))]
    return [words(name) for name in dict.fromkeys(chosen)], left


def _columns(profile: FileProfile) -> list[str]:
    return [column.name for table in profile.tables for column in table.columns]


def _rows(targets: Sequence[FileProfile], rivals: Sequence[FileProfile]) -> str:
    """Say how many records there are, where that tells the last rivals apart."""
    rows = [table.rows for one in targets for table in one.tables]
    others = {table.rows for one in rivals for table in one.tables}
    if len(rows) != 1 or rows[0] is None or rows[0] in others:
        raise Unclear(rivals[0].path)
    return f" and holds {rows[0]:,} records"
