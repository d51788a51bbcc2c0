"""First command: find the table the question is about and note it in `/workspace`."""

import json
import sys
from pathlib import Path
from typing import Any

from .ranking import best_by_name, files_below, rank

CHOICE = Path("/workspace/choice.json")


def choose(told: dict[str, Any], root: str = "/data") -> dict[str, Any] | None:
    """Return path and part of the best table, or None when no file can be read."""
    given = [path for path in told["files"] if Path(path).exists()]
    paths = given or best_by_name(list(files_below(root)), told["question"], told["most_files"])
    ranked = rank(paths, told["question"])
    return ranked[0]._asdict() if ranked else None


def main() -> None:
    """Read the task from standard input, write the choice."""
    choice = choose(json.load(sys.stdin))
    CHOICE.write_text(json.dumps(choice))
    print(json.dumps(choice))  # noqa: T201  # its output is part of the attempt's record


if __name__ == "__main__":
    main()
