"""No attempt to break out gets anywhere, for root and for an ordinary user, and the harness goes on after each."""

import json
import os
import subprocess
import sys

import pytest

import ordinary_user
from coda_bench.errors import AnalysisEnvironmentMissing
from coda_bench.sandbox.analysis_env import find
from escape.attempt import PRELUDE
from escape.catalog import ATTEMPTS
from escape.scene import scene

pytestmark = [pytest.mark.escape, pytest.mark.xdist_group("escape")]


@pytest.fixture(scope="module")
def host():
    """The host that all attempts are made against, so that harm done by one is seen by the next."""
    try:
        environment = find()
    except AnalysisEnvironmentMissing as missing:
        pytest.skip(f"no analysis environment (run `coda-bench env build`): {missing}")
    with scene(environment) as set_up:
        yield set_up


def test_the_attempts_are_many_and_have_names():
    """Each is known by a name of its own."""
    assert len({attempt.name for attempt in ATTEMPTS}) == len(ATTEMPTS) >= 45


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: attempt.name)
def test_it_holds(host, attempt):
    """The attempt comes to nothing, harms nobody, and is followed by business as usual."""
    outcome = host.make(attempt)
    assert outcome.held, outcome.happened
    assert outcome.went_on, outcome.happened


@pytest.mark.parametrize(
    "name", ["golds-by-path", "host-passwords", "host-directories", "harness-variables", "climb-out"]
)
def test_it_would_be_noticed(host, name):
    """What is kept in by the sandbox gets out without one: the attempts are real."""
    attempt = next(attempt for attempt in ATTEMPTS if attempt.name == name)
    environment = {**os.environ, "HOST": host.facts()}
    command = [sys.executable, "-c", PRELUDE + attempt.program.replace('"/data", "/workspace"', '"/usr", "/etc"')]
    run = subprocess.run(command, capture_output=True, env=environment, text=True, check=False)
    assert "ESCAPED" in run.stdout, run.stderr


@pytest.mark.slow
def test_the_same_holds_for_an_ordinary_user():
    """Started by somebody who is not root, without control groups, every attempt comes to nothing as well."""
    if not ordinary_user.can_become():
        pytest.skip("the attempts were made as an ordinary user already, or setpriv and unshare are missing")
    run = ordinary_user.run(["tests/escape/run.py", "--json", "--alone"], capture_output=True)
    assert run.returncode in {0, 1}, run.stderr
    outcomes = json.loads(run.stdout)["outcomes"]["ordinary user"]
    assert len(outcomes) == len(ATTEMPTS)
    assert [one for one in outcomes if not (one["held"] and one["went_on"])] == []
