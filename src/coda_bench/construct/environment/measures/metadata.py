"""`dataset-metadata.json` is kept, and an agent may read it: where it names an answer or a target, that is said."""

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from coda_bench.construct.environment.walk import finding
from coda_bench.layout import IGNORED_NAMES
from coda_bench.records.environment import FileProfile, LayoutFinding

_MOST_BYTES = 4 << 20
_FEWEST_LETTERS = 4
_FEWEST_DIGITS = 3
_NUMBER = re.compile(r"[+-]?[\d,.]*\d%?")


def metadata_findings(
    directory: Path, profiles: list[FileProfile], answers: Mapping[int, str], targets: Mapping[int, tuple[str, ...]]
) -> list[LayoutFinding]:
    """Report each metadata file whose text holds all fields of a task's answer, or the name of a target.

    A field counts when it has at least four letters, or is a number of at least three digits: `3` and `no` stand in
    any description. It must stand for itself, not inside a longer word or number.
    """
    found = []
    for profile in profiles:
        if PurePosixPath(profile.path).name in IGNORED_NAMES and profile.bytes <= _MOST_BYTES:
            text = _text(directory / profile.path)
            found += [_answer_named(profile.path, task) for task, one in answers.items() if _names(text, one)]
            found += [_target_named(profile.path, task) for task, ones in targets.items() if _names_any(text, ones)]
    return sorted(found, key=lambda one: one.to_line())


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace").casefold() if not path.is_symlink() else ""
    except OSError:
        return ""


def _answer_named(path: str, task: int) -> LayoutFinding:
    return finding(path, "metadata_names_answer", "warning", f"holds every field of the answer of task {task}")


def _target_named(path: str, task: int) -> LayoutFinding:
    return finding(path, "metadata_names_target", "note", f"holds the file name of a target of task {task}")


def _names(text: str, answer: str) -> bool:
    fields = [field.strip().casefold() for field in answer.split(";")]
    return any(map(_tells, fields)) and all(_stands_in(text, field) for field in fields if _tells(field))


def _tells(field: str) -> bool:
    if _NUMBER.fullmatch(field):
        return sum(letter.isdigit() for letter in field) >= _FEWEST_DIGITS
    return len(field) >= _FEWEST_LETTERS


def _stands_in(text: str, field: str) -> bool:
    return re.search(rf"(?<![\w.,]){re.escape(field)}(?![\w]|[.,]\d)", text) is not None


def _names_any(text: str, paths: tuple[str, ...]) -> bool:
    return any(_stands_in(text, PurePosixPath(path).name.casefold()) for path in paths)
