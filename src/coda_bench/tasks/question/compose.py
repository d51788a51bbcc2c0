"""Compose: the question, guideline and answer that a proven result gives, where its meaning has words."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from coda_bench.records.anchor import Candidate, Leaf, Step
from coda_bench.tasks.anchors.parts import text_of
from coda_bench.tasks.question.figures import statistic
from coda_bench.tasks.question.inline import NotInlined, inlined
from coda_bench.tasks.question.meaning import Figure, Figures, Meaning, NoWords, Rows, joined
from coda_bench.tasks.question.methods import method
from coda_bench.tasks.question.reading import Reader

MOST_DECIMALS = 4
"""More digits than this are not asked for."""
_NEAR = 1e-6
FALLBACK = "If the data do not allow an answer, respond with 'Not Applicable'."


class Question(NamedTuple):
    """What is asked, and what the answer is."""

    question: str
    guideline: str
    answer: str
    leaves: tuple[Leaf, ...]
    """The parts of the displayed value that the answer is made of."""


def meaning_of(candidate: Candidate, sources: Sequence[str]) -> Meaning:
    """Return what a displayed expression means.

    Raises:
        NoWords: there are no words for it.
    """
    try:
        return Reader(method).read(inlined(sources, candidate.expression))
    except NotInlined as trouble:
        raise NoWords(str(trouble)) from trouble


def questions(candidate: Candidate, sources: Sequence[str]) -> Iterator[Question]:
    """Yield the questions that a proven candidate gives, the best first.

    Args:
        candidate: with the parts that are proven.
        sources: the statements of its slice but the displaying one.

    Raises:
        NoWords: there are no words for what it computes.
    """
    meaning = meaning_of(candidate, sources)
    if isinstance(meaning, (Figure, Figures)) and meaning.rows.is_cut:
        raise NoWords("computed from the first rows of an order")
    if isinstance(meaning, Figure) and candidate.kind == "scalar":
        yield from _single(meaning, candidate.leaves)
    elif isinstance(meaning, Figures) and candidate.kind in {"series", "frame"}:
        yield from _of_table(meaning, candidate.leaves)
    elif isinstance(meaning, Rows) and meaning.order and candidate.kind == "frame":
        yield from _of_ranking(meaning, candidate.leaves)
    else:
        raise NoWords(f"{type(meaning).__name__} shown as {candidate.kind}")


def _single(figure: Figure, leaves: Sequence[Leaf]) -> Iterator[Question]:
    for leaf in leaves[:1]:
        yield from _ask(f"What is {figure.phrase}", figure.rows, leaf)


def _of_table(figures: Figures, leaves: Sequence[Leaf]) -> Iterator[Question]:
    if figures.most and leaves and figures.row[0] and leaves[0].path[0].place == 0 and figures.column is None:
        yield from _extreme(figures, leaves)
    for leaf in leaves:
        phrase = _phrase(figures, leaf)
        if phrase is not None:
            yield from _ask(f"What is {phrase}", figures.rows, leaf)


def _extreme(figures: Figures, leaves: Sequence[Leaf]) -> Iterator[Question]:
    """Ask which label has the most or the least, and how much."""
    first, second = leaves[0], leaves[1] if len(leaves) > 1 else None
    label = text_of(first.path[0].label)
    if len(label) != len(figures.row) or second is None or second.value[1] == first.value[1]:
        return
    keys, phrase = joined(figures.row), figures.phrase.replace(" with {row}", "").replace(" for {row}", "")
    for number in _number(first):
        question = f"Which {keys} has the {figures.most} value of {phrase}, and what is that value?"
        if "number of records" in phrase or "share of records" in phrase:
            word = {"highest": "most", "lowest": "fewest"}[figures.most]
            question = f"Which {keys} do the {word} records have, and what is the {_counted(phrase)}?"
        names = ", ".join(label)
        yield Question(
            _with_context(question, figures.rows),
            f"Answer must be in the format: {keys}; value. {_rule(number, first)} {FALLBACK}",
            f"{names}; {number}",
            (first,),
        )


def _counted(phrase: str) -> str:
    return "share of such records" if "share" in phrase else "number of such records"


def _phrase(figures: Figures, leaf: Leaf) -> str | None:
    """Put the labels of a part into the words for the whole."""
    rows = [step for step in leaf.path if step.kind == "row"]
    columns = [step for step in leaf.path if step.kind == "column"]
    if len(rows) != 1 or len(columns) > 1 or (figures.column is not None and not columns):
        return None
    if figures.column is None and columns and columns[0].place > 0:
        return None
    row = _labelled(figures.row, rows[0])
    if row is None:
        return None
    phrase = figures.phrase.replace("{row}", row)
    if figures.column is not None:
        label = _labelled((figures.column,), columns[0])
        phrase = phrase.replace("{column}", label) if label else ""
    return phrase or None


def _labelled(keys: Sequence[str], step: Step) -> str | None:
    texts = text_of(step.label)
    if len(texts) != len(keys) or step.label[0] == "n":
        return None
    return joined([f"{key} {text}" if key else statistic(text) for key, text in zip(keys, texts, strict=True)])


def _of_ranking(rows: Rows, leaves: Sequence[Leaf]) -> Iterator[Question]:
    """Ask for what stands in the first row of sorted rows."""
    for leaf in leaves:
        row, column = leaf.path[0], leaf.path[-1]
        if row.place == 0 and column.kind == "column" and rows.order.endswith(column.label[1].replace("_", " ")):
            which = "largest" if rows.order.startswith("highest") else "smallest"
            what = rows.order.partition(" ")[2]
            yield from _ask(f"What is the {which} value of {what}", rows, leaf)


def _ask(question: str, rows: Rows, leaf: Leaf) -> Iterator[Question]:
    for number in _number(leaf):
        guideline = f"Answer must be a single {'percentage' if leaf.as_percent else 'number'}. {_rule(number, leaf)}"
        yield Question(f"{_with_context(question + '?', rows)}", f"{guideline} {FALLBACK}", number, (leaf,))


def _number(leaf: Leaf) -> Iterator[str]:
    """Yield the answer's text, unless rounding hangs by less than 1e-6."""
    kind, content = leaf.value
    if kind == "i":
        yield str(content)
    if kind != "f":
        return
    value = 100 * content if leaf.as_percent else content
    decimals = max(0, min(leaf.decimals, MOST_DECIMALS))
    if round(value - _NEAR, decimals) == round(value + _NEAR, decimals):
        text = f"{value:.{decimals}f}"
        yield f"{text}%" if leaf.as_percent else text


def _rule(number: str, leaf: Leaf) -> str:
    if leaf.value[0] == "i":
        return "Give the value as a whole number."
    decimals = len(number.rstrip("%").partition(".")[2])
    unit = "Give it as a percentage with the sign, rounded" if leaf.as_percent else "Round it"
    if decimals == 0:
        return f"{unit} to a whole number."
    return f"{unit} to {decimals} decimal place{'s' if decimals > 1 else ''}."


def _with_context(question: str, rows: Rows) -> str:
    """Add which records are meant."""
    parts = []
    if rows.conditions:
        parts.append(f"Consider only records where {joined(list(rows.conditions))}.")
    if rows.remarks:
        parts.append(f"Work {joined(list(rows.remarks))}.".replace("Work two", "Work on two"))
    return " ".join([*parts, question])
