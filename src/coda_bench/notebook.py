"""Notebooks as text: cells of `.ipynb` files with their outputs, percent scripts and plain scripts.

They are read within limits and never run.
"""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

MOST_BYTES = 50 << 20
ENDINGS = frozenset({".ipynb", ".py"})
FOREIGN = {".r": "r", ".rmd": "r", ".jl": "julia", ".sas": "sas"}
"""Scripts of other languages, by their endings: seen and counted, not read."""
_LANGUAGES = {"ir": "r"}
"""Names of kernels that are not their language's."""
_KINDS = {"stream": "stream", "error": "error", "pyerr": "error", "execute_result": "result", "pyout": "result"}
_PERCENT = re.compile(r"^# ?%%(.*)$", re.MULTILINE)
_TITLE = re.compile(r"^#{1,3}\s+(.+)$", re.MULTILINE)


class Unreadable(Exception):
    """A file is no notebook that can be read; the message says why."""


class Output(NamedTuple):
    """One stored output of a cell, as far as it is text."""

    kind: str
    """`stdout`, `stderr`, `result` (last expression), `display` or `error`."""
    text: str
    """Plain text; of an error, its name and message."""
    html: str
    """The same as HTML, where there is any."""
    is_picture: bool


class Cell(NamedTuple):
    """One cell of code or text."""

    number: int
    """From 1, among all cells."""
    is_code: bool
    source: str
    execution_count: int | None = None
    """How many cells had been run when it was."""
    outputs: tuple[Output, ...] = ()


class Notebook(NamedTuple):
    """A notebook as far as references are concerned."""

    cells: list[Cell]
    language: str
    title: str
    metadata: dict[str, Any]
    """What the file says of itself; empty for scripts."""

    @property
    def code(self) -> list[Cell]:
        """The cells of code, in order."""
        return [cell for cell in self.cells if cell.is_code]


def read_notebook(path: Path) -> Notebook:
    """Read a notebook or script.

    Raises:
        Unreadable: too large, not text, not JSON, or without cells.
    """
    if path.stat().st_size > MOST_BYTES:
        raise Unreadable(f"larger than {MOST_BYTES >> 20} MB")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"not UTF-8 text (byte {error.start})") from error
    return _from_json(text, path) if path.suffix.lower() == ".ipynb" else _from_script(text, path)


def _from_json(text: str, path: Path) -> Notebook:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not JSON ({error})") from error
    if not isinstance(document, dict):
        raise Unreadable("no notebook: not a JSON object")
    raw = document["cells"] if "cells" in document else _of_sheets(document.get("worksheets"))
    if not isinstance(raw, list):
        raise Unreadable("no notebook: it has no list of cells")
    cells = [_cell(number, one) for number, one in enumerate(raw, 1) if isinstance(one, dict)]
    metadata = document.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    return Notebook(cells, _language(metadata), _title(cells, path), metadata)


def _of_sheets(sheets: Any) -> list[Any] | None:
    """Return the cells of all sheets, which the third version of the format has."""
    if not (isinstance(sheets, list) and sheets and all(isinstance(sheet, dict) for sheet in sheets)):
        return None
    parts = [sheet.get("cells", []) for sheet in sheets]
    return [cell for part in parts for cell in part] if all(isinstance(part, list) for part in parts) else None


def _cell(number: int, raw: dict[str, Any]) -> Cell:
    source, is_code = _joined(raw.get("source", raw.get("input", ""))), raw.get("cell_type") == "code"
    count = raw.get("execution_count", raw.get("prompt_number"))
    outputs = raw.get("outputs")
    found = [_output(one) for one in outputs if isinstance(one, dict)] if is_code and isinstance(outputs, list) else []
    return Cell(number, is_code, source, count if isinstance(count, int) else None, tuple(found))


def _joined(text: Any) -> str:
    """Return text that a notebook may store as one or as a list of lines."""
    if isinstance(text, list):
        text = "".join(part for part in text if isinstance(part, str))
    return storable(text) if isinstance(text, str) else ""


def _output(raw: dict[str, Any]) -> Output:
    """Return an output of the third or the fourth version of the format."""
    kind = _KINDS.get(str(raw.get("output_type")), "display")
    if kind == "stream":
        name = raw.get("name", raw.get("stream"))
        return Output("stderr" if name == "stderr" else "stdout", _joined(raw.get("text", "")), "", False)
    if kind == "error":
        return Output(kind, _joined([str(raw.get("ename", "")), ": ", str(raw.get("evalue", ""))]), "", False)
    data = raw.get("data")
    data = data if isinstance(data, dict) else {f"text/{name}": raw[name] for name in ("plain", "html") if name in raw}
    if "text" in raw and "text/plain" not in data:
        data = data | {"text/plain": raw["text"]}
    is_picture = any(name.startswith("image/") for name in data) or "png" in raw
    return Output(kind, _joined(data.get("text/plain", "")), _joined(data.get("text/html", "")), is_picture)


def _language(metadata: dict[str, Any]) -> str:
    for place, name in (("language_info", "name"), ("kernelspec", "language"), ("kernelspec", "name")):
        found = metadata.get(place)
        value = found.get(name) if isinstance(found, dict) else None
        if isinstance(value, str) and value:
            return (
                "python"
                if value.lower().startswith("python")
                else _LANGUAGES.get(value.lower(), storable(value.lower()))
            )
    return "python"


def _from_script(text: str, path: Path) -> Notebook:
    marks = list(_PERCENT.finditer(text))
    if not marks:
        return Notebook([Cell(1, True, text)], "python", _words(path), {})
    starts = [0, *(mark.end() for mark in marks)]
    ends = [*(mark.start() for mark in marks), len(text)]
    kinds = ["", *(mark[1] for mark in marks)]
    parts = [
        (kind, text[start:end].removeprefix("\n" if start else "").rstrip("\n"))
        for start, end, kind in zip(starts, ends, kinds, strict=True)
    ]
    if not parts[0][1].strip():
        del parts[0]  # nothing stands before the first mark
    cells = [
        Cell(number, "[markdown]" not in kind and "[raw]" not in kind, source)
        for number, (kind, source) in enumerate(parts, 1)
    ]
    return Notebook(cells, "python", _title(cells, path), {})


def _title(cells: list[Cell], path: Path) -> str:
    for cell in cells:
        if not cell.is_code and (found := _TITLE.search(re.sub(r"^# ?", "", cell.source, flags=re.MULTILINE))):
            return found[1].strip()
        if not cell.is_code and (found := _TITLE.search(cell.source)):
            return found[1].strip()
    return _words(path)


def _words(path: Path) -> str:
    return storable(re.sub(r"[-_\s]+", " ", path.stem).strip())


def storable(text: str) -> str:
    """Return text that can be written as UTF-8: halves of surrogate pairs and stray bytes as escapes."""
    return text.encode(errors="backslashreplace").decode()
