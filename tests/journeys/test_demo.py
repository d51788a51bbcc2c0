"""The whole path as a user walks it: release, agents in sandboxes, scores, report."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("demo")
COMMAND = Path(sys.executable).with_name("coda-bench")


@pytest.fixture(scope="module")
def demo(release, demo_folder):
    """What `coda-bench demo --json` says, run on the release that is built already."""
    assert release.root.parent == demo_folder
    done = subprocess.run(
        [COMMAND, "demo", "--out", str(demo_folder), "--no-model", "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def rates(demo):
    """Numerators and denominators by agent."""
    return {run["agent"]: run for run in demo["runs"]}


def test_reference_reaches_the_ceiling(rates, release):
    """Reference programs answer every task right from exactly the target files."""
    n = len(release.tasks())
    assert rates["reference"]["ea"] == [n, n]
    assert rates["reference"]["da_solution"] == rates["reference"]["da_superset"] == [n, n]


def test_nothing_stays_on_the_floor(rates, release):
    """A blank answer without a look at the data is never right."""
    n = len(release.tasks())
    assert rates["nothing"]["ea"] == [0, n]
    assert rates["nothing"]["da_solution"] == [0, n]


def test_opening_everything_satisfies_the_superset_alone(rates, release):
    """A sweep over all files finds every target and shows no skill."""
    n = len(release.tasks())
    assert rates["open-everything"]["da_superset"] == [n, n]
    assert rates["open-everything"]["da_solution"] == rates["open-everything"]["ea"] == [0, n]


def test_keyword_lies_strictly_between(rates, release):
    """A fair baseline without a model finds some data and answers some questions."""
    n = len(release.tasks())
    assert 0 < rates["keyword"]["ea"][0] < n
    assert 0 < rates["keyword"]["da_solution"][0] < n


def test_keyword_is_credited_with_what_it_opened(demo, release):
    """Its record lists files it opened, and those it used are among them and lie in the task's community."""
    run = Path(next(run["run"] for run in demo["runs"] if run["agent"] == "keyword"))
    communities = {task.instance_id: task.release_community for task in release.tasks()}
    for line in (run / "attempts.jsonl").read_text().splitlines():
        attempt = json.loads(line)
        access = attempt["file_access"]
        directory = release.community_directory(communities[attempt["instance_id"]])
        assert access["complete"]
        assert set(access["used"]) <= set(access["opened"])
        assert all((directory / path).is_file() for path in access["opened"])


def test_the_report_shows_every_agent(demo, rates):
    """One page, with each agent by name."""
    page = Path(demo["report"]).read_text()
    assert all(agent in page for agent in rates)
