"""What importing costs: `coda_bench`, its scoring names and pydantic, each in new interpreters, interleaved.

Run: python benchmarks/imports.py
"""

import subprocess
import sys
import time
from statistics import median

ROUNDS = 15
STATEMENTS = {
    "nothing": "pass",
    "import pydantic": "import pydantic",
    "import pydantic, use BaseModel": "from pydantic import BaseModel",
    "import coda_bench": "import coda_bench",
    "scoring names": "from coda_bench import evaluate, load_predictions, load_tasks, validate",
    "both scoring commands": "import coda_bench.cli.evaluate, coda_bench.cli.validate",
}


def seconds(statement: str) -> float:
    """Return the wall time of an interpreter that runs one statement."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return time.perf_counter() - start


def main() -> None:
    """Print the median cost of each statement above an empty interpreter's, and its ratio to pydantic's."""
    times: dict[str, list[float]] = {name: [] for name in STATEMENTS}
    for _ in range(ROUNDS):
        for name, statement in STATEMENTS.items():
            times[name].append(seconds(statement))
    empty = median(times["nothing"])
    pydantic = median(times["import pydantic, use BaseModel"]) - empty
    for name, measured in times.items():
        cost = median(measured) - empty
        print(f"{name:32} {1000 * cost:7.1f} ms  {cost / pydantic:5.2f} x pydantic")


if __name__ == "__main__":
    main()
