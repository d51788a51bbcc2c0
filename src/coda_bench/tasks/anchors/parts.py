"""The single values that a displayed one is made of, each with the labels that lead to it."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from coda_bench.records.anchor import Scalar, Step
from coda_bench.tasks.execution.results import Described

MOST_PARTS = 400
"""Of one displayed value."""


class Part(NamedTuple):
    """One single value."""

    path: tuple[Step, ...]
    value: Scalar


def parts(value: Described) -> list[Part]:
    """Return the parts of a described value, in the order they are displayed."""
    found = []
    for part in _parts(value, ()):
        found.append(part)
        if len(found) == MOST_PARTS:
            break
    return found


def _parts(value: Described, path: tuple[Step, ...]) -> Iterator[Part]:
    kind = value.get("kind")
    if kind == "scalar":
        yield Part(path, _scalar(value["value"]))
    elif kind == "series":
        for place, label, one in zip(value["rows"], value["index"], value["values"], strict=True):
            yield Part((*path, Step(kind="row", label=_scalar(label), place=place)), _scalar(one))
    elif kind == "frame":
        yield from _of_frame(value, path)
    elif kind == "list":
        for place, one in enumerate(value["items"]):
            yield from _parts(one, (*path, Step(kind="item", label=("i", place), place=place)))
    elif kind == "dict":
        for place, (label, one) in enumerate(zip(value["keys"], value["items"], strict=True)):
            yield from _parts(one, (*path, Step(kind="key", label=_scalar(label), place=place)))


def _of_frame(value: Described, path: tuple[Step, ...]) -> Iterator[Part]:
    columns = [
        Step(kind="column", label=_scalar(label), place=place)
        for label, place in zip(value["columns"], value["places"], strict=True)
    ]
    for place, label, cells in zip(value["rows"], value["index"], value["cells"], strict=True):
        row = Step(kind="row", label=_scalar(label), place=place)
        for column, one in zip(columns, cells, strict=True):
            yield Part((*path, row, column), _scalar(one))


def _scalar(raw: Sequence[Any]) -> Scalar:
    kind, content = raw
    return str(kind), tuple(_scalar(one) for one in content) if kind == "m" else content


def text_of(label: Scalar) -> list[str]:
    """Return a label as it is displayed, one text for each level."""
    kind, content = label
    if kind == "m":
        return [text for one in content for text in text_of(_scalar(one))]
    if kind == "t":
        return [str(content).replace("T00:00:00", "").replace("T", " ")]
    return [str(content)]
