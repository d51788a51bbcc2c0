"""What a question asks for, read from its wording."""

import re
from typing import NamedTuple

from .wording import content_words

_OPERATIONS = (
    ("distinct", r"\b(distinct|unique)\b|\bhow many different\b|\bnumber of different\b"),
    ("share", r"\b(share|percentage|percent|proportion|fraction)\b"),
    ("median", r"\bmedian\b"),
    ("mean", r"\b(average|mean)\b"),
    ("sum", r"\b(sum|combined|altogether|in total)\b|\btotal (?!number)"),
    ("max", r"\b(maximum|highest|largest|greatest|biggest|longest|heaviest|tallest|oldest|latest|(?<!at )most)\b"),
    ("min", r"\b(minimum|lowest|smallest|(?<!at )least|shortest|lightest|youngest|earliest|fewest)\b"),
    ("count", r"\b(how many|number of|count)\b"),
)
_COMPARISONS = (
    (">=", r"at least|no less than|not less than|or more"),
    ("<=", r"at most|no more than|not more than|up to"),
    (">", r"above|over|more than|greater than|higher than|exceed(?:s|ing)?|older than|longer than|heavier than|after"),
    ("<", r"below|under|less than|fewer than|lower than|younger than|shorter than|lighter than|before"),
)
_NUMBER_WORDS = {"zero": 0, "no": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


_NUMBER = r"\$?(-?\d[\d,]*(?:\.\d+)?)"
_TRAILING = ((">=", r"or (?:more|above|over|higher|greater)"), ("<=", r"or (?:less|fewer|below|under|lower)"))
_CONTEXT_WORDS = 4


class Comparison(NamedTuple):
    """A condition such as `over 40`, with the words around it, which name the column, the nearest first."""

    sign: str
    number: float
    context: list[str]


class Asked(NamedTuple):
    """A question, taken apart."""

    operations: list[str]
    """In order of first mention."""
    subject: list[str]
    """Content words after the operation's word, nearest first: they name the column."""
    words: list[str]
    wants_label: bool
    """Asks which thing, not how much."""
    comparisons: list[Comparison]


class Form(NamedTuple):
    """How the guideline wants a number written."""

    decimals: int | None
    percent: bool


def read_question(question: str) -> Asked:
    """Take a question apart."""
    text = " ".join(question.lower().split())
    found = sorted(
        (match.start(), match.end(), name)
        for name, pattern in _OPERATIONS
        if (match := re.search(pattern, text)) is not None
    )
    if any(name == "distinct" for _, _, name in found):
        found = [item for item in found if item[2] != "count"]  # `how many distinct x`
    subject = content_words(text[found[0][1] :]) if found else content_words(text)
    label = bool(re.search(r"\b(which|who|what is the name|name of the|in what|in which)\b", text))
    return Asked([name for _, _, name in found], subject, content_words(text), label, _comparisons(text))


def _comparisons(text: str) -> list[Comparison]:
    patterns = [(sign, rf"\b(?:{words})\s+{_NUMBER}") for sign, words in _COMPARISONS]
    patterns += [(sign, rf"{_NUMBER}\s+{words}") for sign, words in _TRAILING]
    patterns.append(("==", rf"\b(?:equal to|equals|=)\s*{_NUMBER}"))
    return [
        Comparison(sign, float(match[1].replace(",", "")), _context(text, match))
        for sign, pattern in patterns
        for match in re.finditer(pattern, text)
    ]


def _context(text: str, match: re.Match[str]) -> list[str]:
    """Return the words next to a condition: `at least 100 reviews` names its column after the number."""
    before = content_words(text[: match.start()])[-_CONTEXT_WORDS:][::-1]
    after = content_words(re.split(r"[,;.?]| and ", text[match.end() :])[0])[:2]
    return after + before


def read_guideline(guideline: str) -> Form:
    """Read from a guideline how numbers are to be written."""
    text = guideline.lower()
    without = re.search(r"(without|no|omit|do not (?:include|add|write))[^.;]{0,30}(percent|%)", text)
    percent = ("%" in text or "percent sign" in text) and not without
    spelled = "|".join([r"\d+", *_NUMBER_WORDS])
    decimals = re.search(rf"\b({spelled})\s+(?:decimal|digits? after)", text)
    if decimals:
        word = decimals[1]
        return Form(int(word) if word.isdigit() else _NUMBER_WORDS[word], percent)
    whole = re.search(r"\b(integer|whole number|whole percent)\b", text)
    return Form(0 if whole else None, percent)


def write_number(value: float, form: Form) -> str:
    """Write a number as the guideline asks; without a rule, whole numbers whole and others with two decimals."""
    decimals = form.decimals if form.decimals is not None else 0 if float(value).is_integer() else 2
    return f"{value:.{decimals}f}" + ("%" if form.percent else "")
