"""The ways in which agents present an answer of several parts."""

import json
from collections.abc import Iterator, Sequence


def presentations(parts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield `(name, text)` of lists, tables and printed values that say the same as `a; b; c`."""
    yield "lines", "\n".join(parts)
    yield "hyphen bullets", "\n".join(f"- {part}" for part in parts)
    yield "star bullets", "\n".join(f"* {part}" for part in parts)
    yield "numbered lines", "\n".join(f"{number}. {part}" for number, part in enumerate(parts, 1))
    yield "vertical bars", " | ".join(parts)
    yield "bold parts", "; ".join(f"**{part}**" for part in parts)
    yield "Python list", repr(list(parts))
    yield "Python tuple", repr(tuple(parts))
    yield "JSON list", json.dumps(list(parts))
    yield "JSON answer", json.dumps({"answer": list(parts)})
    yield "separator at the end", "; ".join(parts) + ";"


def named_presentations(names: Sequence[str], parts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the same with the guideline's name before each part."""
    pairs = [(name.title(), part) for name, part in zip(names, parts, strict=True)]
    yield "named parts", "; ".join(f"{name}: {part}" for name, part in pairs)
    yield "named lines", "\n".join(f"{name}: {part}" for name, part in pairs)
    yield "named bold bullets", "\n".join(f"- **{name}**: {part}" for name, part in pairs)
    yield "JSON object", json.dumps({name.replace(" ", "_").lower(): part for name, part in pairs})
