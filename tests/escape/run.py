"""Make every attempt to break out and print what came of it; root makes them all a second time as an ordinary user.

Run: python tests/escape/run.py [--match WORD] [--json]. Exit code 1 when one got out or the harness did not go on.
"""

import argparse
import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import ordinary_user
from coda_bench.cli.console import visible
from coda_bench.errors import CodaBenchError
from coda_bench.sandbox.analysis_env import find
from escape.attempt import Outcome
from escape.catalog import ATTEMPTS
from escape.scene import scene

_WIDTH = 100


def make_all(match: str) -> list[Outcome]:
    """Make the attempts whose name or subject holds a word, one after the other, against one host."""
    chosen = [attempt for attempt in ATTEMPTS if match in attempt.name or match in attempt.subject]
    with scene(find()) as host:
        return [host.make(attempt) for attempt in chosen]


def as_ordinary_user(match: str) -> list[Outcome]:
    """Make them as nobody, in a process of its own."""
    run = ordinary_user.run([__file__, "--json", "--alone", "--match", match], capture_output=True)
    if run.returncode not in {0, 1}:
        sys.exit(f"the attempts could not be made as an ordinary user: {run.stderr[-2000:]}")
    return [Outcome(**outcome) for outcome in json.loads(run.stdout)["outcomes"]["ordinary user"]]


def show(user: str, outcomes: list[Outcome]) -> None:
    """Print one line for each attempt, and below it what was tried and what happened."""
    print(f"\nAs {user}:")
    for outcome in outcomes:
        verdict = "held" if outcome.held else "BROKEN"
        went_on = "" if outcome.went_on else ", the harness did NOT go on"
        print(f"  {verdict:7} {outcome.subject} / {outcome.name}{went_on}")
        print(f"          tried    {outcome.tried}")
        print(f"          happened {visible(outcome.happened)[: _WIDTH if outcome.held else 2000]}")
    good = sum(outcome.held and outcome.went_on for outcome in outcomes)
    print(f"{good} of {len(outcomes)} attempts held as {user}, the harness going on after each.")


def main() -> None:
    """Make the attempts and print the table or one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--match", default="", help="only attempts with this word in their name or subject")
    parser.add_argument("--alone", action="store_true", help="as this user only")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    try:
        users = {"root" if os.geteuid() == 0 else "ordinary user": make_all(options.match)}
        if ordinary_user.can_become() and not options.alone:
            users["ordinary user"] = as_ordinary_user(options.match)
    except CodaBenchError as error:
        sys.exit(f"error: {error}")
    if options.json:
        print(json.dumps({"outcomes": {user: [one._asdict() for one in found] for user, found in users.items()}}))
    else:
        for user, outcomes in users.items():
            show(user, outcomes)
    sys.exit(not all(one.held and one.went_on for found in users.values() for one in found))


if __name__ == "__main__":
    main()
