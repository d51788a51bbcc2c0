"""The rules of a guideline that hold for a whole answer, read by fixed patterns; each is looked for on first use."""

import re
from dataclasses import dataclass
from functools import cached_property

from coda_bench.answers.phrases import unit_name
from coda_bench.answers.text import canonical

_ORDER = re.compile(
    r"\border(?:ed|ing)?\b|ascending|descending|\bsorted\b|alphabetic|chronologic|\bfirst\b|\bsecond\b|\bthen\b"
    r"|followed by|respectively|\bhighest\b|\blowest\b|\bmost\b|\bleast\b|\bmax|\bmin|\branked\b|\btop\b|\bbottom\b"
    r"|corresponds?|\bbest\b|\bworst\b|\blargest\b|\bsmallest\b|\bnewest\b|\boldest\b|\bprimary\b"
)
_ORDER_IN_QUESTION = re.compile(
    r"\border(?:ed)?\b|respectively|\branked\b|\bfrom .{0,40} to \b|\bthen\b|\bfirst\b|highest.*lowest|most.*least"
)
_ANY_ORDER = re.compile(
    r"(?:in )?any order|order (?:does not|doesn't|is not|need not) \w+|regardless of order|unordered"
)
_RANKED = re.compile(r"ascending|descending|highest|lowest|\branked\b|\btop\b|\bmost\b|\bfewest\b|largest|smallest")
_NOT_BY_VALUE = re.compile(r"alphabetic|chronologic|by name|in the order")
_LIST = re.compile(r"\b(?:list|provide|name|give)\b(?! of)")
_THOUSANDS = r"(?:thousands?[- ]separators?|commas?\b(?! and)|comma[- ](?:separators?|separated thousands))"
_NEEDS_THOUSANDS = re.compile(
    rf"(?:with|include|including|using|formatted with|use|uses|has|have)\s(?:an?\s|the\s)?{_THOUSANDS}"
    r"|\b[0-9]{1,3},[0-9]{3}\b"
)
_FORBIDS_THOUSANDS = re.compile(rf"(?:without|no|not (?:use|include)|excluding|omit)\s(?:any\s|the\s|a\s)?{_THOUSANDS}")
_FREE_THOUSANDS = re.compile(r"with or without|both acceptable|are both|may be|optional")
_FIXES_DECIMALS = re.compile(r"\bround|decimal|\bexactly\b|\bx\.x|[0-9]\.[0-9]|truncat|precision of")
_FREE_DECIMALS = re.compile(
    r"trailing zeros? (?:may|can)|(?:not include|no|without|omit) trailing zeros?|full precision|as produced|scientific"
)
_PERCENT = re.compile(r"percent|%|\brate\b|\bshare\b|proportion")
_BLANK_AFTER_SEPARATOR = re.compile(
    r"semicolon (?:followed by|and|plus|with) (?:a |one )?(?:single )?space|'; '|\"; \""
)
_CASE = re.compile(r"case[- ]sensitive|title[- ]case|upper[- ]?case|lower[- ]?case|exact case|capital letter|all caps")
_WORD = re.compile(r"[^\W\d_]+")
_COUNTED = re.compile(r"(?:how many|number of|counts? of|amount of|total)\s+((?:[^\W\d_]+[\s-]+){0,4}[^\W\d_]+)")


@dataclass(frozen=True)
class Rules:
    """What the guideline says of the answer as a whole, as far as it can be read by rule."""

    guideline: str
    """Canonical."""
    question: str
    is_list_of_texts: bool
    n_fields: int = 1

    @cached_property
    def states_order(self) -> bool:
        """Whether it is said in what order things stand; without it, `A and B` may be `B and A`."""
        if _ANY_ORDER.search(self.guideline):
            return False
        is_stated = _ORDER.search(self.guideline) or _ORDER_IN_QUESTION.search(self.asked)
        return not self.guideline or is_stated is not None

    @cached_property
    def frees_order(self) -> bool:
        """Whether the guideline says that order does not matter."""
        return _ANY_ORDER.search(self.guideline) is not None

    @cached_property
    def ranks_by_value(self) -> bool:
        """Whether the parts of the answer stand in the order of their values, so that equal ones tie."""
        return _RANKED.search(self.guideline) is not None and not _NOT_BY_VALUE.search(self.guideline)

    @cached_property
    def fields_may_permute(self) -> bool:
        """Whether a list of like things is asked for, in no stated order."""
        if self.frees_order:
            return True
        return self.is_list_of_texts and not self.states_order and _LIST.search(self.guideline) is not None

    @cached_property
    def asked(self) -> str:
        """The question, canonical."""
        return canonical(self.question)

    @cached_property
    def speaks_of_percent(self) -> bool:
        """Whether a number without a sign may be a percentage."""
        return _PERCENT.search(self.guideline) is not None

    @cached_property
    def forbids_thousands(self) -> bool:
        """Whether thousands separators are forbidden."""
        return not self._frees_thousands and _FORBIDS_THOUSANDS.search(self.guideline) is not None

    @cached_property
    def needs_thousands(self) -> bool:
        """Whether thousands separators are asked for, where the gold has them."""
        is_free = self._frees_thousands or _FORBIDS_THOUSANDS.search(self.guideline)
        return not is_free and _NEEDS_THOUSANDS.search(self.guideline) is not None

    @cached_property
    def _frees_thousands(self) -> bool:
        return _FREE_THOUSANDS.search(self.guideline) is not None

    @cached_property
    def fixes_decimals(self) -> bool:
        """Whether the number of decimals is part of the form."""
        return bool(_FIXES_DECIMALS.search(self.guideline)) and not _FREE_DECIMALS.search(self.guideline)

    @cached_property
    def fixes_case(self) -> bool:
        """Whether upper and lower case are part of the form."""
        return _CASE.search(self.guideline) is not None

    @cached_property
    def needs_blank(self) -> bool:
        """Whether a blank must follow the separator."""
        return _BLANK_AFTER_SEPARATOR.search(self.guideline) is not None

    @property
    def allows_abbreviation(self) -> bool:
        """Whether `Name (Abbreviation)` may be given by either part."""
        return "or abbreviation" in self.guideline

    @cached_property
    def measures(self) -> frozenset[str]:
        """The units of measure that guideline or question name, in their one spelling."""
        return frozenset(unit_name(word) for word in self.words)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of guideline and question."""
        return frozenset({*_WORD.findall(self.guideline), *_WORD.findall(self.asked)})

    @cached_property
    def counted(self) -> frozenset[str]:
        """The words for what is counted, as in `how many unique states`: they may follow a single number."""
        found = [*_COUNTED.findall(self.asked), *_COUNTED.findall(self.guideline)]
        return frozenset(word for text in found for word in _WORD.findall(text))
