"""Words of questions, file names and columns, made comparable."""

import re

STOP_WORDS = frozenset(
    """a above according across after all also among an and any are as at average be been before being below
    between both but by calculate column compute consider count data dataset day decimal did distinct do does
    each every exactly file find first following for from given greater had has have highest how if in include
    including into is it its least less lowest many maximum mean median minimum missing more most much name no
    not number of on one only or other out over per percent percentage place places proportion recorded record
    records ratio report round rounded row rows same share should smallest largest sum table than that the their
    then there these this those to total two unique use used using value values was were what when where which
    who whole with within without""".split()  # a list of words reads better as text
)


def words(text: str) -> list[str]:
    """Split text, snake_case and camelCase into lower-case word stems, in order."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return [stem(word) for word in re.findall(r"[a-z]+|\d+", spaced.lower())]


def content_words(text: str) -> list[str]:
    """Return the stems of a text that say something about its subject."""
    raw = re.findall(r"[a-z]+|\d+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text).lower())
    return [stem(word) for word in raw if word not in STOP_WORDS and len(word) > 1]


def stem(word: str) -> str:
    """Cut the commonest English endings, so that plurals and tenses meet."""
    for ending, shortest in (("ies", 5), ("ing", 6), ("ed", 5), ("es", 5), ("s", 4)):
        if word.endswith(ending) and len(word) >= shortest and not word.endswith("ss"):
            return word[: -len(ending)] + ("y" if ending == "ies" else "")
    return word


def alike(one: str, other: str) -> bool:
    """Whether two stems mean the same: equal, or one abbreviates the other by at least three letters."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return len(short) >= 3 and long.startswith(short) and not short.isdigit()  # noqa: PLR2004  # as said above


def match(column: str, asked: list[str]) -> float:
    """Return how well a column's name fits the words asked for: 0 to 1, the share of its own words found."""
    own = [word for word in words(column) if word]
    if not own or not asked:
        return 0.0
    found = [max((1.0 if a == word else 0.6 if alike(a, word) else 0.0) for a in asked) for word in own]
    return sum(found) / len(own)
