"""The numbers of a gold that stand for themselves, found without the code under test."""

import re
from collections.abc import Iterator
from typing import NamedTuple

# Not within a word or code (`TV-14`, `3DS`), a version (`4.0.3`), a date or a season (`2013/2014`).
_NUMBER = re.compile(
    r"(?<![\w./:#])(?P<sign>(?<![\w)%])-)?(?P<currency>\$)?(?P<digits>[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)"
    r"(?P<decimals>\.[0-9]+)?(?P<exponent>[eE][-+]?[0-9]+)?(?P<suffix>[KMB]\b)?(?P<percent>\s?%)?(?![\w:]|[./][0-9])"
)
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}")
_MONTH = re.compile(r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b", re.IGNORECASE)


class Found(NamedTuple):
    """One number of a gold."""

    start: int
    end: int
    sign: str
    currency: str
    digits: str
    """Without thousands separators."""
    decimals: str
    """With the point; empty for integers."""
    suffix: str
    percent: str
    has_commas: bool
    in_range: bool
    """It is an end of a range, whose hyphen is no sign."""

    def written(self, *, digits: str | None = None, decimals: str | None = None, sign: str | None = None) -> str:
        """Write the number with some of its parts replaced."""
        parts = (self.sign if sign is None else sign, self.currency, digits or self.digits)
        return "".join((*parts, self.decimals if decimals is None else decimals, self.suffix, self.percent))


def numbers(gold: str) -> Iterator[Found]:
    """Yield the numbers of a gold; those of dates, codes and scientific notation are left out."""
    dates = [(found.start(), found.end()) for found in _DATE.finditer(gold)]
    for found in _NUMBER.finditer(gold):
        if any(start <= found.start() < end for start, end in dates) or found["exponent"]:
            continue
        before, after = gold[: found.start()], gold[found.end() :]
        near = re.split(r"[;,:]", before)[-1] + re.split(r"[;,:]", after)[0]
        if _MONTH.search(near):
            continue
        in_range = bool(
            re.search(r"(?:[0-9%]\s*-|\bto|–)\s*\$?$", before) or re.match(r"\s?(?:-|–|to\b)\s?\$?[0-9]", after)
        )
        yield Found(
            found.start(),
            found.end(),
            found["sign"] or "",
            found["currency"] or "",
            found["digits"].replace(",", ""),
            found["decimals"] or "",
            found["suffix"] or "",
            found["percent"] or "",
            "," in found["digits"],
            in_range,
        )


def replaced(gold: str, found: Found, text: str) -> str:
    """Return the gold with one number replaced."""
    return gold[: found.start] + text + gold[found.end :]
