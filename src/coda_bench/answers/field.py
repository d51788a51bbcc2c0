"""One field of an answer: its type, and what is right for it beside the gold itself."""

from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from coda_bench.answers.fieldtype import field_type, is_free_text
from coda_bench.answers.quantities import Mark, Number, Token
from coda_bench.answers.rounding import Numeric, roundings
from coda_bench.answers.template import choices, interchangeable
from coda_bench.answers.text import canonical
from coda_bench.answers.tokens import tokenise
from coda_bench.records.answer_spec import FieldType, Rounding, StatedField


@dataclass(frozen=True)
class FieldSpec:
    """One field of an answer."""

    text: str
    """The gold, canonical."""
    tokens: tuple[Token, ...]
    type: FieldType
    label: tuple[Token, ...] = ()
    """Tokens of a leading `Label:` that the guideline gives away, colon included; an answer may leave it out."""
    name: str = ""
    """What the guideline calls it, canonical; empty when it does not say."""
    rounding: Rounding = Rounding.HALF
    alternatives: tuple[str, ...] = ()
    """The texts that the guideline lists for it, canonical, the gold among them."""
    accepted: tuple[tuple[Token, ...], ...] = ()
    """Further right contents."""
    interval: tuple[Decimal, Decimal] | None = None
    unit: str | None = None
    """A unit the task states: it may be written or left out."""


def make_fields(
    texts: list[str], names: tuple[str, ...], guideline: str, stated: tuple[StatedField, ...]
) -> tuple[FieldSpec, ...]:
    """Compile the fields of a gold.

    Args:
        texts: the fields, canonical.
        names: what the guideline calls each, or empty texts.
        guideline: canonical.
        stated: what the task states of the first fields.
    """
    tokens = [tokenise(text) for text in texts]
    modes = roundings(guideline, [_numeric(one, name) for one, name in zip(tokens, names, strict=True)])
    padded = (*stated, *[StatedField()] * (len(texts) - len(stated)))
    return tuple(
        _field(_Parts(text, one, name, mode), guideline, own)
        for text, one, name, mode, own in zip(texts, tokens, names, modes, padded, strict=False)
    )


def _numeric(tokens: tuple[Token, ...], name: str) -> Numeric | None:
    numbers = [token for token in tokens if isinstance(token, Number)]
    if not numbers:
        return None
    return Numeric(numbers[-1].decimals, any(number.is_percent for number in numbers), name)


class _Parts(NamedTuple):
    text: str
    tokens: tuple[Token, ...]
    name: str
    mode: Rounding


def _field(parts: _Parts, guideline: str, stated: StatedField) -> FieldSpec:
    text, tokens, name, mode = parts
    listed = next((group for group in choices(guideline) if text in group), ())
    same = next((group for group in interchangeable(guideline) if text in group), ())
    kind = stated.type or field_type(tokens, name, guideline, listed)
    if kind is FieldType.TEXT and is_free_text(tokens, guideline):
        kind = FieldType.FREE_TEXT
    others = [*same, *map(canonical, stated.accepted)]
    return FieldSpec(
        text,
        tokens,
        kind,
        label=_label(text, tokens, guideline),
        name=name,
        rounding=stated.rounding or (Rounding.EXACT if kind is FieldType.YEAR else mode),
        alternatives=listed,
        accepted=tuple(tokenise(other) for other in others if other != text),
        interval=stated.interval,
        unit=canonical(stated.unit) if stated.unit else None,
    )


def _label(text: str, tokens: tuple[Token, ...], guideline: str) -> tuple[Token, ...]:
    label, colon, value = text.partition(":")
    if not (colon and value.strip() and f"{label}:" in guideline):
        return ()
    return tokens[: tokens.index(Mark(":")) + 1] if Mark(":") in tokens else ()
