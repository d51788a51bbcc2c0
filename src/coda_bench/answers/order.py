"""Which parts of an answer may change places: ties, and pairs for which no order is stated."""

import re
from collections.abc import Callable, Sequence

from coda_bench.answers.field import FieldSpec
from coda_bench.answers.guideline import Rules
from coda_bench.answers.quantities import Mark, Number, Token

Block = tuple[int, ...]
Ties = tuple[tuple[Block, ...], ...]

_COUNTER = re.compile(r"\b(?:first|second|third|fourth|fifth|top|next|runner-up|other)\b|[\s#]*[0-9]+|\s[a-e]$")


def infer_ties(fields: Sequence[FieldSpec], rules: Rules) -> Ties:
    """Return the groups of blocks that may change places.

    Blocks are repetitions of the same parts (`Country1; Count1; Country2; Count2`), or `Label: value` parts.
    Neighbours with equal values tie where the parts are ranked by value; where no order is stated at all,
    every block may stand anywhere.
    """
    blocks = _blocks(fields)
    if len(blocks) < 2:  # noqa: PLR2004 a pair
        return ()
    if len(blocks[0]) > 1 and not rules.states_order:
        return (tuple(blocks),)
    return _equal_neighbours(fields, blocks) if rules.ranks_by_value else ()


def _blocks(fields: Sequence[FieldSpec]) -> list[Block]:
    """Cut the places into repetitions of the same names; single places where each has a label and a value."""
    n = len(fields)
    names = [_COUNTER.sub("", f" {field.name}").strip() for field in fields]
    for length in range(2, n // 2 + 1):
        starts = range(0, n, length)
        if n % length == 0 and all(names) and all(names[at : at + length] == names[:length] for at in starts):
            return [tuple(range(at, at + length)) for at in starts]
    has_labels = all(Mark(":") in field.tokens for field in fields)
    return [(place,) for place in range(n)] if has_labels else []


def _equal_neighbours(fields: Sequence[FieldSpec], blocks: Sequence[Block]) -> Ties:
    values = [_value(fields, block) for block in blocks]
    groups: list[list[Block]] = [[blocks[0]]]
    for at in range(1, len(blocks)):
        if values[at] is not None and values[at] == values[at - 1]:
            groups[-1].append(blocks[at])
        else:
            groups.append([blocks[at]])
    return tuple(tuple(group) for group in groups if len(group) > 1)


def _value(fields: Sequence[FieldSpec], block: Block) -> tuple[Token, ...] | None:
    """Return all numbers of a block, by which it is ranked."""
    numbers = [token for place in block for token in fields[place].tokens if isinstance(token, Number)]
    return tuple(numbers) or None


def matching(n: int, fits: Callable[[int, int], bool]) -> bool:
    """Whether `n` things can be put one to one onto `n` others that fit (augmenting paths)."""
    owner: dict[int, int] = {}

    def place(thing: int, seen: set[int]) -> bool:
        for other in range(n):
            if other in seen or not fits(thing, other):
                continue
            seen.add(other)
            if other not in owner or place(owner[other], seen):
                owner[other] = thing
                return True
        return False

    return all(place(thing, set()) for thing in range(n))
