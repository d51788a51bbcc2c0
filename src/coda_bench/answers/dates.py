"""Dates in answers: notations that name a day or month beyond doubt.

`03/04/2020` is read as text: which of the two is the month cannot be known; `19/03/2020` is a date.
"""

import re
from datetime import date
from typing import NamedTuple

_ABBREVIATIONS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NUMBER_OF = {name: number for number, name in enumerate(_ABBREVIATIONS, 1)}

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY = r"(?P<{0}>[0-9]{{1,2}})(?:st|nd|rd|th)?(?![0-9])"
_YEAR = r"(?P<{0}>[0-9]{{4}})(?![0-9])"

_NOTATIONS = {
    "iso": re.compile(
        r"(?P<year>[0-9]{4})(?P<mark>[-/])(?P<month>[0-9]{1,2})(?P=mark)(?P<day>[0-9]{1,2})(?![0-9])"
        r"(?:[t ]00:00(?::00(?:\.0+)?)?(?![0-9:]))?"
    ),
    "day first or month first": re.compile(
        r"(?P<one>[0-9]{1,2})(?P<mark>[-/.])(?P<other>[0-9]{1,2})(?P=mark)(?P<year>[0-9]{4})(?![0-9])"
    ),
    "year-month": re.compile(r"(?P<year>[0-9]{4})-(?P<month>0[1-9]|1[0-2])(?![0-9-])"),
    "month day, year": re.compile(rf"(?P<name>{MONTH})\s?{_DAY.format('day')},?\s{_YEAR.format('year')}"),
    "day month": re.compile(rf"{_DAY.format('day')}\s(?:of\s)?(?P<name>{MONTH})(?:,?\s{_YEAR.format('year')})?"),
    "month year": re.compile(rf"(?P<name>{MONTH})(?:,?\s|-){_YEAR.format('year')}"),
    "day-month-year": re.compile(rf"(?P<day>[0-9]{{1,2}})-(?P<name>{MONTH})-{_YEAR.format('year')}"),
    "month day": re.compile(rf"(?P<name>{MONTH})\s{_DAY.format('day')}"),
}


CALENDAR_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
CALENDAR_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_CLOCK = re.compile(
    r"(?P<hour>[0-9]{1,2})(?::(?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9]))?)?\s?(?P<half>[ap]\.?m\b\.?)?(?![\w:%])"
)
_HOURS = 24
_MONTHS = 12
_NOON = 12


class Clock(NamedTuple):
    """A time of day."""

    hour: int
    minute: int
    second: int
    notation: str
    """How it was written; matters for the form, not for equality."""

    def same_as(self, other: "Clock") -> bool:
        """Whether both name the same time."""
        return self[:3] == other[:3]


def match_clock(text: str, start: int) -> tuple[Clock, int] | None:
    """Read a time at a position of a canonical text, such as `14:05`, `2:05 pm` or `2 pm`; return it and its end."""
    found = _CLOCK.match(text, start)
    if found is None or not (found["minute"] or found["half"]):
        return None
    hour = int(found["hour"])
    if found["half"]:
        if not 1 <= hour <= _NOON:
            return None
        hour = hour % _NOON + (_NOON if found["half"].startswith("p") else 0)
    if hour >= _HOURS:
        return None
    notation = f"{'h' if not found['minute'] else 'hms' if found['second'] else 'hm'}{'12' if found['half'] else '24'}"
    return Clock(hour, int(found["minute"] or 0), int(found["second"] or 0), notation), found.end()


class Date(NamedTuple):
    """A day, a month, or a day without a year."""

    year: int | None
    month: int
    day: int | None
    notation: str
    """How it was written; matters for the form, not for equality."""

    def same_as(self, other: "Date") -> bool:
        """Whether both name the same day or month with the same parts given."""
        return self[:3] == other[:3]

    @property
    def weekday(self) -> str | None:
        """Name of the weekday of a full date that exists."""
        try:
            return CALENDAR_WEEKDAYS[date(self.year or 0, self.month, self.day or 0).weekday()]
        except ValueError:
            return None


def match_date(text: str, start: int) -> tuple[Date, int] | None:
    """Read a date at a position of a canonical text; return it and where it ends."""
    for notation, pattern in _NOTATIONS.items():
        found = pattern.match(text, start)
        if found:
            day = _date(found.groupdict(), notation)
            if day is not None:
                return day, found.end()
    return None


def _date(parts: dict[str, str | None], notation: str) -> Date | None:
    if parts.get("one"):
        parts = _day_and_month(int(parts["one"] or 0), int(parts["other"] or 0)) | {"year": parts["year"]}
    name, year, day = parts.get("name"), parts.get("year"), parts.get("day")
    month = _NUMBER_OF[name[:3]] if name else int(parts["month"] or 0)
    valid = 1 <= month <= 12 and (day is None or 1 <= int(day) <= 31)  # noqa: PLR2004 the calendar's numbers
    return Date(int(year) if year else None, month, int(day) if day else None, notation) if valid else None


def _day_and_month(one: int, other: int) -> dict[str, str | None]:
    """Tell day from month where only one of two numbers can be the month; month 0 is none."""
    if (one > _MONTHS) == (other > _MONTHS) and one != other:
        return {"month": "0"}
    day, month = (one, other) if one > _MONTHS else (other, one)
    return {"day": str(day), "month": str(month)}
