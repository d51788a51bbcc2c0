"""Scoring 1,009 tasks: wall time of the two commands, comparisons a second, and discovery over long file lists.

Run: python benchmarks/evaluate.py
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from coda_bench import evaluate, load_predictions, load_tasks

N_TASKS = 1009
N_FILES = 3_413
"""Files a task has on average in the second public release."""
ANSWERS = (
    ("38%", "Answer must be a percentage integer formatted as 'XX%'."),
    ("106; 93", "Answer must be two integers separated by a semicolon."),
    ("Juventus; 2013/2014; 102", "Answer in the format: Team Name; Season; Points."),
    ("0.0003201525; 0.0000006511; No", "P-values with exactly 10 decimal places; Yes or No."),
    ("80-125 minutes", "Answer must be in the format 'min-max minutes', rounded to 5 minutes."),
    ("November 24, 2017; 1,176", "Format: Month Day, Year; Count with commas."),
)


def write_files(folder: Path, n_files: int) -> tuple[Path, Path]:
    """Write a task file and predictions: half of them right, each with a list of opened files."""
    chance = random.Random(7)  # noqa: S311 the files must be the same each time
    tasks, lines = [], []
    names = [f"data/community_0/full_community/set-{n % 97}/part_{n}.csv" for n in range(n_files)]
    for id_ in range(N_TASKS):
        gold, guideline = chance.choice(ANSWERS)
        texts = dict.fromkeys(("reference_code", "dataset", "notebook"), "x" * 500)
        question = f"Question {id_}, of about the length that questions have in the released file, more or less?"
        about = {"question": question, "answer": gold, "answer_guidelines": f"{guideline} ({id_})"}
        tasks.append({"instance_id": id_, **about, "release_community": "community_0", **texts})
        answer = gold if chance.random() < 0.5 else f"{gold} {id_}"  # noqa: PLR2004 half of them
        lines.append(json.dumps({"instance_id": id_, "prediction": answer, "metadata": {"files_accessed": names}}))
    gold_file, predictions = folder / "gold.json", folder / "predictions.jsonl"
    gold_file.write_text(json.dumps(tasks))
    predictions.write_text("\n".join(lines) + "\n")
    return gold_file, predictions


def command_seconds(name: str, gold: Path, predictions: Path) -> tuple[float, float]:
    """Return wall and processor seconds of a command in a new process, each the best of five runs."""
    code = f"from coda_bench.cli.{name} import main; main()"
    arguments = [sys.executable, "-c", code, "--pred", str(predictions), "--gold", str(gold)]
    walls, processors = [], []
    for _ in range(5):
        start, before = time.perf_counter(), os.times()
        subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        walls.append(time.perf_counter() - start)
        processors.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return min(walls), min(processors)


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        gold, predictions = write_files(Path(folder), 0)
        for name in ("validate", "evaluate"):
            wall, processor = command_seconds(name, gold, predictions)
            print(f"coda-bench-{name} on {N_TASKS} tasks: {wall:.2f} s (limit 1.5 s), {processor:.2f} s of processor")
        tasks, loaded = load_tasks(gold), load_predictions(predictions)
        start = time.perf_counter()
        evaluate(loaded, tasks)
        print(f"evaluate alone: {N_TASKS / (time.perf_counter() - start):,.0f} answers/s")
        gold, predictions = write_files(Path(folder), N_FILES)
        loaded = load_predictions(predictions)
        start = time.perf_counter()
        targets = {id_: [f"set_{id_ % 97}/part-{id_}.csv"] for id_ in range(N_TASKS)}
        found = evaluate(loaded, load_tasks(gold), targets)
        seconds = time.perf_counter() - start
        print(f"with discovery over {N_FILES:,} files a task: {seconds:.1f} s, superset {found.da_superset_correct}")


if __name__ == "__main__":
    main()
