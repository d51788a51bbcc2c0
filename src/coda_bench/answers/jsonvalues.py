"""Golds that are themselves JSON objects or arrays: met by an equal value, not by an equal text."""

import json
from collections.abc import Callable
from typing import Any

IsRight = Callable[[str, str], bool]
"""Whether a text is right for a gold."""


def same_json(reading: str, gold: str, is_right: IsRight) -> bool:
    """Whether a gold that is itself a JSON object or array is met by an equal one."""
    if gold.lstrip()[:1] not in {"{", "["}:
        return False
    try:
        return _same_value(json.loads(reading), json.loads(gold), is_right)
    except (ValueError, RecursionError):
        return False


def _same_value(found: Any, gold: Any, is_right: IsRight) -> bool:
    if isinstance(gold, dict):
        return (
            isinstance(found, dict)
            and found.keys() == gold.keys()
            and all(_same_value(found[key], value, is_right) for key, value in gold.items())
        )
    if isinstance(gold, list):
        return (
            isinstance(found, list)
            and len(found) == len(gold)
            and all(_same_value(one, other, is_right) for one, other in zip(found, gold, strict=True))
        )
    if isinstance(found, dict | list) or found is None or isinstance(found, bool) != isinstance(gold, bool):
        return found is gold
    return is_right(str(found), str(gold))
