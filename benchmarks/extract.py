"""Extracting one community of 2 GB: `coda-bench data extract` beside `zstd -dc ARCHIVE | tar x`.

The community has a thousand files of invented CSV and JSON lines, 38 of them larger than 10 MB; `pack` makes the
archive. Ours checks every member, hashes the archive and every file, and writes the manifest. Both start a process
and write into one file system; rounds are interleaved in changing order, so that a busy machine burdens both alike:
read the ratios; that of processor time hardly depends on what else runs. A third row, `--no-package`, is ours where
the package zstandard is missing and the program serves.

Run: python benchmarks/extract.py [--rounds N] [--megabytes N] [--folder DIR] [--no-package] [--json]
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
from functools import partial
from pathlib import Path
from typing import NamedTuple

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


def ours(root: Path, into: Path, *, with_package: bool = True) -> None:
    """Extract with every check, as the command does; without the package by a module that stands in its way."""
    for name in ("archives", "archives_manifest.json"):
        (into / name).symlink_to(root / name)
    command = [sys.executable, "-m", "coda_bench.cli", "data", "extract", "--release", str(into)]
    paths = [os.environ.get("PYTHONPATH", "")]
    if not with_package:
        (root / "hidden").mkdir(exist_ok=True)
        (root / "hidden" / "zstandard.py").write_text("raise ImportError")
        paths.insert(0, str(root / "hidden"))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=environment)


class Cost(NamedTuple):
    """What one extraction took, in seconds."""

    wall: float
    processor: float


def measured(action: Callable[[Path, Path], None], root: Path) -> Cost:
    """Extract once into an empty folder; removing it is not counted."""
    into = Path(tempfile.mkdtemp(dir=root))
    os.sync()
    before, children = time.perf_counter(), os.times()
    action(root, into)
    wall, now = time.perf_counter() - before, os.times()
    processor = now.children_user + now.children_system - children.children_user - children.children_system
    shutil.rmtree(into)
    return Cost(wall, processor)


def interval(ratios: list[float]) -> list[float]:
    """Return the 95 % interval of the median by resampling rounds."""
    chance = random.Random(7)  # noqa: S311 the interval must be the same for the same times
    medians = sorted(statistics.median(chance.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES))
    return [medians[RESAMPLES // 40], medians[-RESAMPLES // 40]]


def measure(root: Path, rounds: int, *, without_package: bool) -> dict[str, object]:
    """Return medians and ratios, after one round that is thrown away."""
    actions: dict[str, Callable[[Path, Path], None]] = {"plain": plain, "ours": ours}
    if without_package:
        actions["no_package"] = partial(ours, with_package=False)
    costs: dict[str, list[Cost]] = {name: [] for name in actions}
    for turn in range(rounds + 1):
        for name in sorted(actions, reverse=bool(turn % 2)):
            cost = measured(actions[name], root)
            print(f"round {turn} of {rounds}: {name} {cost.wall:.2f} s", file=sys.stderr)
            if turn:
                costs[name].append(cost)
    result: dict[str, object] = {"rounds": rounds, "load": [round(one, 2) for one in os.getloadavg()]}
    for name in costs:
        for number, kind in enumerate(Cost._fields):
            result |= compared(name, kind, [[cost[number] for cost in costs[one]] for one in (name, "plain")])
    return result


def compared(name: str, kind: str, columns: list[list[float]]) -> dict[str, object]:
    """Return the median of one way's seconds, and its ratio to the plain way's."""
    result: dict[str, object] = {f"{name}_{kind}_s": round(statistics.median(columns[0]), 2)}
    if name != "plain":
        ratios = [one / other for one, other in zip(*columns, strict=True)]
        result[f"{name}_{kind}_ratio"] = round(statistics.median(ratios), 2)
        result[f"{name}_{kind}_ratio_95"] = [round(one, 2) for one in interval(ratios)]
    return result


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--megabytes", type=int, default=1930)
    parser.add_argument("--folder", type=Path, help="on the disk to measure; the temporary folder by default")
    parser.add_argument("--no-package", action="store_true", help="measure the path without the package zstandard too")
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
            result = figures | measure(root, options.rounds, without_package=options.no_package)
        except CodaBenchError as error:
            sys.exit(f"error: {error}")
    if options.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name.replace('_', ' '):<28} {value}")


if __name__ == "__main__":
    main()
