"""Lists, tuples and dictionaries as Python and JSON print them, read flat and never evaluated."""

import json
import re
from typing import NamedTuple

_LONGEST = 20_000
_TOKEN = re.compile(
    r"\s*(?:(?P<open>(?:np\.|numpy\.|pd\.)?(?:float(?:16|32|64)?|u?int(?:8|16|32|64)?|str_?|Decimal|Timestamp)?\(|[\[{])"
    r"|(?P<close>[\])}])|(?P<comma>,)|(?P<colon>:)"
    r"|'(?P<single>(?:[^'\\\n]|\\.)*+)'|\"(?P<double>(?:[^\"\\\n]|\\.)*+)\""
    r"|(?P<number>[-+]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]++)?+%?)|(?P<word>true|false|None|True|False|null))"
)
_ESCAPE = re.compile(r"\\(.)")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_MIDNIGHT = re.compile(r"[ T]00:00:00(?:\.0+)?$")


class Literal(NamedTuple):
    """What a printed list, tuple or dictionary holds."""

    items: tuple[str, ...]
    """Texts and numbers as written, in order; keys before their values."""
    keys: int
    """Number of keys; either none or every second item is one."""
    is_one_object: bool
    """Whether it is a single dictionary."""


def flat_literal(text: str) -> Literal | None:
    """Read a printed list, tuple, dictionary or numpy number; None for anything else.

    Time and memory grow with the length, nesting costs nothing; texts of more than 20,000 characters are none.
    """
    text = text.strip()
    if len(text) > _LONGEST or not text or text[-1] not in ")]}":
        return None
    items: list[str] = []
    keys: list[int] = []
    stack: list[str] = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or not (stack or found["open"]) or not _take(found, items, keys, stack):
            return None
        at = found.end()
    if stack or not items or (keys and keys != list(range(0, len(items), 2))):
        return None
    return Literal(tuple(items), len(keys), text.startswith("{") and text.count("{") == 1)


def _take(found: re.Match[str], items: list[str], keys: list[int], stack: list[str]) -> bool:
    """Take one token; False when it cannot stand here."""
    if found["open"]:
        stack.append(_CLOSING[found["open"][-1]])
    elif found["close"]:
        return bool(stack) and stack.pop() == found["close"]
    elif found["colon"]:
        keys.append(len(items) - 1)
        return bool(items) and stack[-1] == "}"
    elif found["number"] or found["word"]:
        items.append(found["number"] or found["word"])
    elif not found["comma"]:
        items.append(_MIDNIGHT.sub("", _unquoted(found)))
    return True


def _unquoted(found: re.Match[str]) -> str:
    """Return what a quoted text says: JSON's escapes in double quotes, else the letter after each backslash."""
    if found["single"] is not None:
        return _ESCAPE.sub(r"\1", found["single"])
    try:
        return str(json.loads(f'"{found["double"]}"'))
    except ValueError:
        return _ESCAPE.sub(r"\1", found["double"])
