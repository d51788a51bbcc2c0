"""Validation of a large predictions file: MB/s and peak memory, beside parsing each line and nothing else.

Run: python benchmarks/validate.py [megabytes]
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FLOOR = "import json\nfor line in open({path!r}, 'rb'):\n    json.loads(line)\n"
VALIDATE = "from coda_bench import validate\nprint(validate({path!r}, {gold!r}).n_findings)\n"
IDLE_VALIDATE = "from coda_bench import validate\nvalidate\n"
N_TASKS = 1009


def write_files(folder: Path, megabytes: int) -> tuple[Path, Path]:
    """Write a task file and a predictions file of about the size asked for, with code in the metadata."""
    gold, predictions = folder / "gold.json", folder / "predictions.jsonl"
    text = dict.fromkeys(("question", "answer", "answer_guidelines", "reference_code", "dataset", "notebook"), "x")
    tasks = [{"instance_id": id_, **text, "release_community": "community_0"} for id_ in range(N_TASKS)]
    gold.write_text(json.dumps(tasks))
    chance = random.Random(7)  # noqa: S311 the file must be the same each time
    written = 0
    with predictions.open("w") as stream:
        while written < megabytes << 20:
            files = [f"data/community_0/full_community/set_{chance.randrange(99)}/part.csv" for _ in range(8)]
            code = "import pandas as pd\n" * chance.randrange(20, 120)
            metadata = {"files_accessed": files, "code_generated": code, "execution_time_seconds": 12.5}
            row = {"instance_id": chance.randrange(N_TASKS), "prediction": "38%; Überlingen", "metadata": metadata}
            written += stream.write(json.dumps(row) + "\n")
    return gold, predictions


def measure(code: str) -> tuple[float, float]:
    """Run code in a new interpreter; return wall seconds and peak resident MiB."""
    probe = f"{code}\nimport resource, sys\nprint(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    return time.perf_counter() - start, int(done.stderr.split()[-1]) / 1024


def main() -> None:
    """Measure floor and validation, interleaved, best of three."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("megabytes", nargs="?", type=int, default=100)
    megabytes = parser.parse_args().megabytes
    with tempfile.TemporaryDirectory() as folder:
        gold, predictions = write_files(Path(folder), megabytes)
        size = predictions.stat().st_size / (1 << 20)
        places = {"path": str(predictions), "gold": str(gold)}
        floor, ours = [], []
        for _ in range(3):
            floor.append(measure(FLOOR.format(**places)))
            ours.append(measure(VALIDATE.format(**places)))
        idle = measure(IDLE_VALIDATE)
    floor_s, ours_s = min(floor)[0], min(ours)[0]
    print(f"file {size:.0f} MiB, {N_TASKS} tasks")
    print(f"json.loads of each line  {size / floor_s:6.0f} MiB/s  peak {floor[0][1]:5.0f} MiB")
    print(f"validate                 {size / ours_s:6.0f} MiB/s  peak {ours[0][1]:5.0f} MiB")
    print(f"validate, import alone                  peak {idle[1]:5.0f} MiB")
    print(f"ratio to the floor       {ours_s / floor_s:6.2f}")


if __name__ == "__main__":
    main()
