"""Run every case with every tracker and print what was seen.

Run: python tests/tracker/table.py [--json]
"""

# ruff: noqa: T201 - a script that prints

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from coda_bench.errors import CodaBenchError
from coda_bench.sandbox.analysis_env import find
from tracker.cases import LOOKS, RAW_READS, READS
from tracker.ground import TRACKERS, Outcome, compile_reads, make_community, run, start

GOOD = (Outcome.SEEN, Outcome.REFUSED, Outcome.NOT_COUNTED)


def outcomes(folder: Path) -> dict[str, dict[str, str]]:
    """Return the outcome by case and tracker."""
    environment, program = find(), folder / "reads"
    make_community(folder / "community", environment)
    compiled = compile_reads(program)
    cases = [case for case in (*READS, *LOOKS) if compiled or case not in RAW_READS]
    table: dict[str, dict[str, str]] = {}
    for tracker in TRACKERS:
        with start(folder / "community", environment, tracker, program if compiled else None) as sandbox:
            for case in cases:
                group = "look" if case in LOOKS else "read"
                name = case.name if case.argv[0].startswith("/") else f"{case.argv[0]}: {case.name}"
                table.setdefault(f"{group}  {name}", {})[sandbox.record.tracker.value] = run(case, sandbox).outcome
    return table


def main() -> None:
    """Print the table; exit with 1 when a case fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args().json
    try:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder).chmod(0o755)
            table = outcomes(Path(folder))
    except CodaBenchError as error:
        sys.exit(f"error: {error}")
    failed = [name for name, row in table.items() if not set(row.values()) <= set(GOOD)]
    if as_json:
        print(json.dumps({"user": os.geteuid(), "cases": table, "failed": failed}, indent=2))
    else:
        for name, row in table.items():
            print(f"{name:45}" + "".join(f"{tracker}: {outcome:14}" for tracker, outcome in row.items()))
        print(f"{len(table)} cases as user {os.geteuid()}, {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
