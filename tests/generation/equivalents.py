"""Spellings of a gold that a careful person takes for the same answer."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator

from generation.numbers import numbers, replaced

YEARS = range(1800, 2101)
_FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")


def _every_number(gold: str, change: Callable[..., str | None]) -> str:
    for found in sorted(numbers(gold), reverse=True):
        text = change(found)
        if text is not None:
            gold = replaced(gold, found, text)
    return gold


def _commas_added(found) -> str | None:
    is_year = len(found.digits) == 4 and int(found.digits) in YEARS and not (found.decimals or found.currency)
    if is_year or found.has_commas or found.suffix or len(found.digits) < 4:
        return None
    return found.written(digits=f"{int(found.digits):,}")


def _zero_added(found) -> str | None:
    return found.written(decimals=f"{found.decimals}0") if found.decimals and not found.suffix else None


TRANSFORMS: dict[str, Callable[[str], str]] = {
    "no blank after separators": lambda gold: gold.replace("; ", ";"),
    "blanks round separators": lambda gold: gold.replace(";", " ;  "),
    "no-break blanks": lambda gold: gold.replace(" ", "\u00a0"),
    "en dashes": lambda gold: gold.replace("-", "\u2013"),
    "non-breaking hyphens": lambda gold: gold.replace("-", "\u2011"),
    "unicode minus": lambda gold: re.sub(r"(?<![\w)])-(?=[0-9.])", "\u2212", gold),
    "upper case": str.upper,
    "lower case": str.lower,
    "trailing zeros": lambda gold: _every_number(gold, _zero_added),
    "final full stop": lambda gold: f"{gold}.",
    "thousands separators removed": lambda gold: _every_number(
        gold, lambda found: found.written() if found.has_commas else None
    ),
    "thousands separators added": lambda gold: _every_number(gold, _commas_added),
    "full-width digits": lambda gold: gold.translate(_FULL_WIDTH),
    "code fence": lambda gold: f"```\n{gold}\n```",
    "named code fence": lambda gold: f"```text\n{gold}\n```",
    "label": lambda gold: f"Answer: {gold}",
    "bold label": lambda gold: f"**Answer:** {gold}",
    "sentence label": lambda gold: f"The answer is {gold}.",
    "double quotes": lambda gold: f'"{gold}"',
    "single quotes": lambda gold: f"'{gold}'",
    "typographic quotes": lambda gold: f"\u201c{gold}\u201d",
    "bold": lambda gold: f"**{gold}**",
    "JSON string": json.dumps,
    "JSON object": lambda gold: json.dumps({"answer": gold}),
    "decomposed letters": lambda gold: unicodedata.normalize("NFD", gold),
    "line end": lambda gold: f"\r\n  {gold}\r\n",
    "zero-width characters": "\u200b".join,
}


def equivalents(gold: str) -> Iterator[tuple[str, str]]:
    """Yield `(name of the transform, text)` for every transform that changes the gold's spelling."""
    for name, transform in TRANSFORMS.items():
        text = transform(gold)
        if text != gold:
            yield name, text
