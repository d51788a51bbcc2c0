"""Extracting one community of 2 GB: `coda-bench data extract` beside `zstd -dc ARCHIVE | tar x`.

The community has a thousand files of invented CSV and JSON lines, 38 of them larger than 10 MB; `pack` makes the
archive. Ours checks every member, hashes the archive and every file, and writes the manifest. Both start a process
and write into one file system; rounds are interleaved in changing order, so that a busy machine burdens both alike:
read the ratio. A third column, `--no-program`, is ours where the machine has no zstd program.

Run: python benchmarks/extract.py [--rounds N] [--megabytes N] [--folder DIR] [--no-program] [--json]
Needs the programs zstd and tar, and three times the megabytes on disk.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from coda_bench.archives.pack import pack
from coda_bench.errors import CodaBenchError
from coda_bench.records.archive import ArchivesManifest

N_FILES, N_LARGE = 1000, 38
LARGE_SHARE = 0.75
"""Of all bytes, in the large files: 38 files of 38 MB in 1,930 MB, and 0.5 MB for each of the others."""
LEVEL = 3
COMMUNITY = "community_1"
POOL_BYTES = 48 << 20
RESAMPLES = 10_000


def make_release(root: Path, megabytes: int) -> None:
    """Write a release with one community and its archive."""
    chance = random.Random(7)  # noqa: S311 the files must be the same each time
    pools = [_pool(chance, _csv_row), _pool(chance, _json_row)]
    folder = root / "source" / "full_community"
    for number, size in enumerate(_sizes(chance, megabytes * 1_000_000)):
        path = folder / f"set-{number % 60}" / f"part-{number}.{('csv', 'ndjson')[number % 2]}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_slice(pools[number % 2], chance, size))
    entry = pack(folder.parent, root / "archives", name=COMMUNITY, level=LEVEL)
    manifest = ArchivesManifest(version="1", archives=(entry,))
    (root / "archives_manifest.json").write_text(manifest.model_dump_json())
    shutil.rmtree(folder.parent)


def _sizes(chance: random.Random, total: int) -> Iterator[int]:
    large = [chance.uniform(0.4, 1.6) for _ in range(N_LARGE)]
    small = [chance.lognormvariate(0, 1.2) for _ in range(N_FILES - N_LARGE)]
    for weights, share in ((large, LARGE_SHARE), (small, 1 - LARGE_SHARE)):
        yield from (int(total * share * weight / sum(weights)) for weight in weights)


def _pool(chance: random.Random, row: Callable[[random.Random, int], str]) -> bytes:
    """Return rows that files are cut out of, so long that no compressor remembers one file at the next."""
    parts, size, number = [], 0, 0
    while size < POOL_BYTES:
        parts.append(row(chance, number).encode())
        size += len(parts[-1])
        number += 1
    return b"".join(parts)


def _csv_row(chance: random.Random, number: int) -> str:
    day, city = f"20{chance.randrange(10, 25)}-{chance.randrange(1, 13):02}-11", chance.choice(("Lima", "Oslo", "Pune"))
    return f"{number},{day},{city},{chance.gauss(50, 9):.4f},{chance.random():.6f},{chance.randrange(10**6)}\n"


def _json_row(chance: random.Random, number: int) -> str:
    return (
        json.dumps({"id": number, "user": chance.randrange(10**7), "stars": chance.randrange(6), "text": "good " * 3})[
            :-1
        ]
        + f', "score": {chance.random():.8f}}}\n'
    )


def _slice(pool: bytes, chance: random.Random, size: int) -> bytes:
    start = chance.randrange(len(pool))
    return (pool[start:] + pool * (size // len(pool) + 1))[:size]


def plain(root: Path, into: Path) -> None:
    """Extract with the machine's programs and no check."""
    archive = root / "archives" / f"{COMMUNITY}.tar.zst"
    with subprocess.Popen(["zstd", "-dcq", str(archive)], stdout=subprocess.PIPE) as zstd:
        subprocess.run(["tar", "x", "-C", str(into)], stdin=zstd.stdout, check=True)


def ours(root: Path, into: Path, *, path: str | None = None) -> None:
    """Extract with every check, as the command does."""
    for name in ("archives", "archives_manifest.json"):
        (into / name).symlink_to(root / name)
    command = [sys.executable, "-m", "coda_bench.cli", "data", "extract", "--release", str(into)]
    environment = os.environ if path is None else {**os.environ, "PATH": path}
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=environment)


def timed(action: Callable[[Path, Path], None], root: Path) -> float:
    """Return the seconds of one extraction into an empty folder; removing it is not counted."""
    into = Path(tempfile.mkdtemp(dir=root))
    os.sync()
    before = time.perf_counter()
    action(root, into)
    seconds = time.perf_counter() - before
    shutil.rmtree(into)
    return seconds


def interval(ratios: list[float]) -> list[float]:
    """Return the 95 % interval of the median by resampling rounds."""
    chance = random.Random(7)  # noqa: S311 the interval must be the same for the same times
    medians = sorted(statistics.median(chance.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES))
    return [medians[RESAMPLES // 40], medians[-RESAMPLES // 40]]


def measure(root: Path, rounds: int, *, with_library: bool) -> dict[str, object]:
    """Return medians and ratios, after one round that is thrown away."""
    actions: dict[str, Callable[[Path, Path], None]] = {"plain": plain, "ours": ours}
    if with_library:
        actions["no_program"] = lambda root, into: ours(root, into, path="/nowhere")
    times: dict[str, list[float]] = {name: [] for name in actions}
    for turn in range(rounds + 1):
        for name in sorted(actions, reverse=bool(turn % 2)):
            seconds = timed(actions[name], root)
            print(f"round {turn} of {rounds}: {name} {seconds:.2f} s", file=sys.stderr)
            if turn:
                times[name].append(seconds)
    result: dict[str, object] = {"rounds": rounds, "load": [round(one, 2) for one in os.getloadavg()]}
    for name, seconds_of in times.items():
        result[f"{name}_s"] = round(statistics.median(seconds_of), 2)
        if name != "plain":
            ratios = [one / other for one, other in zip(seconds_of, times["plain"], strict=True)]
            result[f"{name}_ratio"] = round(statistics.median(ratios), 2)
            result[f"{name}_ratio_95"] = [round(one, 2) for one in interval(ratios)]
    return result


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--megabytes", type=int, default=1930)
    parser.add_argument("--folder", type=Path, help="on the disk to measure; the temporary folder by default")
    parser.add_argument("--no-program", action="store_true", help="measure the path without a zstd program too")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not (shutil.which("zstd") and shutil.which("tar")):
        sys.exit("error: needs the programs zstd and tar")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        root = Path(folder)
        try:
            make_release(root, options.megabytes)
            size = (root / "archives" / f"{COMMUNITY}.tar.zst").stat().st_size
            figures = {"megabytes": options.megabytes, "files": N_FILES, "archive_megabytes": round(size / 1e6)}
            result = figures | measure(root, options.rounds, with_library=options.no_program)
        except CodaBenchError as error:
            sys.exit(f"error: {error}")
    if options.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name.replace('_', ' '):<24} {value}")


if __name__ == "__main__":
    main()
