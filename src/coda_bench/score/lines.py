"""Reading a predictions file line by line: what each line holds, and everything that is wrong with it.

Strict where JSON is (RFC 8259) and Python's parser is not: NaN, repeated keys, lone surrogates.
Memory is bounded by the longest line allowed, not by the file.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from pydantic import ValidationError

from coda_bench.errors import BadInput
from coda_bench.records.findings import FindingKind
from coda_bench.records.prediction import Prediction
from coda_bench.records.storage import check_readable, has_lone_surrogate

LONGEST_LINE_BYTES = 16 << 20
"""A longer line is skipped unread and reported."""

_BOM = b"\xef\xbb\xbf"
_LEADING_ID = re.compile(rb'\s*\{\s*"instance_id"\s*:\s*(-?[0-9]{1,18})\s*[,}]')
_SHOWN = 80
_LARGEST_ID = 1 << 63


class Problem(NamedTuple):
    """One thing wrong with a line."""

    kind: FindingKind
    message: str


class Line(NamedTuple):
    """One line: its prediction when it holds one, and its problems."""

    number: int
    prediction: Prediction | None
    problems: tuple[Problem, ...]
    instance_id: int | None
    """The id, also of lines whose other fields are wrong."""
    is_array: bool = False
    """The file begins as a JSON array: the rest of it is not read."""


class _Unreadable(Exception):
    """A line that is no JSON at all, so that nothing more can be said of it."""

    def __init__(self, kind: FindingKind, message: str) -> None:
        self.problem = Problem(kind, message)
        super().__init__(message)


def read_lines(path: Path, *, longest_bytes: int = LONGEST_LINE_BYTES) -> Iterator[Line]:
    """Yield the lines of a predictions file.

    Raises:
        BadInput: the file is missing, a directory, a device or not readable.
    """
    try:
        check_readable(path)
        with path.open("rb") as stream:
            yield from _lines(stream, longest_bytes)
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from error


def _lines(stream: BinaryIO, longest_bytes: int) -> Iterator[Line]:
    """Cut the stream into lines without ever holding more than `longest_bytes` of one."""
    number, seen_text = 0, False
    while raw := stream.readline(longest_bytes + 1):
        number += 1
        length = len(raw)
        if length > longest_bytes and not raw.endswith(b"\n"):
            length += _skip_line(stream, longest_bytes)
            line = Line(number, None, (_too_long(length, longest_bytes),), _leading_id(raw), _opens_array(raw))
        else:
            line = parse_line(raw, number)
        if line.is_array and seen_text:
            line = line._replace(is_array=False)
        yield line
        if line.is_array:
            return
        seen_text = seen_text or not _is_blank(line)


def _skip_line(stream: BinaryIO, chunk_bytes: int) -> int:
    skipped = 0
    while rest := stream.readline(min(chunk_bytes, 1 << 20)):
        skipped += len(rest)
        if rest.endswith(b"\n"):
            break
    return skipped


def _too_long(length: int, limit: int) -> Problem:
    return Problem(FindingKind.LINE_TOO_LONG, f"line of {length:,} bytes; at most {limit:,} are read")


def _is_blank(line: Line) -> bool:
    return any(problem.kind is FindingKind.BLANK_LINE for problem in line.problems)


def _opens_array(raw: bytes) -> bool:
    return raw.removeprefix(_BOM).lstrip()[:1] == b"["


def parse_line(raw: bytes, number: int) -> Line:
    """Parse one line, with or without its line break, and name everything wrong with it."""
    problems, body = _outer_problems(raw, number)
    if not body.strip():
        return Line(number, None, (*problems, Problem(FindingKind.BLANK_LINE, "blank line")), None)
    reader = _StrictReader()
    try:
        row = reader.read(body)
    except _Unreadable as error:
        return Line(number, None, (*problems, error.problem), _leading_id(body), _opens_array(body))
    problems += reader.problems
    if not isinstance(row, dict):
        problems.append(Problem(FindingKind.NOT_AN_OBJECT, f"a JSON {_type_name(row)} where an object is needed"))
        is_array = isinstance(row, list) and bool(row) and all(isinstance(item, dict) for item in row)
        return Line(number, None, tuple(problems), None, is_array)
    prediction, wrong = _prediction(row)
    id_ = None if reader.repeats_id else _id_of(row)
    return Line(number, None if reader.problems else prediction, (*problems, *wrong), id_)


def _leading_id(raw: bytes) -> int | None:
    """Return the id that begins a line which is no JSON, so that the finding can name its task."""
    found = _LEADING_ID.match(raw)
    return int(found[1]) if found else None


def _outer_problems(raw: bytes, number: int) -> tuple[list[Problem], bytes]:
    """Name what is wrong around the JSON, and return the JSON alone."""
    problems, body = [], raw.removesuffix(b"\n")
    if number == 1 and body.startswith(_BOM):
        problems.append(Problem(FindingKind.BOM, "byte order mark at the start of the file"))
        body = body.removeprefix(_BOM)
    if body.endswith(b"\r"):
        problems.append(Problem(FindingKind.CRLF, "line ends in CR LF; LF is meant"))
        body = body.removesuffix(b"\r")
    return problems, body


class _StrictReader:
    """Reads JSON and notes what Python reads although RFC 8259 does not allow it or leaves it ambiguous."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.repeats_id = False
        """Whether the object gives different ids, so that none can be trusted."""

    def read(self, body: bytes) -> Any:
        """Parse one line.

        Raises:
            _Unreadable: it is no JSON.
        """
        try:
            row = self._decoder().decode(body.decode("utf-8"))
            if has_lone_surrogate(body, row):
                self._note(FindingKind.LONE_SURROGATE, "half of a surrogate pair (\\ud800 to \\udfff); no such text")
        except UnicodeDecodeError as error:
            raise _Unreadable(FindingKind.BAD_UTF8, f"not UTF-8 at byte {error.start + 1} of the line") from None
        except json.JSONDecodeError as error:
            raise _Unreadable(FindingKind.NOT_JSON, f"not JSON: {error.msg} (column {error.colno})") from None
        except RecursionError:
            raise _Unreadable(FindingKind.TOO_DEEP, "JSON nested too deeply") from None
        except ValueError:
            # Python refuses to read integers of more than 4,300 digits.
            raise _Unreadable(FindingKind.NOT_JSON, "an integer of thousands of digits") from None
        return row

    def _decoder(self) -> json.JSONDecoder:
        return json.JSONDecoder(
            object_pairs_hook=self._object, parse_constant=self._constant, parse_float=self._finite_float
        )

    def _note(self, kind: FindingKind, message: str) -> None:
        self.problems.append(Problem(kind, message))

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        row = dict(pairs)
        if len(row) < len(pairs):
            for name, n in Counter(name for name, _ in pairs).items():
                if n > 1:
                    self._note(FindingKind.DUPLICATE_KEY, f"key {_shown(name)} stands {n} times in one object")
            ids = [value for name, value in pairs if name == "instance_id"]
            self.repeats_id = any(value != ids[0] for value in ids)
        return row

    def _constant(self, name: str) -> float:
        self._note(FindingKind.NOT_FINITE, f"{name} is not JSON; leave the field out or write null")
        return math.nan

    def _finite_float(self, text: str) -> float:
        value = float(text)
        if math.isinf(value):
            self._note(FindingKind.NOT_FINITE, f"{_shown(text)} is beyond every reader's numbers and becomes Infinity")
        return value


def _id_of(row: dict[str, Any]) -> int | None:
    value = row.get("instance_id")
    is_id = isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST_ID
    return value if is_id else None


def _prediction(row: dict[str, Any]) -> tuple[Prediction | None, list[Problem]]:
    try:
        prediction = Prediction.model_validate(row)
    except ValidationError as error:
        found = [dict(problem) for problem in error.errors(include_url=False)]
        return None, [_field_problem(row, problem) for problem in found if not _is_noted(problem)]
    if abs(prediction.instance_id) >= _LARGEST_ID:
        return None, [Problem(FindingKind.WRONG_TYPE, "instance_id: beyond 64 bits, no task has such an id")]
    return prediction, []


def _is_noted(problem: dict[str, Any]) -> bool:
    """Whether the reader of the JSON has named this defect already."""
    value = problem.get("input")
    return problem["type"] == "string_unicode" or (isinstance(value, float) and not math.isfinite(value))


def _field_problem(row: dict[str, Any], problem: dict[str, Any]) -> Problem:
    name = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "missing":
        return Problem(FindingKind.MISSING_FIELD, f"required field {name} is missing")
    wanted = _WANTED.get(problem["type"])
    meant = f"must be {wanted}" if wanted else str(problem["msg"])
    value = row.get(name, problem.get("input"))
    return Problem(FindingKind.WRONG_TYPE, f"{name}: {meant}, not {_type_name(value)} {_shown(value)}".rstrip())


_WANTED = {
    "string_type": "a string",
    "int_type": "an integer",
    "float_type": "a number",
    "list_type": "an array",
    "model_type": "an object",
    "bool_parsing": "true or false",
    "bool_type": "true or false",
}

_TYPE_NAMES: dict[type, str] = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
}


def _type_name(value: Any) -> str:
    return _TYPE_NAMES.get(type(value), type(value).__name__)


def _shown(value: Any) -> str:
    """Return a value as it may stand in a message: short, on one line."""
    if value is None or isinstance(value, dict | list):
        return ""
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
