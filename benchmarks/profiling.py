"""Profiling 10,000 small files and one CSV of 2 GB: time and memory, against a floor measured in the same run.

The floor is what nobody can go below who reads every byte once: sha256 of the same files, and DuckDB's own count of
rows of the same CSVs, one after the other in one process.

Run: python benchmarks/profiling.py [SMALL_FILES [BIG_GIGABYTES]]
"""

import hashlib
import json
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

import duckdb

from coda_bench.construct.environment.profiling.pool import Job, Pool

N_FILES = 10_000
GIGABYTES = 2.0
BYTES_A_ROW = 92
COUNT = "select count(*) from read_csv(?, header=true, delim=',', quote='\"', auto_detect=false, columns={{{columns}}})"
ENDINGS = (*["csv"] * 8, "json", "txt")


def small_files(folder: Path, n_files: int) -> list[Path]:
    """Write CSVs of 1 to 40 kB, and a tenth each of JSON and of prose."""
    chance = random.Random(7)  # noqa: S311 the files must be the same each time
    paths = []
    for n in range(n_files):
        path = folder / f"{n}.{ENDINGS[n % len(ENDINGS)]}"
        rows = [
            (k, chance.random(), f"name {chance.randrange(1000)}", "2024-01-02")
            for k in range(chance.randrange(30, 1_000))
        ]
        if path.suffix == ".json":
            path.write_text(json.dumps([{"id": row[0], "x": row[1]} for row in rows]))
        elif path.suffix == ".txt":
            path.write_text("\n".join(f"On day {row[0]} we met {row[2]}, and went on" for row in rows))
        else:
            path.write_text("id,x,name,day\n" + "".join(f"{a},{b:.4f},{c},{d}\n" for a, b, c, d in rows))
        paths.append(path)
    return paths


def big_file(path: Path, n_bytes: float) -> list[Path]:
    """Write a CSV of eight columns of several types."""
    n_rows = int(n_bytes / BYTES_A_ROW)
    with duckdb.connect() as connection:
        connection.execute(
            f"""copy (select i as id, (hash(i) % 100000) / 100.0 as amount, date '2020-01-01' + (i % 1000)::int as day,
                'name ' || (hash(i + 1) % 10000) as name, hash(i + 2) % 100 as k, (hash(i + 3) % 1000000) / 7.0 as x,
                case when i % 5 = 0 then null else i % 7 end as opt,
                'some longer text with words ' || (hash(i + 5) % 1000000) as note
                from range({n_rows}) t(i)) to '{path}' (header)"""
        )
    return [path]


def columns_of(path: Path) -> str:
    """Return the columns as DuckDB is told them, so that it need not look for them."""
    with path.open() as stream:
        return ", ".join(f"'{name}': 'VARCHAR'" for name in stream.readline().strip().split(","))


def floor_seconds(paths: list[Path]) -> float:
    """Return the seconds for sha256 and a count of rows."""
    start = time.perf_counter()
    with duckdb.connect() as connection:
        for path in paths:
            with path.open("rb") as stream:
                hashlib.file_digest(stream, "sha256")
            if path.suffix == ".csv":
                connection.execute(COUNT.format(columns=columns_of(path)), [str(path)]).fetchall()
    return time.perf_counter() - start


def profile_seconds(paths: list[Path]) -> tuple[float, int, int]:
    """Return seconds with the start of workers, the rows counted, and files with problems."""
    jobs = [Job(path, path.name, path.stat().st_size) for path in paths]
    start, n_rows, n_problems = time.perf_counter(), 0, 0
    with Pool() as pool:
        for outcome in pool.profile(jobs):
            tables = outcome.profile.tables if outcome.profile else ()
            n_rows += sum(table.rows or 0 for table in tables)
            n_problems += outcome.profile is None or bool(outcome.profile.problems)
    return time.perf_counter() - start, n_rows, n_problems


def measure(name: str, paths: list[Path]) -> None:
    """Measure both and print."""
    n_bytes = sum(path.stat().st_size for path in paths)
    least = floor_seconds(paths)
    seconds, n_rows, n_problems = profile_seconds(paths)
    mib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    print(
        f"{name}: {n_bytes / 1e9:.2f} GB, {n_rows:,} rows in {seconds:.1f} s, {n_problems} with problems; "
        f"floor (sha256, DuckDB count) {least:.1f} s: {seconds / least:.2f} times that; largest worker so far {mib} MiB"
    )


def main() -> None:
    """Measure and print."""
    n_files = int(sys.argv[1]) if len(sys.argv) > 1 else N_FILES
    gigabytes = float(sys.argv[2]) if len(sys.argv) > 2 else GIGABYTES  # noqa: PLR2004
    with tempfile.TemporaryDirectory() as folder:
        measure(f"{n_files:,} small files", small_files(Path(folder), n_files))
    with tempfile.TemporaryDirectory() as folder:
        measure("one CSV", big_file(Path(folder) / "big.csv", gigabytes * 1e9))


if __name__ == "__main__":
    main()
