"""100,000 answers scored: ours beside the public release's two matchers, written anew here as the floor.

Both score the same answers: golds given back, other spellings of them, and wrong answers near them, in equal
parts. The golds are those of a task file, or invented ones of every kind. The runs are interleaved.

Run: python benchmarks/score.py [--tasks coda_bench.json] [--answers 100000] [--json]
"""

import argparse
import json
import random
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from coda_bench.answers.verdict import judge
from coda_bench.records.task import load_tasks
from generation.equivalents import equivalents
from generation.golds import GOLDS
from generation.mutants import mutants

TOKEN = re.compile(r"[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?")
CATEGORIES = ("Zanzibar", "Household Goods")
ROUNDS = 5
PROCESSES = 2
TOLERANCE = 1e-6
"""The released rule's, absolute."""


class Pair(NamedTuple):
    """One answer with its gold."""

    prediction: str
    gold: str
    guideline: str
    question: str


def released_rule(pair: Pair) -> tuple[bool, bool]:
    """Judge as the public release does: the texts agree, or their numbers do within 1e-6."""
    found, wanted = (" ".join(text.split()).lower() for text in (pair.prediction, pair.gold))
    if found == wanted:
        return True, True
    numbers, golds = TOKEN.findall(pair.prediction), TOKEN.findall(pair.gold)
    if not numbers or len(numbers) != len(golds):
        return False, False
    return False, all(abs(float(one) - float(other)) <= TOLERANCE for one, other in zip(numbers, golds, strict=True))


def our_rule(pair: Pair) -> bool:
    """Judge by the typed comparison."""
    return judge(pair.prediction, pair.gold, pair.guideline, question=pair.question).ea


def make_pairs(tasks: Path | None, n: int) -> list[Pair]:
    """Return `n` answers in random order, the same for the same arguments."""
    chance = random.Random(7)  # noqa: S311 the answers must be the same each time
    if tasks:
        golds = [(task.answer, task.answer_guidelines, task.question) for task in load_tasks(tasks)]
    else:
        golds = [(gold.answer, gold.guideline, gold.question) for gold in GOLDS]
    pairs = [
        Pair(text, gold, guideline, question) for gold, guideline, question in golds for text in _near(gold, chance)
    ]
    chosen = [chance.choice(pairs) for _ in range(n)]
    chance.shuffle(chosen)
    return chosen


def _near(gold: str, chance: random.Random) -> Iterator[str]:
    same = [text for _, text in equivalents(gold)]
    wrong = [text for _, text in mutants(gold, CATEGORIES)]
    for _ in range(20):
        yield from (gold, chance.choice(same), chance.choice(wrong))


def seconds(rule: Callable[[Pair], object], pairs: Sequence[Pair]) -> float:
    """Return how long a rule takes for all pairs in one process."""
    start = time.perf_counter()
    for pair in pairs:
        rule(pair)
    return time.perf_counter() - start


def seconds_in_parallel(pairs: Sequence[Pair]) -> float:
    """Return how long our rule takes on two cores, starting the processes included."""
    start = time.perf_counter()
    with ProcessPoolExecutor(PROCESSES) as pool:
        list(pool.map(our_rule, pairs, chunksize=len(pairs) // (4 * PROCESSES)))
    return time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=Path, help="task file whose golds to use")
    parser.add_argument("--answers", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    pairs = make_pairs(options.tasks, options.answers)
    times = [(seconds(released_rule, pairs), seconds(our_rule, pairs)) for _ in range(ROUNDS)]
    floor, ours = (statistics.median(column) for column in zip(*times, strict=True))
    result = {
        "answers": len(pairs),
        "released_rule_seconds": round(floor, 3),
        "ours_seconds_one_core": round(ours, 3),
        "ours_seconds_two_cores": round(seconds_in_parallel(pairs), 3),
        "microseconds_per_answer": round(1e6 * ours / len(pairs), 1),
        "ratio": round(statistics.median(one / other for other, one in times), 1),
        "ratio_range": [round(min(b / a for a, b in times), 1), round(max(b / a for a, b in times), 1)],
    }
    if options.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name.replace('_', ' '):28}{value}")


if __name__ == "__main__":
    main()
