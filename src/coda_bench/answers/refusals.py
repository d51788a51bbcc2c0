"""Answers that decline to answer, and golds that no answer could meet."""

import re

_ABSTENTION = re.compile(
    r"(?:n/?a|not (?:applicable|available|answerable|found|possible)|none|null|nil|nan|undefined|unknown|unanswerable"
    r"|no answer.{0,60}|[-+]?inf(?:inity)?|\(?no response\b.{0,60}"
    r"|(?:i am |i'm )?sorry\b.{0,300}|i (?:do not|don't|cannot|can't|could not|couldn't|am unable|was unable)\b.{0,300}"
    r"|(?:unable|failed) to\b.{0,300}|(?:the )?(?:answer|question|data) (?:cannot|can't|could not|is not)\b.{0,300}"
    r"|cannot (?:be )?(?:determine|answer)\b.{0,300}|insufficient (?:data|information)\b.{0,300})\W{0,3}",
    re.DOTALL,
)
_NO_VALUE = frozenset({"", "nan", "null", "inf", "+inf", "-inf", "infinity", "-infinity", "undefined"})


def is_abstention(canonical_text: str) -> bool:
    """Whether a canonical text declines to answer: blank, `Not Applicable`, a refusal, a stand-in such as NaN."""
    return not canonical_text.strip("\"'*") or _ABSTENTION.fullmatch(canonical_text) is not None


def has_no_value(canonical_text: str) -> bool:
    """Whether a gold could never be met: nothing equals a blank, NaN, null or an infinity."""
    return canonical_text in _NO_VALUE
