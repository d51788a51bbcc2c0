"""Outcomes and the rates counted from them."""

import pytest

from coda_bench.analyse.effort import effort
from coda_bench.analyse.evidence import read_evidence
from coda_bench.analyse.outcomes import Outcome, Rate, cells, hard_rates, rates
from coda_bench.records.attempt import Usage


@pytest.mark.parametrize(
    ("correct", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_intervals_are_the_published_ones(correct, n, low, high):
    """Wilson limits of Newcombe, Statistics in Medicine 17 (1998) 857-872, table I, method 3."""
    assert Rate(correct=correct, n=n).interval == pytest.approx((low, high), abs=5e-5)


def test_rate_of_nothing():
    """Nothing out of nothing is no rate, not zero."""
    assert (Rate(correct=0, n=0).value, Rate(correct=0, n=0).interval) == (None, None)


@pytest.fixture
def mixed(bench):
    """Return evidence of a run with one task of every outcome."""
    release = bench.write_release(hard=[0, 1, 3, 5])
    attempts = [
        bench.attempt(0),
        bench.attempt(1, answer="7.7", file_access=bench.access(["set1/table1.csv"], complete=False)),
        bench.attempt(2, status="no_answer", answer=""),
        bench.attempt(3, status="sandbox_lost", answer="", file_access=None, error="gone"),
        bench.attempt(4, status="limit_time", answer="4.5"),
    ]
    return read_evidence([bench.write_run("a", attempts)], release)


def test_every_outcome(mixed):
    """A machine failure is no wrong value, a missing attempt no blank, a limit no reason to be wrong."""
    found = {id_: cell.outcome for id_, cell in cells(mixed.runs[0]).items()}
    assert found == {
        0: Outcome.RIGHT,
        1: Outcome.WRONG,
        2: Outcome.NO_ANSWER,
        3: Outcome.MACHINE_FAILURE,
        4: Outcome.RIGHT,
        5: Outcome.MISSING,
    }


def test_answer_without_scores_is_not_called_wrong(bench):
    """Before scoring, an answer is neither right nor wrong."""
    release = bench.write_release()
    evidence = read_evidence([bench.write_run("a", [bench.attempt(0)], scores=False)], release)
    assert cells(evidence.runs[0])[0].outcome is Outcome.UNSCORED
    assert set(rates(evidence.runs[0]).values()) == {None}


def test_first_epoch_stands_for_the_task(bench):
    """Later epochs change neither the outcome shown nor what is missing of the first."""
    release = bench.write_release()
    attempts = [bench.attempt(0), bench.attempt(0, epoch=2, answer="7.7"), bench.attempt(1, epoch=2)]
    run = read_evidence([bench.write_run("a", attempts, epochs=2, planned=[0, 1])], release).runs[0]
    assert {id_: cell.outcome for id_, cell in cells(run).items()} == {0: Outcome.RIGHT, 1: Outcome.MISSING}
    assert (run.planned, run.missing) == (4, 1)


def test_rates_keep_numerators_and_denominators(mixed):
    """Missing and failed attempts stay in both denominators; the one that was not measured leaves DA's."""
    found = rates(mixed.runs[0])
    assert found["ea"] == Rate(correct=2, n=6)
    assert found["da_solution"] == Rate(correct=3, n=5)


def test_hard_rates_follow_the_same_rules(mixed):
    """Of Hard 0, 1, 3, 5: one right of four; files of 1 were not measured, 3 and 5 are missing and count."""
    assert hard_rates(mixed.runs[0], mixed) == {"ea": Rate(correct=1, n=4), "da_solution": Rate(correct=1, n=3)}


def test_hard_rates_without_a_hard_subset(bench):
    """No Hard subset, no rates."""
    release = bench.write_release(hard=())
    evidence = read_evidence([bench.write_run("a", [bench.attempt(0)])], release)
    assert hard_rates(evidence.runs[0], evidence) == {"ea": None, "da_solution": None}


def test_effort_counts_by_status(mixed):
    """Failures of the machine and missing attempts are counted apart."""
    spent = effort(mixed.runs[0])
    assert (spent.attempts, spent.planned, spent.missing, spent.machine_failures) == (5, 6, 1, 1)
    assert spent.by_status["answered"] == 2


def test_unknown_price_makes_the_sum_unknown(bench):
    """One attempt without a price: the total is unknown, never too small."""
    release = bench.write_release()
    priced = bench.attempt(0, usage=Usage(turns=2, input_tokens=100, output_tokens=20, cost_usd=0.5), wall_seconds=4.0)
    unpriced = bench.attempt(1, usage=Usage(turns=4, input_tokens=300, output_tokens=20), wall_seconds=8.0)
    known, unknown = (
        effort(read_evidence([bench.write_run(name, attempts)], release).runs[0])
        for name, attempts in (("known", [priced]), ("unknown", [priced, unpriced]))
    )
    assert known.cost_usd == 0.5
    assert (unknown.cost_usd, unknown.unknown_costs) == (None, 1)
    assert (unknown.mean_turns, unknown.mean_tokens, unknown.median_seconds) == (3, 220, 6)


def test_effort_of_no_attempt(bench):
    """Means of nothing are unknown."""
    release = bench.write_release()
    spent = effort(read_evidence([bench.write_run("a", [])], release).runs[0])
    assert (spent.mean_turns, spent.cost_usd, spent.median_seconds, spent.missing) == (None, None, None, 6)
