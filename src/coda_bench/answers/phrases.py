"""Runs of tokens that say one thing in several ways: units, comparisons, ranges in words, names of countries."""

from collections.abc import Callable, Sequence
from itertools import groupby

from coda_bench.answers.dates import CALENDAR_WEEKDAYS, Date
from coda_bench.answers.quantities import Mark, Number, Range, Token, Word
from coda_bench.answers.text import canonical_name

_UNITS = {
    name: names.split()[0]
    for names in (
        "hours hour hrs hr h",
        "minutes minute mins min",
        "seconds second secs sec",
        "milliseconds millisecond ms",
        "years year yrs yr",
        "months month",
        "weeks week",
        "days day",
        "kilometers kilometer kilometres kilometre kms km",
        "meters meter metres metre",
        "centimeters centimeter centimetres centimetre cm",
        "millimeters millimeter millimetres millimetre mm",
        "miles mile mi",
        "kilograms kilogram kilos kgs kg",
        "grams gram g",
        "celsius",
        "fahrenheit",
        "points point pts",
    )
    for name in names.split()
}
"""Words after a number, by the one that stands for them."""

ATTACHED_UNITS = frozenset(("km kms kg kgs g cm mm ms h hr hrs min mins sec secs yr yrs mi pts").split())
"""Units that may follow their number without a blank."""

MEASURES = frozenset(_UNITS.values()) | frozenset(
    ("degrees dollars euros usd people persons times stars mph kwh gb mb tb kb").split()
)
"""Units of measure; a task that names one need not have it repeated in every answer."""

_COMPARISONS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("no", "less", "than"), ">="),
    (("no", "fewer", "than"), ">="),
    (("no", "more", "than"), "<="),
    (("at", "least"), ">="),
    (("at", "most"), "<="),
    (("up", "to"), "<="),
    (("more", "than"), ">"),
    (("greater", "than"), ">"),
    (("higher", "than"), ">"),
    (("above",), ">"),
    (("over",), ">"),
    (("less", "than"), "<"),
    (("fewer", "than"), "<"),
    (("lower", "than"), "<"),
    (("below",), "<"),
    (("under",), "<"),
)
_COMPARISON_STARTS = frozenset(words[0] for words, _ in _COMPARISONS)
_AND_MORE = (("or", "more"), ("and", "above"), ("and", "over"), ("and", "up"), ("and", "older"), ("plus",))
_DEGREES: dict[tuple[str, ...], str] = {
    ("degrees", "celsius"): "celsius",
    ("degree", "celsius"): "celsius",
    ("deg", "c"): "celsius",
    ("\u00b0", "c"): "celsius",
    ("degrees", "c"): "celsius",
    ("degrees", "fahrenheit"): "fahrenheit",
    ("\u00b0", "f"): "fahrenheit",
}


def unit_name(word: str) -> str:
    """Return the one spelling of a unit; other words as they are."""
    return _UNITS.get(word, word)


Rewrite = Callable[[Sequence[Token], int], tuple[list[Token], int] | None]


def one_spelling(tokens: list[Token]) -> list[Token]:
    """Return tokens with each phrase in its one spelling; tokens without numbers only have names to replace."""
    if any(isinstance(token, Date) for token in tokens):
        tokens = _rewritten(tokens, _weekday_of_date)
    if any(isinstance(token, Number) for token in tokens):
        for rewrite in (_minus, _unit, _comparison, _and_more, _between, _unit_of_both_ends):
            tokens = _rewritten(tokens, rewrite)
    return _named(tokens)


def _rewritten(tokens: list[Token], rewrite: Rewrite) -> list[Token]:
    result: list[Token] = []
    at = 0
    while at < len(tokens):
        found = rewrite(tokens, at)
        new, length = found or ([tokens[at]], 1)
        result += new
        at += length
    return result


def _texts(tokens: Sequence[Token], at: int, n: int) -> tuple[str, ...]:
    run = tokens[at : at + n]
    return tuple(token.text for token in run if isinstance(token, Word | Mark))


def _weekday_of_date(tokens: Sequence[Token], at: int) -> tuple[list[Token], int] | None:
    """Read `Thursday, March 19, 2020` as the date, if that day was a Thursday."""
    length = 3 if at + 1 < len(tokens) and tokens[at + 1] == Mark(",") else 2
    day = tokens[at + length - 1] if at + length <= len(tokens) else None
    name = tokens[at]
    if not isinstance(name, Word) or not isinstance(day, Date) or name.text not in CALENDAR_WEEKDAYS:
        return None
    return ([day], length) if day.weekday == name.text else None


def _unit(tokens: Sequence[Token], at: int) -> tuple[list[Token], int] | None:
    """Read the unit after a number."""
    if at == 0 or not isinstance(tokens[at - 1], Number):
        return None
    if name := _DEGREES.get(_texts(tokens, at, 2)):
        return [Word(name)], 2
    token = tokens[at]
    if isinstance(token, Word) and token.text in _UNITS:
        return [Word(_UNITS[token.text])], 1
    return None


def _comparison(tokens: Sequence[Token], at: int) -> tuple[list[Token], int] | None:
    first = tokens[at]
    if not isinstance(first, Word) or first.text not in _COMPARISON_STARTS:
        return None
    for words, sign in _COMPARISONS:
        end = at + len(words)
        if _texts(tokens, at, len(words)) == words and end < len(tokens) and isinstance(tokens[end], Number):
            return [Mark(sign)], len(words)
    return None


def _and_more(tokens: Sequence[Token], at: int) -> tuple[list[Token], int] | None:
    if at == 0 or not isinstance(tokens[at - 1], Number):
        return None
    words = next((words for words in _AND_MORE if _texts(tokens, at, len(words)) == words), None)
    return ([Mark("+")], len(words)) if words else None


def _minus(tokens: Sequence[Token], at: int) -> tuple[list[Token], int] | None:
    """Read `minus 5` and `negative 5` as `-5`."""
    number = tokens[at + 1] if at + 1 < len(tokens) else None
    is_sign = tokens[at] in {Word("minus"), Word("negative")} and (at == 0 or not isinstance(tokens[at - 1], Number))
    if not is_sign or not isinstance(number, Number) or number.value < 0:
        return None
    return [number._replace(value=-number.value)], 2


def _unit_of_both_ends(tokens: Sequence[Token], at: int) -> tuple[list[Token], int] | None:
    """Read `80 minutes - 125 minutes` as `80 - 125 minutes`."""
    kinds = [Number, Word, Range, Number, Word]
    run = tokens[at : at + len(kinds)]
    if len(run) < len(kinds) or not all(isinstance(token, kind) for token, kind in zip(run, kinds, strict=True)):
        return None
    return ([run[0], run[2], run[3], run[4]], len(kinds)) if run[1] == run[4] else None


def _between(tokens: Sequence[Token], at: int) -> tuple[list[Token], int] | None:
    """Read `between 20 and 30` and `from 20 to 30` as `20 to 30`."""
    kinds = [Word, Number, Word | Range, Number]
    run = tokens[at : at + len(kinds)]
    if len(run) < len(kinds) or not all(isinstance(token, kind) for token, kind in zip(run, kinds, strict=True)):
        return None
    opening, link = run[0], run[2]
    is_range = opening == Word("between") and link == Word("and")
    is_range = is_range or (opening == Word("from") and isinstance(link, Range))
    return ([run[1], Range("to"), run[3]], len(kinds)) if is_range else None


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
