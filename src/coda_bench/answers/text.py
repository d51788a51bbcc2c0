"""One spelling for texts that a reader takes for the same: Unicode forms, dashes, quotes, case, white space."""

import re
import unicodedata
from functools import lru_cache

_NO_BREAK_GROUPS = re.compile(r"(?<=[0-9])[\u00a0\u2007\u2009\u202f\u2019'](?=[0-9]{3}(?![0-9]))")
_APOSTROPHE_GROUPS = re.compile(r"(?<=[0-9])'(?=[0-9]{3}(?![0-9]))")
_LONGEST_REMEMBERED = 1_000
_LATEX_ESCAPE = re.compile(r"\\([%$&#_{}])")
_SEASON = re.compile(r"(?<![0-9/])([0-9]{4})/([0-9]{2})(?![0-9/])")

_SUPERSCRIPTS = {ord(sign): f"^{digit}" for digit, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
_ONE_SPELLING: dict[int, str | None] = {
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"), "-"),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u0060\u00b4"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033"), '"'),
    **dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"), None),
    ord("\u2264"): "<=",
    ord("\u2265"): ">=",
}


def canonical(text: str, *, keep_case: bool = False) -> str:
    """Return the spelling in which texts are compared.

    NFKC, dashes and minus signs as `-`, straight quotes, no LaTeX escapes, no zero-width characters,
    no-break and thin spaces between groups of three digits as `,`, `2013/14` as `2013/2014`, case
    folded, white space collapsed. Superscripts become `^2`, not digits of the number before them.
    """
    return _short_canonical(text, keep_case) if len(text) <= _LONGEST_REMEMBERED else _canonical(text, keep_case)


def _canonical(text: str, keep_case: bool) -> str:
    if text.isascii():
        text = _APOSTROPHE_GROUPS.sub(",", text) if "'" in text else text
    else:
        text = _NO_BREAK_GROUPS.sub(",", text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_SUPERSCRIPTS))
    text = text.replace("`", "'") if text.isascii() else text.translate(_ONE_SPELLING)
    if "\\" in text:
        text = _LATEX_ESCAPE.sub(r"\1", text)
    text = " ".join(text.split())
    text = text if keep_case else text.casefold()
    return _SEASON.sub(_whole_season, text) if "/" in text else text


_short_canonical = lru_cache(maxsize=1 << 14)(_canonical)


def _whole_season(found: re.Match[str]) -> str:
    following = int(found[1]) + 1
    return f"{found[1]}/{following}" if following % 100 == int(found[2]) else found[0]


_ALIASES = {
    "usa": ("us", "u s", "u s a", "united states", "united states of america"),
    "uk": ("united kingdom", "united kingdom of great britain and northern ireland"),
    "uae": ("united arab emirates",),
    "south korea": ("korea south", "republic of korea", "korea republic of"),
    "north korea": ("korea north", "democratic people s republic of korea"),
    "russia": ("russian federation",),
    "czechia": ("czech republic",),
    "vietnam": ("viet nam",),
    "iran": ("iran islamic republic of", "islamic republic of iran"),
    "ivory coast": ("cote d ivoire", "côte d ivoire"),
    "turkey": ("turkiye", "türkiye"),
    "netherlands": (),
    "philippines": (),
    "bahamas": (),
    "gambia": (),
}
"""Names of countries by the one they are compared by; each may also come with `the` before it."""
_CANONICAL_NAME = {
    spelling: name
    for name, aliases in _ALIASES.items()
    for alias in (name, *aliases)
    for spelling in (alias, f"the {alias}")
}


def without_accents(text: str) -> str:
    """Return a canonical text without the marks on its letters: `são` becomes `sao`."""
    if text.isascii():
        return text
    return "".join(letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter))


def canonical_name(words: str) -> str:
    """Return one name for the few countries that data sets name in several ways; other words as they are."""
    return _CANONICAL_NAME.get(words, words)
