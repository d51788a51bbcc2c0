"""Reading and writing stored files: atomic replacement, append-only journals, JSON without surprises."""

import errno
import json
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from coda_bench.errors import BadInput


def write_atomically(path: Path, content: str | bytes) -> None:
    """Replace `path` by `content` in one step: readers see the old file or the new one, never a part.

    The bytes reach the disk before the name does, so a power cut leaves one or the other. Of a symbolic
    link, the file it points at is replaced.

    Raises:
        OSError: the file cannot be written, or is a device or pipe, which a rename would destroy.
    """
    path = path.resolve()
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "not a regular file", str(path))
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


def check_readable(path: Path) -> None:
    """Refuse what is neither a regular file nor a pipe: a device may never end.

    Raises:
        BadInput: the path is a directory, device or socket.
        OSError: the path cannot be looked up.
    """
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise BadInput(f"{path}: is a directory; a file is needed")
    if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
        raise BadInput(f"{path}: is no regular file")


_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")


def has_lone_surrogate(raw: bytes, value: Any) -> bool:
    """Whether JSON, as written and parsed, holds half of a surrogate pair: no text that UTF-8 could write."""
    if not _SURROGATE_ESCAPE.search(raw):
        return False
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _parse(raw: bytes) -> Any:
    value = json.loads(raw, object_pairs_hook=_object_without_repeats)
    if has_lone_surrogate(raw, value):
        raise ValueError("half of a surrogate pair, \\ud800 to \\udfff")
    return value


def _object_without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"key {next(name for name in names if names.count(name) > 1)!r} stands twice in one object")
    return row


def read_json(path: Path) -> Any:
    """Return the parsed JSON of a file.

    Raises:
        BadInput: the file is missing, no regular file, not UTF-8, or not JSON that reads in one way.
    """
    try:
        check_readable(path)
        return _parse(path.read_bytes())
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
        check_readable(path)
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield number, _parse_line(line, f"{path}:{number}")
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from error


def _parse_line(line: bytes, where: str) -> Any:
    try:
        return _parse(line)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{where}: not a JSON line ({error})") from error
