"""Reading and writing stored files: atomic replacement, append-only journals, JSON without surprises."""

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from coda_bench.errors import BadInput


def write_atomically(path: Path, content: str | bytes) -> None:
    """Replace `path` by `content` in one step: readers see the old file or the new one, never a part.

    The bytes reach the disk before the name does, so a power cut leaves one or the other.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    """Flush a directory's entries, so that a renamed or created file survives a power cut."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def append_line(path: Path, line: str) -> None:
    """Append one line to a journal and flush it to the disk before returning.

    A torn last line (from a kill in the middle of an append) is completed with a line break first,
    so that it cannot swallow the new one; readers skip it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as stream:
        size = stream.seek(0, os.SEEK_END)
        if size:
            stream.seek(size - 1)
            if stream.read(1) != b"\n":
                stream.write(b"\n")
        stream.write(line.encode("utf-8") + b"\n")
        stream.flush()
        os.fsync(stream.fileno())


def read_json(path: Path) -> Any:
    """Return the parsed JSON of a file.

    Raises:
        BadInput: the file is missing, a directory, not UTF-8 or not JSON.
    """
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: not UTF-8 text (byte {error.start})") from error
    except (ValueError, RecursionError) as error:  # ValueError: also integers of thousands of digits
        raise BadInput(f"{path}: not JSON ({error})") from error


def read_json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield (line number from 1, parsed JSON) of a JSONL file; blank lines are skipped.

    Raises:
        BadInput: the file cannot be read, or a line is not JSON (named by number).
    """
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield number, _parse_line(line, f"{path}:{number}")
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from error


def _parse_line(line: bytes, where: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{where}: not a JSON line ({error})") from error
