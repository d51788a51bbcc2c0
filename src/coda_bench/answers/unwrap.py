"""What an answer may come wrapped in: a label, quotes, Markdown, a code fence, JSON, a list as Python prints it.

Only a wrapper round the whole answer is taken off; an answer is never searched for inside prose.
"""

import json
import re
from collections.abc import Iterator

_FENCE = re.compile(r"```[a-zA-Z]*[ \t]*\n?(?P<inside>[^`]*?)\n?[ \t]*```")
_LABEL = re.compile(
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
# A hyphen before a digit may be a minus sign.
_BULLET = re.compile(r"(?P<bullet>[*•]|-(?!\s*[$€£]?[0-9.])|[0-9]{1,2}[.)])\s+")
_ITEM = r"(?:'[^'\\]*+'|\"[^\"\\]*+\"|[-+]?[0-9][0-9.]*+(?:e[-+]?[0-9]++)?+)"
_PYTHON_LIST = re.compile(rf"[\[(]\s*+{_ITEM}(?:\s*+,\s*+{_ITEM})*+\s*+[\])]")
_PYTHON_ITEM = re.compile(_ITEM)
_KEYS = frozenset({"answer", "final_answer", "result", "prediction", "value", "final answer"})
_DEEPEST = 6

_ABSTENTION = re.compile(
    r"(?:n/?a|not (?:applicable|available|answerable|found|possible)|none|null|nil|nan|undefined|unknown|unanswerable"
    r"|no answer.{0,60}|[-+]?inf(?:inity)?|\(?no response\b.{0,60}"
    r"|(?:i am |i'm )?sorry\b.{0,300}|i (?:do not|don't|cannot|can't|could not|couldn't|am unable|was unable)\b.{0,300}"
    r"|(?:unable|failed) to\b.{0,300}|(?:the )?(?:answer|question|data) (?:cannot|can't|could not|is not)\b.{0,300}"
    r"|cannot (?:be )?(?:determine|answer)\b.{0,300}|insufficient (?:data|information)\b.{0,300})\W{0,3}",
    re.DOTALL,
)
_NO_VALUE = frozenset({"", "nan", "null", "inf", "+inf", "-inf", "infinity", "-infinity", "undefined"})


def readings(text: str) -> Iterator[str]:
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
    for pattern in (_FENCE, _BOXED):
        if found := pattern.fullmatch(text):
            return found["inside"]
    if (inside := _from_json(text)) is not None:
        return inside
    # Without a quote, `(1,200, 3)` may have a thousands separator.
    if "'" in text and _PYTHON_LIST.fullmatch(text):
        return "; ".join(item.strip("'\"") for item in _PYTHON_ITEM.findall(text))
    if (inside := _without_pair(text)) is not None:
        return inside
    found = _LABEL.match(text)
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


def is_abstention(canonical_text: str) -> bool:
    """Whether a canonical text declines to answer: blank, `Not Applicable`, a refusal, a stand-in such as NaN."""
    return not canonical_text or _ABSTENTION.fullmatch(canonical_text) is not None


def has_no_value(canonical_text: str) -> bool:
    """Whether a gold could never be met: nothing equals a blank, NaN, null or an infinity."""
    return canonical_text in _NO_VALUE
