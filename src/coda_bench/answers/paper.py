"""The paper's own normalisation of answers (section 3: rounding, white space removal, case)."""

import re
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext

LONGEST_ANSWER = 20_000
"""Characters; the longest released gold has 415. Longer texts are no answers."""

_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+", re.ASCII)
_LONGEST_NUMBER = 400


def ea_paper(prediction: str, gold: str) -> bool:
    """Whether the answers agree once white space is removed, case ignored and numbers rounded.

    Numbers of the prediction are rounded to the decimals of the gold's number at the same place; the
    paper leaves the rounding mode open, so half-up and half-even both count. Words, signs and
    separators between the numbers must agree.
    """
    if len(prediction) > LONGEST_ANSWER:
        return False
    found, wanted = _normal(prediction), _normal(gold)
    if found == wanted:
        return bool(wanted)
    if _NUMBER.sub("#", found) != _NUMBER.sub("#", wanted):
        return False
    return all(map(_rounds_to, _NUMBER.findall(found), _NUMBER.findall(wanted)))


def _normal(text: str) -> str:
    return "".join(text.split()).lower()


def _rounds_to(found: str, wanted: str) -> bool:
    if max(len(found), len(wanted)) > _LONGEST_NUMBER:
        return found == wanted
    digits = len(wanted.partition(".")[2])
    # The default context keeps 28 digits and would round the longer ones on the way.
    with localcontext(prec=2 * _LONGEST_NUMBER):
        number, goal = Decimal(found).scaleb(digits), Decimal(wanted).scaleb(digits)
        return any(number.to_integral_value(rounding=mode) == goal for mode in (ROUND_HALF_UP, ROUND_HALF_EVEN))
