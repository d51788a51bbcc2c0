"""AnswerSpec: what a task's gold and guideline ask of an answer.

The gold gives the shape (fields, their types, units and decimals), the guideline the rules that a shape
does not show: whether order counts, whether thousands separators are needed, how values are rounded. What
neither can show, such as further right answers, a task may state itself (`records.answer_spec`).
"""

import hashlib
import json
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from coda_bench.answers.breaches import Breach, breaches
from coda_bench.answers.field import FieldSpec, make_fields
from coda_bench.answers.guideline import Rules
from coda_bench.answers.order import Ties, infer_ties
from coda_bench.answers.template import template_names
from coda_bench.answers.text import canonical
from coda_bench.answers.unwrap import LABEL
from coda_bench.records.answer_spec import FieldType, StatedSpec

SEPARATOR = ";"
_LIST_SEPARATOR = re.compile(r",\s+(?:and\s+)?")
_COMMA_LIST = re.compile(r"comma[- ]separated|separated by (?:a )?commas?|comma and (?:a )?space")
NOTHING_STATED = StatedSpec()


@dataclass(frozen=True, eq=False)
class AnswerSpec:
    """The compiled form of one gold with its guideline; compiled once, and equal to itself alone."""

    gold: str
    """As written."""
    text: str
    """The gold, canonical."""
    separator: str
    fields: tuple[FieldSpec, ...]
    rules: Rules
    is_set: bool = False
    """Whether the fields may stand in any order."""
    ties: Ties = ()
    """Groups of blocks of places that may change places."""
    further: tuple["AnswerSpec", ...] = ()
    """Specs of further right answers."""

    def to_row(self) -> dict[str, Any]:
        """Return the spec as a JSON object: all that decides a verdict, in a stable order."""
        return {
            "gold": self.gold,
            "separator": self.separator,
            "order": "set" if self.is_set else "list",
            "ties": [[list(block) for block in group] for group in self.ties],
            "guideline": self.rules.guideline,
            "question": self.rules.asked,
            "fields": [_field_row(field) for field in self.fields],
            "accepted": [spec.text for spec in self.further],
        }

    @cached_property
    def is_labelled(self) -> bool:
        """Whether the gold itself begins as a label such as `Answer:` does."""
        return LABEL.match(self.gold) is not None

    @cached_property
    def breaches(self) -> tuple[Breach, ...]:
        """The rules of its own guideline that the gold breaks."""
        return breaches([field.tokens for field in self.fields], self.rules, self.separator)

    @cached_property
    def sha256(self) -> str:
        """Hash of everything that decides a verdict; equal hashes and scorer versions give equal verdicts."""
        return hashlib.sha256(json.dumps(self.to_row(), sort_keys=True).encode()).hexdigest()


def _field_row(field: FieldSpec) -> dict[str, Any]:
    return {
        "gold": field.text,
        "type": field.type.value,
        "name": field.name,
        "rounding": field.rounding.value,
        "label": bool(field.label),
        "alternatives": list(field.alternatives),
        "accepted": [[str(token) for token in tokens] for tokens in field.accepted],
        "interval": [str(end) for end in field.interval] if field.interval else None,
        "unit": field.unit,
    }


@lru_cache(maxsize=4096)
def compile_spec(gold: str, guideline: str = "", question: str = "", stated: StatedSpec = NOTHING_STATED) -> AnswerSpec:
    """Compile a gold with its guideline.

    Args:
        gold: the task's answer.
        guideline: the task's answer guideline.
        question: read for whether it states an order and what it counts.
        stated: what the task states itself; it goes before what is read from the texts.
    """
    text, guideline = canonical(gold), canonical(guideline)
    separator = stated.separator or separator_of(text, guideline)
    texts = split_fields(text, separator)
    names = template_names(guideline, len(texts), separator) if len(texts) > 1 else ()
    fields = make_fields(texts, names or ("",) * len(texts), guideline, stated.fields)
    kinds = {field.type for field in fields}
    is_list_of_texts = len(fields) > 1 and kinds <= {FieldType.TEXT, FieldType.CATEGORY, FieldType.FREE_TEXT}
    rules = Rules(guideline, question, is_list_of_texts, len(fields))
    return AnswerSpec(
        gold,
        text,
        separator,
        fields,
        rules,
        is_set=rules.fields_may_permute if stated.order is None else stated.order == "set",
        ties=stated.ties or infer_ties(fields, rules),
        further=tuple(compile_spec(other, guideline, question) for other in stated.accepted),
    )


def separator_of(text: str, guideline: str) -> str:
    """Return what separates the fields of a canonical gold: `;`, or `,` where the guideline asks for a comma list."""
    is_comma_list = SEPARATOR not in text and _COMMA_LIST.search(guideline) and _LIST_SEPARATOR.search(text)
    return "," if is_comma_list else SEPARATOR


def split_fields(text: str, separator: str = SEPARATOR) -> list[str]:
    """Cut a canonical text into fields; an empty one after the last separator does not count.

    A comma separates only before a blank: `1,200, 3` are two fields.
    """
    body = text.strip(f"{separator} ")
    parts = _LIST_SEPARATOR.split(body) if separator == "," else body.split(separator)
    return [part.strip() for part in parts]
