"""What a sandbox costs: its start, a command in it, and what watching adds.

Every kind is measured in turn, round after round, so that a busy machine burdens all alike: read the ratios.
Run: python benchmarks/sandbox.py [--rounds N] [--json]
Needs a built analysis environment.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from coda_bench.errors import CodaBenchError
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import AnalysisEnvironment, find

FOLDERS = 20
FILES = 50
TRUE = ["/usr/bin/true"]
PANDAS = [
    "python3",
    "-c",
    "import pandas, glob; print(sum(len(pandas.read_csv(p)) for p in glob.glob('/data/d0/*.csv')))",
]
SCAN = ["sh", "-c", "cat /data/*/*.csv | wc -c"]


def make_community(root: Path) -> None:
    """Write a thousand small CSV files in twenty folders."""
    content = "a,b,c\n" + "".join(f"{row},{row * 2},{row * 3}\n" for row in range(200))
    for folder in range(FOLDERS):
        (root / f"d{folder}").mkdir(parents=True)
        for file in range(FILES):
            (root / f"d{folder}/f{file}.csv").write_text(content)


def run_in(sandbox: Sandbox, argv: list[str]) -> None:
    """Run a command in a sandbox and insist on its success."""
    result = sandbox.execute(argv)
    if result.exit_code != 0:
        sys.exit(f"{argv}: exit code {result.exit_code}: {result.stderr.decode(errors='replace')}")


def start_and_close(data: Path, environment: AnalysisEnvironment) -> None:
    """Start a sandbox, run nothing, close it."""
    Sandbox.start(SandboxSpec(data=data, environment=environment)).close()


def measure(kinds: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Return the median of each kind in milliseconds, over interleaved rounds after one that is thrown away."""
    times: dict[str, list[float]] = {name: [] for name in kinds}
    for turn in range(rounds + 1):
        for name, action in kinds.items():
            before = time.perf_counter()
            action()
            if turn:
                times[name].append(1000 * (time.perf_counter() - before))
    return {name: statistics.median(values) for name, values in times.items()}


def compare(rounds: int) -> dict[str, dict[str, float]]:
    """Return medians in milliseconds and their ratios."""
    environment = find()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "community")
        make_community(data)
        spec = SandboxSpec(data=data, environment=environment)
        unwatched = spec.model_copy(update={"tracking": False})
        with Sandbox.start(spec) as tracked, Sandbox.start(unwatched) as untracked:
            kinds: dict[str, Callable[[], object]] = {
                "bare exec of true": partial(subprocess.run, TRUE, check=True, env={})
            }
            for name, argv in (("true", TRUE), ("pandas, 50 files", PANDAS), ("cat, 1,000 files", SCAN)):
                kinds[f"untracked: {name}"] = partial(run_in, untracked, argv)
                kinds[f"tracked: {name}"] = partial(run_in, tracked, argv)
            medians = measure(kinds, rounds)
        # By itself: what a closed sandbox leaves the kernel to tidy up would burden whatever comes next.
        medians |= measure({"sandbox start and close": partial(start_and_close, data, environment)}, rounds)
    bare = medians["bare exec of true"]
    ratios = {
        f"{name} / bare exec": value / bare for name, value in medians.items() if name.endswith((" true", "close"))
    }
    for name, value in medians.items():
        if name.startswith("tracked: "):
            ratios[f"{name} / untracked"] = value / medians[f"un{name}"]
    return {"median_ms": medians, "ratio": ratios}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    try:
        result = compare(arguments.rounds)
    except CodaBenchError as error:
        sys.exit(f"error: {error}")
    if arguments.json:
        print(json.dumps(result, indent=2))
        return
    for name, value in result["median_ms"].items():
        print(f"{name:40} {value:8.1f} ms")
    for name, value in result["ratio"].items():
        print(f"{name:40} {value:8.2f} x")


if __name__ == "__main__":
    main()
