"""Tokens: an answer's field as words, marks, numbers with their decorations, dates and range signs.

Everything else in this package compares tokens; nothing evaluates what an agent wrote. All patterns
are bounded or possessive, so that no input makes them slow.
"""

import re
from decimal import Decimal
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from coda_bench.answers.dates import MONTH, Date, match_date
from coda_bench.answers.text import canonical_name

LONGEST_NUMBER = 400
"""Characters; longer digit strings are read as words."""


class Number(NamedTuple):
    """A number with everything written on it."""

    value: Decimal
    """Scaled: `1.5k` is 1500."""
    decimals: int
    """Digits after the point, as written."""
    unit: Decimal
    """Worth of one unit of the last digit written."""
    is_percent: bool = False
    currency: str = ""
    scale: str = ""
    has_exponent: bool = False
    has_thousands: bool = False
    style: str = ""
    """Currency, suffix and percent sign as written, such as `$k`; matters for the form, not for equality."""

    @property
    def is_integer(self) -> bool:
        """Whether it was written as a plain integer."""
        return not (self.decimals or self.scale or self.has_exponent)


class Word(NamedTuple):
    """A word, or a code such as `tv-14` whose digits are no number."""

    text: str


class Mark(NamedTuple):
    """A punctuation mark or symbol."""

    text: str


class Range(NamedTuple):
    """The sign between two ends of a range."""

    style: str
    """`-` or `to`; matters for the form, not for equality."""


Token = Number | Date | Word | Mark | Range

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
_RANGE = re.compile(rf"(?P<style>-|to\b|until\b|through\b)\s*(?=[-+]?[$€£¥₹]?[.0-9]|{MONTH})")

_SCALES = {"thousand": 3, "k": 3, "million": 6, "mn": 6, "m": 6, "billion": 9, "bn": 9, "b": 9, "trillion": 12}
_SCALE_NAMES = {3: "thousand", 6: "million", 9: "billion", 12: "trillion"}
_CURRENCIES = {"$": "usd", "us$": "usd", "€": "eur", "£": "gbp", "₹": "inr", "¥": "jpy"}
_CURRENCY_WORDS = {"us": "usd", "do": "usd", "eu": "eur", "gb": "gbp", "in": "inr", "ru": "inr"}
# Digits, signs and currencies, and the first letters of months and of currency codes: all else cannot be a quantity.
_QUANTITY_STARTS = frozenset("0123456789.+-$€£¥₹jfmasonduegi")
_UNSEEN = frozenset("\"'.")
_UNIT_NAMES = {
    name: names.split()[0]
    for names in (
        "hours hour hrs hr",
        "minutes minute mins min",
        "seconds second secs sec",
        "years year yrs yr",
        "months month",
        "weeks week",
        "days day",
    )
    for name in names.split()
}


@lru_cache(maxsize=1 << 14)
def tokenise(text: str) -> tuple[Token, ...]:
    """Cut a canonical text into tokens; equal texts give equal tokens."""
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        position = _next_token(text, position, tokens)
    return tuple(_named(tokens))


def _next_token(text: str, start: int, tokens: list[Token]) -> int:
    """Append the token at a position, if it has one that counts, and return where it ends."""
    previous = tokens[-1] if tokens else None
    if text[start] == " ":
        return start + 1
    if isinstance(previous, Number | Date) and (sign := _RANGE.match(text, start)):
        tokens.append(Range("-" if sign["style"] == "-" else "to"))
        return start + len(sign["style"])
    may_start = text[start] in _QUANTITY_STARTS
    read = (may_start and (match_date(text, start) or _match_number(text, start))) or _match_word(text, start, previous)
    if read:
        tokens.extend(read[0] if isinstance(read[0], list) else [read[0]])
        return read[1]
    if text[start] == "&":
        tokens.append(Word("and"))
    elif text[start] not in _UNSEEN and not text.startswith("**", start):
        tokens.append(Mark(text[start]))
    return start + (2 if text.startswith("**", start) else 1)


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


def _match_word(text: str, start: int, previous: Token | None) -> tuple[list[Token], int] | None:
    found = _WORD.match(text, start)
    if found is None:
        return None
    word = found[0]
    if isinstance(previous, Number):
        word = _UNIT_NAMES.get(word, word)
    # `right-skewed` and `right skewed` are the same; in `tv-14` the hyphen belongs to the code.
    parts = word.split("-") if not any(map(str.isdigit, word)) else [word]
    return [Word(part.replace(".", "") if _is_initials(part) else part) for part in parts if part], found.end()


def _is_initials(word: str) -> bool:
    return "." in word and all(len(letter) == 1 for letter in word.split("."))


def _named(tokens: list[Token]) -> list[Token]:
    """Replace runs of words that name a country by its one name."""
    result: list[Token] = []
    for _, group in groupby(tokens, key=lambda token: isinstance(token, Word)):
        run = list(group)
        words = [token.text for token in run if isinstance(token, Word)]
        result.extend(_one_name(words) if words else run)
    return result


def _one_name(words: list[str]) -> list[Token]:
    joined = " ".join(words).replace("'", " ")
    name = canonical_name(joined)
    return [Word(word) for word in (words if name == joined else name.split())]
