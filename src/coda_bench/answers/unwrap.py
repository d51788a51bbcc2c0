"""What an answer may come wrapped in: a label, quotes, Markdown, a code fence, JSON, a list as Python prints it.

Only a wrapper round the whole answer is taken off; an answer is never searched for inside prose.
"""

import json
import re
from collections.abc import Iterator

_FENCE = re.compile(r"```[a-zA-Z]*[ \t]*\n?(?P<inside>[^`]*?)\n?[ \t]*```")
LABEL = re.compile(
    r"(?:\*\*|__)?(?:(?:so|thus|therefore|hence),?\s+)?(?:(?:the|my|our)\s+)?(?:final\s+)?(?:answer|result)"
    r"(?:\*\*|__)?\s*(?:is|are|:|=)\s*:?(?:\*\*|__)?\s+",
    re.IGNORECASE,
)
_PAIRS = (
    ("**", "**"),
    ("__", "__"),
    ("`", "`"),
    ('"', '"'),
    ("'", "'"),
    ("“", "”"),
    ("(", ")"),
    ("$", "$"),
)
_BOXED = re.compile(r"\\boxed\{(?P<inside>[^{}]*)\}")
_HEADING = re.compile(r"#{1,6}\s+")
_TAG = re.compile(r"<(?P<name>answer|final_answer|result)>(?P<inside>[^<>]*)</(?P=name)>", re.IGNORECASE)
# A hyphen before a digit may be a minus sign.
_BULLET = re.compile(r"(?P<bullet>[*•]|-(?!\s*[$€£]?[0-9.])|[0-9]{1,2}[.)])\s+")
_KEYS = frozenset({"answer", "final_answer", "result", "prediction", "value", "final answer"})
_DEEPEST = 6


def unwrapped(text: str) -> Iterator[str]:
    """Yield an answer as written, then with one wrapper after the other taken off."""
    text = text.strip()
    yield text
    for _ in range(_DEEPEST):
        inside = _without_wrapper(text)
        if inside is None:
            return
        text = inside.strip()
        yield text


def _without_wrapper(text: str) -> str | None:
    for pattern in (_FENCE, _BOXED, _TAG):
        if found := pattern.fullmatch(text):
            return found["inside"]
    if (inside := _from_json(text)) is not None:
        return inside
    if (inside := _without_pair(text)) is not None:
        return inside
    found = LABEL.match(text) or _HEADING.match(text)
    return text[found.end() :] if found else None


def _without_pair(text: str) -> str | None:
    body = text.removesuffix(".")
    for opening, closing in _PAIRS:
        inside = body[len(opening) : -len(closing)]
        is_wrapped = body.startswith(opening) and body.endswith(closing) and len(body) > len(opening + closing)
        if is_wrapped and opening not in inside and closing not in inside:
            return inside
    return None


def _from_json(text: str) -> str | None:
    """Return what a JSON string, an array of strings and numbers, or an object with an answer alone says.

    Numbers stay as written: their decimals matter.
    """
    if text[:1] not in {'"', "{", "["}:
        return None
    try:
        value = json.loads(text, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict) and len(value) == 1:
        key, value = next(iter(value.items()))
        if key.lower() not in _KEYS:
            return None
    parts = value if isinstance(value, list) else [value]
    return "; ".join(parts) if parts and all(isinstance(part, str) for part in parts) else None


def list_lines(text: str) -> list[str]:
    """Return the lines of a list, without the bullets or numbers that every one of them has."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found = [_BULLET.match(line) for line in lines]
    if len({match["bullet"][-1] for match in found if match}) != 1 or None in found:
        return lines
    return [line[match.end() :] for line, match in zip(lines, found, strict=True) if match]
