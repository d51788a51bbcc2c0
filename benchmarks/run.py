"""What running costs beside the sandbox: seconds an attempt of the `nothing` agent against bare sandbox starts.

Rounds of both kinds are interleaved, so that a busy machine burdens both alike: read the ratio.
Run: python benchmarks/run.py [--tasks N] [--rounds N] [--json]
Needs a built analysis environment.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from coda_bench.errors import CodaBenchError
from coda_bench.run.batch import run_batch
from coda_bench.run.plan import RunOptions
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import find


def make_release(root: Path, tasks: int) -> None:
    """Write a release with one community of 100 small files."""
    community = root / "communities" / "community_1" / "full_community" / "numbers"
    community.mkdir(parents=True)
    for file in range(100):
        (community / f"n{file}.csv").write_text("a,b\n1,2\n")
    fields = {"question": "How many?", "answer": "1", "answer_guidelines": "A number.", "reference_code": "print(1)"}
    names = {"dataset": "numbers", "notebook": "n", "release_community": "community_1"}
    rows = [{"instance_id": task, **fields, **names} for task in range(tasks)]
    (root / "coda_bench.json").write_text(json.dumps(rows))


def bare_starts(data: Path, count: int) -> None:
    """Start and close sandboxes one after the other, with one command each."""
    spec = SandboxSpec(data=data, environment=find())
    for _ in range(count):
        with Sandbox.start(spec) as sandbox:
            sandbox.execute(["true"])


def attempts(release: Path, out: Path) -> None:
    """Make all attempts of the release, one at a time."""
    run_batch(RunOptions(release=release, agent="nothing", out=out, jobs=1))


def measure(tasks: int, rounds: int) -> dict[str, float]:
    """Return medians in milliseconds of wall and processor time, after one round that is thrown away."""
    walls: dict[str, list[float]] = {"sandbox": [], "attempt": []}
    processor: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        release = Path(folder) / "release"
        make_release(release, tasks)
        data = release / "communities" / "community_1" / "full_community"
        for turn in range(rounds + 1):
            walls["sandbox"].append(timed(partial(bare_starts, data, tasks)) / tasks)
            before = os.times()
            out = Path(folder) / f"run{turn}"
            walls["attempt"].append(timed(partial(attempts, release, out)) / tasks)
            processor.append((os.times().user - before.user + os.times().system - before.system) * 1000 / tasks)
    median = {name: statistics.median(times[1:]) for name, times in walls.items()}
    return {
        "bare_sandbox_ms": median["sandbox"],
        "attempt_ms": median["attempt"],
        "attempt_harness_cpu_ms": statistics.median(processor[1:]),
        "ratio": median["attempt"] / median["sandbox"],
    }


def timed(action: Callable[[], None]) -> float:
    """Return the milliseconds an action takes."""
    before = time.perf_counter()
    action()
    return (time.perf_counter() - before) * 1000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    try:
        figures = measure(arguments.tasks, arguments.rounds)
    except CodaBenchError as error:
        sys.exit(f"error: {error}")
    if arguments.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:<24} {value:8.2f}")


if __name__ == "__main__":
    main()
