"""The shape that a guideline spells out: names of the fields, and the texts it lists to choose from."""

import re
from collections.abc import Iterator

_QUOTED = re.compile(r"'([^'\n]{1,300})'|\"([^\"\n]{1,300})\"|“([^”\n]{1,300})”")
_AFTER_FORMAT = re.compile(
    r"(?:format|order|form|as)\b(?:\s+(?:is|of|as|be))?\s*[:=]?\s*([^:.\n(][^\n]{0,400}?)(?:\.(?:\s|$)|\n|\(e\.g|$)"
)
_EXAMPLE = re.compile(r"(?:e\.g\.?,?|example:?|for instance,?|such as|like)\s*$")
_ENUMERATED = re.compile(r"(?<![\w.])\(?([1-9])[).]\s+([^;,.()0-9]{2,80})")
_IS_VALUE = re.compile(r"[-+$0-9.,\s]+(?:k|m|b)?")
_NOISE = re.compile(r"\([^()]*\)|[\[\]{}<>'\"`%]|\bin the format\b|^\s*(?:the|an?)\b|^-\s*")

_CHOICE_SEPARATOR = re.compile(r",?\s+(?:or|and)\s+|,\s*|/")
_QUOTED_CHOICE = re.compile(
    r"(?:'[^'\n]{1,80}'|\"[^\"\n]{1,80}\")(?:(?:,|,?\s+or|,?\s+and|\s*/)\s*(?:'[^'\n]{1,80}'|\"[^\"\n]{1,80}\"))+"
)
_LISTED_CHOICE = re.compile(
    r"(?:multiple choice:|one of:?|choose from:?|options?(?: are)?:|[(\[])\s*"
    r"([^()\[\];:.]{1,40}(?:,\s*[^()\[\];:.,]{1,40})*(?:,?\s+or\s+|,\s*|/)[^()\[\];:.,]{1,40})[)\].]"
)
_BARE_YES_NO = re.compile(r"\byes\s*(?:/|or)\s*no\b")
_INTERCHANGEABLE = re.compile(
    r"accept|interchangeabl|equivalent|either (?:one|form)|both (?:are|forms|count)|also valid"
)


def template_names(guideline: str, n_fields: int, separator: str) -> tuple[str, ...]:
    """Return what a canonical guideline calls each field, such as `("country", "count")`; empty if it does not.

    Read are a quoted or colon-introduced format with as many parts as the gold has, and a numbered list.
    """
    for text in _formats(guideline):
        names = tuple(_name(part) for part in text.strip("'\"` .").split(separator))
        if len(names) == n_fields and all(names) and not any(_IS_VALUE.fullmatch(name) for name in names):
            return names
    numbered = _ENUMERATED.findall(guideline)
    if n_fields > 1 and [number for number, _ in numbered] == [str(n) for n in range(1, n_fields + 1)]:
        return tuple(_name(text) for _, text in numbered)
    return ()


def stated_parts(guideline: str, separator: str) -> frozenset[int]:
    """Return the numbers of parts of the formats that a canonical guideline spells out, examples among them.

    Empty when none has two parts or more, or when one is open-ended.
    """
    if separator == ",":
        return frozenset()
    texts = [*(next(filter(None, found.groups())) for found in _QUOTED.finditer(guideline)), *_formats(guideline)]
    counts = {len(text.strip(f"{separator} .").split(separator)) for text in texts if separator in text}
    is_open = any(mark in guideline for mark in ("...", "…", "repeat", "etc", "and so on", "each"))
    return frozenset() if is_open else frozenset(counts)


def _formats(guideline: str) -> Iterator[str]:
    for found in _QUOTED.finditer(guideline):
        if not _EXAMPLE.search(guideline[: found.start()].rstrip("( ")):
            yield next(filter(None, found.groups()))
    for found in _AFTER_FORMAT.finditer(guideline):
        yield found[1]


def _name(part: str) -> str:
    label, colon, value = part.partition(":")
    text = label if colon and value.strip() else part
    return " ".join(_NOISE.sub(" ", text).replace("_", " ").split()).strip(" .:-")


def choices(guideline: str) -> list[tuple[str, ...]]:
    """Return the groups of texts that a canonical guideline lists to choose from."""
    groups = [
        tuple(next(filter(None, one.groups())) for one in _QUOTED.finditer(found[0]))
        for found in _QUOTED_CHOICE.finditer(guideline)
    ]
    groups += [
        tuple(part.strip(" '\"") for part in _CHOICE_SEPARATOR.split(found[1]))
        for found in _LISTED_CHOICE.finditer(guideline)
    ]
    if _BARE_YES_NO.search(guideline):
        groups.append(("yes", "no"))
    return [group for group in groups if len(group) > 1 and all(group)]


def interchangeable(guideline: str) -> list[tuple[str, ...]]:
    """Return the groups of texts of which a canonical guideline says that each is accepted for the other."""
    groups = []
    for found in _QUOTED_CHOICE.finditer(guideline):
        start = guideline.rfind(". ", 0, found.start()) + 1
        end = guideline.find(". ", found.end())
        sentence = guideline[start : end if end >= 0 else len(guideline)]
        if _INTERCHANGEABLE.search(sentence):
            groups.append(tuple(next(filter(None, one.groups())) for one in _QUOTED.finditer(found[0])))
    return groups
