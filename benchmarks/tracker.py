"""What watching costs: pandas, a search through many files, one large file; untracked, with either tracker, and strace.

Every kind is measured in turn, round after round, so that a busy machine burdens all alike: read the ratios.
strace cannot run in the sandbox; it is measured on the machine itself, against the same command there.
Run: python benchmarks/tracker.py [--rounds N] [--json] [--ripgrep PATH]
Needs a built analysis environment. Without ripgrep, grep -r searches.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple

from coda_bench.errors import CodaBenchError
from coda_bench.records.access import TrackerKind
from coda_bench.records.run import Limits
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import AnalysisEnvironment, find

TABLES, TABLE_BYTES = 50, 1_000_000
FOLDERS, FILES_A_FOLDER = 100, 50
GIGABYTE = 1 << 30
MANY, SPARSE_BYTES = 8158, 9_000_000_000
PANDAS = "import glob, pandas; print(sum(len(pandas.read_csv(p)) for p in glob.glob('{data}/tables/*.csv')))"
INSIDE_RG = "/tools/rg"
UNTRACKED = "untracked"


class Times(NamedTuple):
    """One kind's times in milliseconds."""

    median: float
    low: float
    high: float
    """Ends of the median's 95 % interval, from the order of the times."""

    @classmethod
    def of(cls, values: list[float]) -> "Times":
        """Summarise one kind's times."""
        ordered, count = sorted(values), len(values)
        first = max(0, int(count / 2 - 0.98 * count**0.5))
        return cls(statistics.median(ordered), ordered[first], ordered[-1 - first])


def make_data(root: Path) -> None:
    """Write fifty tables of a megabyte, five thousand files of four kilobytes, and one of a gigabyte."""
    (root / "tables").mkdir(parents=True)
    row = "12345,67.89,some words of text,2020-01-01\n"
    for number in range(TABLES):
        (root / f"tables/t{number}.csv").write_text("a,b,c,d\n" + row * (TABLE_BYTES // len(row)))
    for folder in range(FOLDERS):
        (root / f"many/d{folder}").mkdir(parents=True)
        for file in range(FILES_A_FOLDER):
            (root / f"many/d{folder}/f{file}.csv").write_text((f"{folder},{file},{row}") * 85)
    block = bytes(range(256)) * 4096
    with (root / "large.bin").open("wb") as stream:
        for _ in range(GIGABYTE // len(block)):
            stream.write(block)


def make_many(root: Path, total_bytes: int) -> None:
    """Write 8,158 files that seem to hold so many bytes altogether; none of them takes room."""
    for number in range(MANY):
        path = root / f"set{number // 100}/file{number}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as stream:
            stream.truncate(total_bytes // MANY)


def commands(data: str, python: str, searcher: list[str]) -> dict[str, list[str]]:
    """Return the three commands over a data directory."""
    return {
        "pandas, 50 files of 1 MB": [python, "-c", PANDAS.format(data=data)],
        f"{Path(searcher[0]).name}, 5,000 files": [*searcher, "nowhere", f"{data}/many"],
        "cat, 1 GB": ["cat", f"{data}/large.bin"],
    }


def in_sandbox(sandbox: Sandbox, argv: list[str]) -> None:
    """Run a command in a sandbox; what it prints goes nowhere."""
    result = sandbox.execute(["sh", "-c", '"$@" > /dev/null', "sh", *argv])
    if result.exit_code not in {0, 1} or result.stderr:  # 1: nothing found, as it should be
        sys.exit(f"{argv}: exit code {result.exit_code}: {result.stderr.decode(errors='replace')}")


def on_machine(argv: list[str]) -> None:
    """Run a command on the machine itself."""
    subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def start(spec: SandboxSpec) -> None:
    """Start a sandbox, run a command, close it."""
    with Sandbox.start(spec) as sandbox:
        in_sandbox(sandbox, ["true"])


def measure(kinds: dict[str, Callable[[], object]], rounds: int) -> dict[str, Times]:
    """Return each kind's times over interleaved rounds, after one that is thrown away."""
    times: dict[str, list[float]] = {name: [] for name in kinds}
    for turn in range(rounds + 1):
        for name, action in kinds.items():
            before = time.perf_counter()
            action()
            if turn:
                times[name].append(1000 * (time.perf_counter() - before))
    return {name: Times.of(values) for name, values in times.items()}


def sandboxes(stack: ExitStack, spec: SandboxSpec) -> dict[str, Sandbox]:
    """Return a sandbox without a tracker and one with each that works here."""
    kinds = {UNTRACKED: TrackerKind.NONE} | {
        kind.value: kind for kind in (TrackerKind.OVERLAY_INOTIFY, TrackerKind.SECCOMP_NOTIFY)
    }
    started = {
        name: stack.enter_context(Sandbox.start(spec.model_copy(update={"tracker": kind})))
        for name, kind in kinds.items()
    }
    return {name: sandbox for name, sandbox in started.items() if sandbox.record.tracker == kinds[name]}


def compare(rounds: int, environment: AnalysisEnvironment, ripgrep: str | None) -> dict[str, Times]:
    """Measure the commands with every tracker."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        data = Path(folder, "community")
        make_data(data)
        Path(folder).chmod(0o755)
        tools = ((Path(ripgrep), INSIDE_RG),) if ripgrep else ()
        limits = Limits(memory_mb=8192)
        spec = SandboxSpec(data=data, environment=environment, readonly=tools, limits=limits)
        kinds: dict[str, Callable[[], object]] = {}
        for name, sandbox in sandboxes(stack, spec).items():
            inside = commands("/data", "python3", [INSIDE_RG] if ripgrep else ["grep", "-r"])
            kinds |= {f"{what}: {name}": partial(in_sandbox, sandbox, argv) for what, argv in inside.items()}
        python = str(environment.root / "bin/python3")
        outside = commands(str(data), python, [ripgrep] if ripgrep else ["grep", "-r"])
        strace = shutil.which("strace")
        options = ["-f", "--seccomp-bpf", "-y", "-e", "trace=open,openat,openat2", "-o", "/dev/null"]
        for what, argv in outside.items() if strace else ():
            kinds[f"{what}: machine, untracked"] = partial(on_machine, argv)
            kinds[f"{what}: machine, strace"] = partial(on_machine, [str(strace), *options, *argv])
        return measure(kinds, rounds)


def compare_sizes(rounds: int, environment: AnalysisEnvironment) -> dict[str, Times]:
    """Measure start, one command and close over 8,158 empty files, and over as many that seem to hold 9 GB."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        kinds: dict[str, Callable[[], object]] = {}
        for name, size in (("0 GB", 0), ("9 GB", SPARSE_BYTES)):
            make_many(Path(folder, name[0]), size)
            spec = SandboxSpec(data=Path(folder, name[0]), environment=environment)
            kinds[f"whole sandbox, 8,158 files: {name}"] = partial(start, spec)
        return measure(kinds, rounds)


def ratios(times: dict[str, Times]) -> dict[str, float]:
    """Return each median against the untracked one of the same command and place."""
    found = {}
    for name, value in times.items():
        what, _, how = name.rpartition(": ")
        base = {"machine, strace": "machine, untracked", "9 GB": "0 GB"}.get(how, UNTRACKED)
        if how not in {base, "machine, untracked"} and f"{what}: {base}" in times:
            found[name] = value.median / times[f"{what}: {base}"].median
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--ripgrep", default=shutil.which("rg"), help="a static ripgrep")
    arguments = parser.parse_args()
    try:
        environment = find()
        times = compare(arguments.rounds, environment, arguments.ripgrep)
        times |= compare_sizes(arguments.rounds, environment)
    except CodaBenchError as error:
        sys.exit(f"error: {error}")
    against = ratios(times)
    if arguments.json:
        print(json.dumps({"ms": {k: v._asdict() for k, v in times.items()}, "ratio": against}, indent=2))
        return
    for name, value in times.items():
        ratio = f"{against[name]:6.2f} x" if name in against else ""
        print(f"{name:45} {value.median:8.1f} ms [{value.low:.1f}, {value.high:.1f}] {ratio}")


if __name__ == "__main__":
    main()
