"""Writing tracked file access into a predictions file."""

import json
from pathlib import Path
from typing import Any

from coda_bench.errors import BadInput
from coda_bench.records.access import FileAccess
from coda_bench.records.storage import write_atomically


def access_metadata(access: FileAccess, *, isolated: bool) -> dict[str, Any]:
    """Return the fields of a prediction's metadata that say what was opened, and how that is known."""
    return {
        "files_accessed": list(access.opened),
        "file_access_complete": access.complete,
        "file_access_tracker": access.tracker.value,
        "isolated": isolated,
    }


def record_access(path: Path, instance_id: int, fields: dict[str, Any], *, answer: str | None = None) -> None:
    """Put fields into the metadata of one prediction; every other line stays as it is, byte for byte.

    Args:
        path: the predictions file.
        instance_id: whose line.
        fields: for its metadata; others there stay.
        answer: for a line of its own at the end where there is none yet; None refuses that.

    Raises:
        BadInput: no line for the instance, several, or one that is no prediction; nothing is written then.
    """
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    found = [number for number, line in enumerate(lines) if _instance_of(line) == instance_id]
    if len(found) > 1:
        numbers = ", ".join(str(number + 1) for number in found)
        raise BadInput(f"{path}: instance {instance_id} stands in lines {numbers}; one is needed")
    if found:
        lines[found[0]] = _with_fields(lines[found[0]], fields, f"{path}:{found[0] + 1}")
    elif answer is not None:
        if lines and not lines[-1].endswith(b"\n"):
            lines[-1] += b"\n"
        row = {"instance_id": instance_id, "prediction": answer, "metadata": fields}
        lines.append(json.dumps(row).encode() + b"\n")
    else:
        raise BadInput(f"{path}: no prediction for instance {instance_id}; the command must write it first")
    write_atomically(path, b"".join(lines))


def _instance_of(line: bytes) -> Any:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row.get("instance_id") if isinstance(row, dict) else None


def _with_fields(line: bytes, fields: dict[str, Any], where: str) -> bytes:
    row = json.loads(line)
    metadata = row.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        raise BadInput(f"{where}: metadata is no object")
    row["metadata"] = {**(metadata or {}), **fields}
    end = line[len(line.rstrip(b"\r\n")) :]
    return json.dumps(row).encode() + end
