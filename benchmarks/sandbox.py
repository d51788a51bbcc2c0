"""What a sandbox costs: a command in it, a whole attempt, what watching adds, and a container engine beside it.

Every kind is measured in turn, round after round, so that a busy machine burdens all alike: read the ratios.
Run: python benchmarks/sandbox.py [--rounds N] [--json] [--image IMAGE]
Needs a built analysis environment. An engine (docker or podman) is measured when there is one and `--image` names an
image that it has and that holds `true`; attempts in containers need `coda-bench image build` before.
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
from functools import partial
from pathlib import Path
from typing import NamedTuple, Self

from coda_bench.errors import CodaBenchError
from coda_bench.records.run import Backend
from coda_bench.sandbox import Sandbox, SandboxSpec, bubblewrap
from coda_bench.sandbox.analysis_env import find

FOLDERS = 20
FILES = 50
TRUE = ["/usr/bin/true"]
BARE = "bare exec of true"
PLAIN = "bubblewrap alone: true"
ATTEMPT = "whole attempt: start, true, close"
_PAUSE_S = 0.02
"""Between two measurements: what one leaves the kernel to tidy up is not to burden the next."""
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


def whole_attempt(spec: SandboxSpec) -> None:
    """Start a sandbox, run one command, close it."""
    with Sandbox.start(spec) as sandbox:
        run_in(sandbox, TRUE)


def plain_bubblewrap() -> list[str]:
    """Return a command that makes the same namespaces over the host's files: the floor for ours."""
    options = ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net", "--disable-userns"]
    return [str(bubblewrap.find().binary), *options, "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", *TRUE]


def engines(image: str, spec: SandboxSpec) -> dict[str, Callable[[], object]]:
    """Return one container's life on each engine of this machine, without network as ours, and an attempt in it."""
    attempts = {
        f"whole attempt on {backend}": partial(whole_attempt, spec.model_copy(update={"backend": backend}))
        for backend in (Backend.DOCKER, Backend.PODMAN)
        if image and shutil.which(backend)
    }
    # Where this process may not raise limits, an engine must not try to either.
    limits = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=4096:4096"]
    return attempts | {
        f"{engine} run": partial(
            subprocess.run,
            [engine, "run", "--rm", "--network", "none", *limits, image, "true"],
            check=True,
            capture_output=True,
        )
        for engine in ("docker", "podman")
        if image and shutil.which(engine)
    }


class Times(NamedTuple):
    """A kind's times in milliseconds over all rounds."""

    median: float
    low: float
    high: float
    """Ends of the median's 95 % interval, from the order of the times: no shape of theirs is assumed."""

    @classmethod
    def of(cls, values: list[float]) -> Self:
        """Summarise one kind's times."""
        ordered, count = sorted(values), len(values)
        first = max(0, int(count / 2 - 0.98 * count**0.5))
        return cls(statistics.median(ordered), ordered[first], ordered[count - 1 - first])


def measure(kinds: dict[str, Callable[[], object]], rounds: int) -> dict[str, Times]:
    """Return the times of each kind, over interleaved rounds after one that is thrown away."""
    times: dict[str, list[float]] = {name: [] for name in kinds}
    for turn in range(rounds + 1):
        for name, action in kinds.items():
            before = time.perf_counter()
            action()
            if turn:
                times[name].append(1000 * (time.perf_counter() - before))
            time.sleep(_PAUSE_S)
    return {name: Times.of(values) for name, values in times.items()}


def compare(rounds: int, image: str) -> dict[str, Times]:
    """Measure every kind over one community."""
    environment = find()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "community")
        make_community(data)
        spec = SandboxSpec(data=data, environment=environment)
        unwatched = spec.model_copy(update={"tracking": False})
        with Sandbox.start(spec) as tracked, Sandbox.start(unwatched) as untracked:
            kinds: dict[str, Callable[[], object]] = {
                BARE: partial(subprocess.run, TRUE, check=True, env={}),
                PLAIN: partial(subprocess.run, plain_bubblewrap(), check=True, env={}),
                "untracked: true": partial(run_in, untracked, TRUE),
                "tracked: true": partial(run_in, tracked, TRUE),
                ATTEMPT: partial(whole_attempt, spec),
                **engines(image, spec),
            }
            for name, argv in (("pandas, 50 files", PANDAS), ("cat, 1,000 files", SCAN)):
                kinds[f"untracked: {name}"] = partial(run_in, untracked, argv)
                kinds[f"tracked: {name}"] = partial(run_in, tracked, argv)
            return measure(kinds, rounds)


def comparisons(times: dict[str, Times]) -> dict[str, float]:
    """Return differences to a bare exec in milliseconds, and ratios."""
    found: dict[str, float] = {}
    for name in (PLAIN, "untracked: true", "tracked: true", ATTEMPT):
        found[f"{name}, ms over bare exec"] = times[name].median - times[BARE].median
    for engine in (name for name in times if name.endswith(" run")):
        for name in ("tracked: true", ATTEMPT):
            found[f"{engine} / {name}"] = times[engine].median / times[name].median
    for name, one in times.items():
        if name.startswith("tracked: "):
            found[f"{name} / untracked"] = one.median / times[f"un{name}"].median
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--image", default="", help="an image to compare with, if there is a container engine")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    try:
        times = compare(arguments.rounds, arguments.image)
    except CodaBenchError as error:
        sys.exit(f"error: {error}")
    compared = comparisons(times)
    if arguments.json:
        print(json.dumps({"ms": {name: one._asdict() for name, one in times.items()}, "compared": compared}, indent=2))
        return
    for name, one in times.items():
        print(f"{name:40} {one.median:8.1f} ms  ({one.low:.1f} to {one.high:.1f})")
    for name, value in compared.items():
        print(f"{name:40} {value:8.2f}")


if __name__ == "__main__":
    main()
