"""Reading a predictions file line by line: what each line holds, and everything that is wrong with it.

Strict where JSON is (RFC 8259) and Python's parser is not: NaN, repeated keys, lone surrogates.
Memory is bounded by the longest line allowed, not by the file.
"""

import json
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn

from pydantic import ValidationError

from coda_bench.errors import BadInput
from coda_bench.records.findings import FindingKind
from coda_bench.records.prediction import Prediction

LONGEST_LINE_BYTES = 16 << 20
"""A longer line is skipped unread and reported."""

_BOM = b"\xef\xbb\xbf"
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
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


class _Unacceptable(Exception):
    """JSON that Python would read and RFC 8259 does not allow, or allows to be ambiguous."""

    def __init__(self, kind: FindingKind, message: str) -> None:
        self.problem = Problem(kind, message)
        super().__init__(message)


def read_lines(path: Path, *, longest_bytes: int = LONGEST_LINE_BYTES) -> Iterator[Line]:
    """Yield the lines of a predictions file.

    Raises:
        BadInput: the file is missing, a directory, a device or not readable.
    """
    try:
        _check_kind(path)
        with path.open("rb") as stream:
            yield from _lines(stream, longest_bytes)
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from error


def _check_kind(path: Path) -> None:
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise BadInput(f"{path}: is a directory; a predictions file (JSONL) is needed")
    if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
        raise BadInput(f"{path}: is no regular file; a predictions file (JSONL) is needed")


def _lines(stream: BinaryIO, longest_bytes: int) -> Iterator[Line]:
    """Cut the stream into lines without ever holding more than `longest_bytes` of one."""
    number, seen_text = 0, False
    while raw := stream.readline(longest_bytes + 1):
        number += 1
        length = len(raw)
        if length > longest_bytes and not raw.endswith(b"\n"):
            length += _skip_line(stream, longest_bytes)
            line = Line(number, None, (_too_long(length, longest_bytes),), None, _opens_array(raw))
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
    try:
        row = _parse_json(body)
    except _Unacceptable as error:
        return Line(number, None, (*problems, error.problem), None, _opens_array(body))
    if not isinstance(row, dict):
        found = Problem(FindingKind.NOT_AN_OBJECT, f"a JSON {_type_name(row)} where an object is needed")
        is_array = isinstance(row, list) and bool(row) and all(isinstance(item, dict) for item in row)
        return Line(number, None, (*problems, found), None, is_array)
    prediction, wrong = _prediction(row)
    return Line(number, prediction, (*problems, *wrong), _id_of(row))


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


def _parse_json(body: bytes) -> Any:
    try:
        text = body.decode("utf-8")
        row = _DECODER.decode(text)
    except UnicodeDecodeError as error:
        raise _Unacceptable(FindingKind.BAD_UTF8, f"not UTF-8 at byte {error.start + 1} of the line") from None
    except json.JSONDecodeError as error:
        raise _Unacceptable(FindingKind.NOT_JSON, f"not JSON: {error.msg} (column {error.colno})") from None
    except RecursionError:
        raise _Unacceptable(FindingKind.TOO_DEEP, "JSON nested too deeply") from None
    except ValueError:
        # Python refuses to read integers of more than 4,300 digits.
        raise _Unacceptable(FindingKind.NOT_JSON, "an integer of thousands of digits") from None
    if _SURROGATE_ESCAPE.search(body) and _has_lone_surrogate(row):
        raise _Unacceptable(FindingKind.LONE_SURROGATE, "half of a surrogate pair (\\ud800 to \\udfff); no such text")
    return row


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise _Unacceptable(FindingKind.DUPLICATE_KEY, f"key {_shown(repeated)} stands twice in one object")
    return row


def _constant(name: str) -> NoReturn:
    raise _Unacceptable(FindingKind.NOT_FINITE, f"{name} is not JSON; leave the field out or write null")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)


def _has_lone_surrogate(row: Any) -> bool:
    try:
        json.dumps(row, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _id_of(row: dict[str, Any]) -> int | None:
    value = row.get("instance_id")
    is_id = isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST_ID
    return value if is_id else None


def _prediction(row: dict[str, Any]) -> tuple[Prediction | None, list[Problem]]:
    try:
        prediction = Prediction.model_validate(row)
    except ValidationError as error:
        return None, [_field_problem(row, dict(problem)) for problem in error.errors(include_url=False)]
    if abs(prediction.instance_id) >= _LARGEST_ID:
        return None, [Problem(FindingKind.WRONG_TYPE, "instance_id: beyond 64 bits, no task has such an id")]
    return prediction, []


def _field_problem(row: dict[str, Any], problem: dict[str, Any]) -> Problem:
    name = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "missing":
        return Problem(FindingKind.MISSING_FIELD, f"required field {name} is missing")
    wanted = {"string_type": "a string", "int_type": "an integer"}.get(problem["type"])
    meant = f"must be {wanted}" if wanted else str(problem["msg"])
    value = row.get(name, problem.get("input"))
    return Problem(FindingKind.WRONG_TYPE, f"{name}: {meant}, not {_type_name(value)} {_shown(value)}".rstrip())


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
