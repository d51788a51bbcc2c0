"""Run an agent from Python and count how its attempts ended: python examples/run_in_python.py RELEASE [OUT]."""

import sys
from pathlib import Path

from coda_bench.records.attempt import latest_attempts, read_journal
from coda_bench.run.batch import run_batch
from coda_bench.run.plan import RunOptions


def main(release: str, out: str = "runs/example") -> None:
    """Run the keyword baseline on the first three tasks; a second call finds them done."""
    summary = run_batch(RunOptions(release=Path(release), agent="keyword", limit=3, out=Path(out)))
    journal = read_journal(Path(summary.directory) / "attempts.jsonl")
    for attempt in latest_attempts(journal).values():
        used = attempt.file_access.used if attempt.file_access else ()
        sys.stdout.write(f"task {attempt.instance_id}: {attempt.status}, {attempt.answer!r} from {', '.join(used)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
