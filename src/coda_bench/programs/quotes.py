"""The strings in text that is not Python as it is today: what stands in quotes, and words of commands to a shell.

Every letter is looked at once, whatever the text: no pattern here can be made to try again and again.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_LEXEME = re.compile(r"#[^\n]*|\"\"\"|'''|[\"'\[\](){}]")
_CLOSING = {quote: re.compile(rf"\\.|{quote}", re.DOTALL) for quote in ('"""', "'''")} | {
    quote: re.compile(rf"\\.|\n|{quote}", re.DOTALL) for quote in ('"', "'")
}
_PREFIX = re.compile(r"[bBfFrRuU]{0,2}", re.ASCII)
_AROUND = 200
"""Letters looked at before and after a string."""
_SHELL = re.compile(r"\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<word>[^\s'\"=<>|&;()]+)|(?P<other>.)")


class Found(NamedTuple):
    """A string that code has, and the line it begins on."""

    line: int
    """From 1, in its cell."""
    text: str


def quoted(source: str) -> Iterator[Found]:
    """Yield what stands in quotes, but not in comments, nor as a statement of its own (a docstring, code put aside)."""
    place, depth, line, counted = 0, 0, 1, 0
    while lexeme := _LEXEME.search(source, place):
        place, mark = lexeme.end(), lexeme[0]
        if mark not in _CLOSING:
            depth = max(0, depth + (mark in "([{") - (mark in ")]}"))
            continue
        end = _closing(source, place, mark)
        closed = source.startswith(mark, end)
        line, counted = line + source.count("\n", counted, lexeme.start()), lexeme.start()
        stop = end + len(mark) if closed else end
        if closed and (depth or not _stands_alone(source, lexeme.start(), stop)):
            yield Found(line, source[place:end])
        place = stop


def _closing(source: str, place: int, quote: str) -> int:
    """Return where a string ends: at its quote, at the end of its line, or with the text."""
    for mark in _CLOSING[quote].finditer(source, place):
        if not mark[0].startswith("\\"):
            return mark.start()
    return len(source)


def _stands_alone(source: str, start: int, stop: int) -> bool:
    """Whether nothing but a prefix stands before a string on its line, and nothing but a comment after it."""
    before = source[max(0, start - _AROUND) : start].rpartition("\n")[2].strip()
    after = source[stop : stop + _AROUND].partition("\n")[0].strip()
    return bool(_PREFIX.fullmatch(before)) and (not after or after.startswith("#"))


def shell_words(text: str, first: int = 1) -> Iterator[Found]:
    """Yield the words of commands to a shell, line by line; what is in quotes is one word, comments are none."""
    for number, line in enumerate(text.splitlines(), first):
        for found in _SHELL.finditer(line):
            word = found["double"] or found["single"] or found["word"] or ""
            if found["word"] and word.startswith("#"):
                break
            if word:
                yield Found(number, word)
