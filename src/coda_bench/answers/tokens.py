"""Tokens: an answer's field as words, marks, numbers with their decorations, dates and range signs.

Everything else in this package compares tokens; nothing evaluates what an agent wrote. All patterns
are bounded or possessive, so that no input makes them slow.
"""

import re
from decimal import Decimal
from functools import lru_cache

from coda_bench.answers.dates import MONTH, Clock, Date, match_clock, match_date
from coda_bench.answers.phrases import ATTACHED_UNITS, MEASURES, one_spelling, unit_name
from coda_bench.answers.quantities import Mark, Number, Range, Token, Word

LONGEST_NUMBER = 400
"""Characters; longer digit strings are read as words."""


_NUMBER = re.compile(
    r"(?P<lead>[-+])?(?P<before>us\$|[$€£¥₹]|(?:usd|eur|gbp|inr)\b)?\s?(?P<sign>[-+])?"
    r"(?P<digits>(?>[0-9]{1,3}(?:,[0-9]{3}){1,12}(?![0-9])|[0-9]{1,2}(?:,[0-9]{2}){1,6},[0-9]{3}(?![0-9])|[0-9]+)"
    r"(?:\.[0-9]+)?+|\.[0-9]++)(?P<exponent>e[-+]?[0-9]{1,3}(?![0-9]))?+"
    r"(?P<scale>\s(?:thousand|million|billion|trillion)\b|(?:thousand|million|billion|trillion|mn|bn|k|m|b)\b)?+"
    r"(?P<percent>\s?(?:%|percent\b|per cent\b|pct\b))?+"
    r"(?P<after>\s?(?:usd|us dollars?|dollars?|eur|euros?|gbp|inr|rupees)\b|[$€£¥₹])?+"
    r"(?!\w|\.[0-9])"
)
_WORD = re.compile(r"[^\W\d]\w*+(?:[-./'+]\w++)*+|[0-9][0-9,.]{0,30}[^\W\d]\w*+(?:[-/']\w++)*+|[0-9]++(?:\.[0-9]++)+")
_ATTACHED = re.compile(r"(?P<number>[0-9][0-9,.]*+)(?P<unit>[a-z]{1,4})")
_RANGE = re.compile(rf"(?P<style>-|to\b|until\b|through\b)\s*(?=[-+]?[$€£¥₹]?[.0-9]|{MONTH})")

_SCALES = {"thousand": 3, "k": 3, "million": 6, "mn": 6, "m": 6, "billion": 9, "bn": 9, "b": 9, "trillion": 12}
_SCALE_NAMES = {3: "thousand", 6: "million", 9: "billion", 12: "trillion"}
_CURRENCIES = {"$": "usd", "us$": "usd", "€": "eur", "£": "gbp", "₹": "inr", "¥": "jpy"}
_CURRENCY_WORDS = {"us": "usd", "do": "usd", "eu": "eur", "gb": "gbp", "in": "inr", "ru": "inr"}
# Digits, signs and currencies, and the first letters of months and of currency codes: all else cannot be a quantity.
_QUANTITY_STARTS = frozenset("0123456789.+-$€£¥₹jfmasonduegi")
_UNSEEN = frozenset("\"'.")


@lru_cache(maxsize=1 << 14)
def tokenise(text: str) -> tuple[Token, ...]:
    """Cut a canonical text into tokens; equal texts give equal tokens."""
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        position = _next_token(text, position, tokens)
    return tuple(one_spelling(tokens))


def _next_token(text: str, start: int, tokens: list[Token]) -> int:
    """Append the token at a position, if it has one that counts, and return where it ends."""
    if text[start] == " ":
        return start + 1
    if _may_be_end(tokens) and (sign := _RANGE.match(text, start)):
        tokens.append(Range("-" if sign["style"] == "-" else "to"))
        return start + len(sign["style"])
    may_start = text[start] in _QUANTITY_STARTS
    read = (may_start and _match_quantity(text, start)) or _match_word(text, start)
    if read:
        tokens.extend(read[0])
        return read[1]
    if text[start] == "&":
        tokens.append(Word("and"))
    elif text.startswith((">=", "<="), start):
        tokens.append(Mark(text[start : start + 2]))
        return start + 2
    elif text[start] not in _UNSEEN and not text.startswith("**", start):
        tokens.append(Mark(text[start]))
    return start + (2 if text.startswith("**", start) else 1)


def _may_be_end(tokens: list[Token]) -> bool:
    """Whether what stands before is a quantity, or one with its unit, so that a range may go on."""
    if not tokens:
        return False
    last = tokens[-1]
    has_unit = isinstance(last, Word) and len(tokens) > 1 and unit_name(last.text) in MEASURES
    return isinstance(tokens[-2] if has_unit else last, Number | Date | Clock)


def _match_quantity(text: str, start: int) -> tuple[list[Token], int] | None:
    found = match_date(text, start) or match_clock(text, start) or _match_number(text, start)
    return ([found[0]], found[1]) if found else None


def _match_number(text: str, start: int) -> tuple[Number, int] | None:
    if start and text[start] in "-+" and (text[start - 1].isalnum() or text[start - 1] in "_)%"):
        return None  # a hyphen within a code, or a trailing plus
    found = _NUMBER.match(text, start)
    if found is None or found.end() - start > LONGEST_NUMBER:
        return None
    return _number(found), found.end()


def _number(found: re.Match[str]) -> Number:
    digits = found["digits"].replace(",", "")
    power = int((found["exponent"] or "e0")[1:])
    scale = _SCALES[found["scale"].strip()] if found["scale"] else 0
    negative = (found["lead"] == "-") != (found["sign"] == "-")
    value = Decimal(("-" if negative else "") + digits + f"e{power + scale}")
    decimals = len(digits.partition(".")[2])
    return Number(
        value=value,
        decimals=decimals,
        unit=Decimal(1).scaleb(power + scale - decimals),
        is_percent=found["percent"] is not None,
        currency=_currency(found["before"] or found["after"] or ""),
        scale=_SCALE_NAMES[scale] if scale else "",
        has_exponent=found["exponent"] is not None,
        has_thousands="," in found["digits"],
        style="".join((found[name] or "").strip() for name in ("before", "scale", "percent", "after")),
    )


def _currency(written: str) -> str:
    written = written.strip()
    return _CURRENCIES.get(written) or _CURRENCY_WORDS.get(written[:2], "")


def _match_word(text: str, start: int) -> tuple[list[Token], int] | None:
    found = _WORD.match(text, start)
    if found is None:
        return None
    word = found[0]
    if (attached := _ATTACHED.fullmatch(word)) and attached["unit"] in ATTACHED_UNITS:
        number = _match_number(attached["number"], 0)
        return ([number[0], Word(attached["unit"])], found.end()) if number else None
    # `right-skewed` and `right skewed` are the same; in `tv-14` the hyphen belongs to the code.
    parts = word.split("-") if not any(map(str.isdigit, word)) else [word]
    return [Word(part.replace(".", "") if _is_initials(part) else part) for part in parts if part], found.end()


def _is_initials(word: str) -> bool:
    return "." in word and all(len(letter) == 1 for letter in word.split("."))
