"""The ways in which an answer may be read: its wrappers taken off, and cut into fields."""

import re
from collections.abc import Iterator

from coda_bench.answers.field import FieldSpec
from coda_bench.answers.literals import flat_literal
from coda_bench.answers.quantities import Token
from coda_bench.answers.spec import AnswerSpec, split_fields
from coda_bench.answers.text import canonical
from coda_bench.answers.tokens import tokenise
from coda_bench.answers.unwrap import list_lines, unwrapped

_DECIMAL_COMMA = re.compile(
    r"(?P<whole>[-+]?[$€£]?(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+)),(?P<decimals>[0-9]+)(?P<rest>\s?%?)"
)
_SPACED_THOUSANDS = re.compile(r"[-+]?[0-9]{1,3}(?: [0-9]{3})+(?:\.[0-9]+)?\s?%?")
_COMMA_AND = re.compile(r",\s+(?:and\s+|&\s*)?|\s+(?:and|&)\s+")
_OTHER_SEPARATORS = (re.compile(r"\s*\|\s*"), re.compile(r"\s+/\s+"), re.compile(r"\s*\t\s*"))
_PAIR_END = re.compile(r";|,\s+(?=[^\W\d])|\n")
_PAIR_SIGNS = (": ", " - ", " = ")
_FIELD_PAIRS = (("[", "]"), ("<", ">"), ("(", ")"), ("{", "}"))


def readings(prediction: str, spec: AnswerSpec) -> Iterator[str]:
    """Yield an answer as written, then with one wrapper after the other taken off."""
    del spec
    yield from unwrapped(prediction)


def splits(text: str, raw: str, spec: AnswerSpec) -> Iterator[list[str]]:
    """Yield the cuts of an answer into fields: at the separator, then in other ways where it has none.

    Args:
        text: the answer, canonical.
        raw: the answer as written.
        spec: a cut must have as many fields as the gold to be of use.
    """
    n_fields = len(spec.fields)
    yield split_fields(text, spec.separator)
    if spec.separator != ";" and ";" in text:
        yield split_fields(text)
    yield from _literal_splits(raw, spec)
    yield from _pair_splits(text, spec)
    if n_fields == 1 or (";" in text and spec.separator == ";"):
        return
    yield [canonical(line).rstrip(";,") for line in list_lines(raw)]
    lines = [line.strip() for line in raw.splitlines() if line.strip()]
    if n_fields > 1 and all(line.startswith("- ") for line in lines):
        yield [canonical(line[2:]).rstrip(";,") for line in lines]  # of a whole list the hyphens are bullets, no signs
    for pattern in _OTHER_SEPARATORS:
        if pattern.search(raw):
            yield [canonical(part) for part in pattern.split(raw.strip().strip("|"))]
    if not any("," in field.text for field in spec.fields):
        yield split_fields(text, ",")
        if not any(_COMMA_AND.search(field.text) for field in spec.fields):
            yield [part.strip() for part in _COMMA_AND.split(text)]


def _pair_splits(text: str, spec: AnswerSpec) -> Iterator[list[str]]:
    """Yield the cuts of pairs written as `India: 5`, `India - 5` or `India (5)` where each is two fields."""
    n_fields = len(spec.fields)
    if n_fields % 2 or any(mark in field.text for field in spec.fields for mark in (":", "(", " - ")):
        return
    is_one = n_fields == 2 and ";" not in text  # noqa: PLR2004 a pair
    pairs = [_pair(pair.strip()) for pair in ([text] if is_one else _PAIR_END.split(text)) if pair.strip()]
    if 2 * len(pairs) == n_fields and all(pairs):
        yield [part for pair in pairs for part in pair]


def _pair(text: str) -> tuple[str, ...]:
    """Cut `India: 5`, `India - 5`, `India = 5` or `India (5)` in two; empty when it is none of them."""
    if text.endswith(")") and text.count("(") == 1:
        name, _, value = text[:-1].partition("(")
        return name.strip(), value.strip()
    for sign in _PAIR_SIGNS:
        if text.count(sign) == 1:
            name, _, value = text.partition(sign)
            return name.strip(), value.strip()
    return ()


def _literal_splits(raw: str, spec: AnswerSpec) -> Iterator[list[str]]:
    """Yield the items of a list, tuple or dictionary as Python or JSON writes it."""
    literal = flat_literal(raw)
    if literal is None:
        return
    items = [canonical(item) for item in literal.items]
    if not literal.keys:
        yield items
        if any(spec.separator in item for item in items):
            yield split_fields(f"{spec.separator} ".join(items), spec.separator)
        return
    keys, values = items[::2], items[1::2]
    names = [field.name for field in spec.fields]
    if literal.is_one_object and [key.replace("_", " ") for key in keys] == names:
        yield values
    yield [f"{key}: {value}" for key, value in zip(keys, values, strict=True)]
    if not _are_names(keys, names):
        yield items


def _are_names(keys: list[str], names: list[str]) -> bool:
    """Whether keys name what the fields hold, so that they are no content themselves."""
    known = {word for name in names for word in name.split()}
    return any(key.replace("_", " ") in names or key in known for key in keys)


def field_readings(text: str, field: FieldSpec) -> Iterator[tuple[Token, ...]]:
    """Yield a field's tokens, then those of what stands in brackets, and of numbers written in other ways."""
    tokens = tokenise(text)
    yield tokens
    if len(tokens) == 1:
        return
    for opening, closing in _FIELD_PAIRS:
        if text.startswith(opening) and text.endswith(closing) and not field.text.startswith(opening):
            inside = text[1:-1].strip()
            if opening not in inside and closing not in inside:
                yield from field_readings(inside, field)
                return
    if found := _DECIMAL_COMMA.fullmatch(text):
        yield tokenise(f"{found['whole'].replace('.', '')}.{found['decimals']}{found['rest']}")
    elif _SPACED_THOUSANDS.fullmatch(text):
        yield tokenise(re.sub(r"(?<=[0-9]) (?=[0-9])", ",", text))
