"""Binary tables whose header says all that is asked: NumPy arrays, Stata files, dBase tables, shapes.

Sources: the format specifications of NumPy (NEP 1), Stata (`help dta`, releases 105 to 119), dBase III and the ESRI
shapefile white paper.
"""

import ast
import re
import struct
from pathlib import Path

from coda_bench.construct.environment.profiling.reading import Reading, Unreadable, table, with_tables

_LONGEST_HEADER = 10_000
_MOST_VARIABLES = 120_000
_STATA_NUMBERS = {251: "int8", 252: "int16", 253: "int32", 254: "float32", 255: "float64"}
_STATA_NEW = {65526: "float64", 65527: "float32", 65528: "int32", 65529: "int16", 65530: "int8", 32768: "text"}
_OLD_HEADER = 109
_DBF = {"C": "text", "N": "number", "F": "number", "L": "boolean", "D": "date", "I": "integer", "M": "text"}


def read_npy(path: Path, head: bytes) -> Reading:
    """Return shape and type of an array; an array of objects holds a pickle, which is never loaded.

    Raises:
        Unreadable: the header is not one, or the file is shorter than it says.
    """
    wide = len(head) > 6 and head[6] >= 2  # noqa: PLR2004 version 2 has a four-byte length
    start = 12 if wide else 10
    length = int.from_bytes(head[8:start], "little")
    if length > _LONGEST_HEADER:
        raise Unreadable("npy: a header of more than 10,000 bytes")
    try:
        header = ast.literal_eval(head[start : start + length].decode("latin-1").strip())
        kind, shape = str(header["descr"]), [int(size) for size in header["shape"]]
    except (ValueError, SyntaxError, KeyError, TypeError, MemoryError, RecursionError) as error:
        raise Unreadable(f"npy: {error}") from error
    columns = [(f"column{n}", kind) for n in range(min(shape[1], _MOST_VARIABLES) if len(shape) == 2 else 1)]  # noqa: PLR2004
    reading = with_tables(Reading("npy", read="header"), [table(columns, shape[0] if shape else 1)])
    if "O" in kind:
        return reading.noting("holds_pickle", "an array of Python objects: loading it would run a pickle")
    found = re.fullmatch(r"[<>|=]?[a-zA-Z](\d+)", kind)
    n_items = 1
    for size in shape:
        n_items *= size
    width = int(found[1]) * (4 if kind.strip("<>|=")[0] == "U" else 1) if found else 0
    if path.stat().st_size < start + length + n_items * width:
        return reading.noting("truncated", f"shorter than its shape {shape} needs")
    return reading


def read_stata(head: bytes) -> Reading:
    """Return variables and observations of a Stata file from its header.

    Raises:
        Unreadable: the header breaks off, or is of a release this does not know.
    """
    try:
        names, types, n_rows = _new_stata(head) if head.startswith(b"<stata_dta>") else _old_stata(head)
    except (struct.error, IndexError, ValueError) as error:
        raise Unreadable(f"Stata: the header breaks off ({error})") from error
    return with_tables(Reading("stata", read="header"), [table(zip(names, types, strict=True), n_rows)])


def _text(raw: bytes) -> str:
    return raw.split(b"\0", 1)[0].decode("utf-8", "replace")


def _old_stata(head: bytes) -> tuple[list[str], list[str], int]:
    release, order = head[0], ">" if head[1] == 1 else "<"
    if release < 111:  # noqa: PLR2004
        raise Unreadable(f"Stata: release {release} is not read")
    (n_variables,) = struct.unpack_from(order + "H", head, 4)
    (n_rows,) = struct.unpack_from(order + "I", head, 6)
    codes = head[_OLD_HEADER : _OLD_HEADER + n_variables]
    start = _OLD_HEADER + n_variables
    names = [_text(head[start + 33 * n : start + 33 * (n + 1)]) for n in range(n_variables)]
    _check_complete(names, len(codes), n_variables)
    return names, [_STATA_NUMBERS.get(code, "text") for code in codes], n_rows


def _new_stata(head: bytes) -> tuple[list[str], list[str], int]:
    release = int(_between(head, b"<release>", 3))
    order = "<" if _between(head, b"<byteorder>", 3) == b"LSF" else ">"
    wide = {117: ("H", "I", 33), 118: ("H", "Q", 129), 119: ("I", "Q", 129)}.get(release)
    if wide is None:
        raise Unreadable(f"Stata: release {release} is not read")
    (n_variables,) = struct.unpack(order + wide[0], _between(head, b"<K>", struct.calcsize(wide[0])))
    (n_rows,) = struct.unpack(order + wide[1], _between(head, b"<N>", struct.calcsize(wide[1])))
    if n_variables > _MOST_VARIABLES:
        raise Unreadable(f"Stata: {n_variables} variables")
    codes = struct.unpack(f"{order}{n_variables}H", _between(head, b"<variable_types>", 2 * n_variables))
    raw = _between(head, b"<varnames>", wide[2] * n_variables)
    names = [_text(raw[wide[2] * n : wide[2] * (n + 1)]) for n in range(n_variables)]
    _check_complete(names, len(codes), n_variables)
    return names, [_STATA_NEW.get(code, "text") for code in codes], n_rows


def _between(head: bytes, tag: bytes, length: int) -> bytes:
    found = head[head.index(tag) + len(tag) :][:length]
    if len(found) < length:
        raise ValueError(f"nothing after {tag.decode()}")
    return found


def _check_complete(names: list[str], n_types: int, n_variables: int) -> None:
    if n_types < n_variables or not all(names):
        raise Unreadable("Stata: the names of its variables lie beyond what was read")


def read_dbf(head: bytes) -> Reading:
    """Return the fields and records of a dBase table from its header."""
    rows, header = int.from_bytes(head[4:8], "little"), int.from_bytes(head[8:10], "little")
    fields = [head[at : at + 32] for at in range(32, min(header, len(head)) - 1, 32)]
    named = [one for one in fields if len(one) == 32 and one[0] != 0x0D]  # noqa: PLR2004
    columns = [(_text(one[:11]), _DBF.get(chr(one[11]), "text")) for one in named]
    return with_tables(Reading("dbf", read="header"), [table(columns, rows)])


def read_shape(head: bytes, n_bytes: int) -> Reading:
    """Tell the parts of a shapefile apart: an index has eight bytes a shape after its 100."""
    if len(head) < 100:  # noqa: PLR2004
        raise Unreadable("shapefile: its header has 100 bytes")
    said = 2 * int.from_bytes(head[24:28], "big")
    reading = Reading("shapefile", read="header")
    return reading if said == n_bytes else reading.noting("truncated", f"{n_bytes} bytes, its header says {said}")
