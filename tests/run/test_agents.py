"""The agents that need no model, in real sandboxes over the tiny release."""

import json
from pathlib import Path

import pytest

from coda_bench.errors import BadInput
from coda_bench.records.attempt import AttemptStatus
from coda_bench.records.run import Limits

GOLDS = {1: "2", 2: "52", 3: "375.0", 4: "pike; 1"}
USER_SCRIPT = """\
from pathlib import Path
task = Path("/workspace/task_description.txt").read_text()
rows = Path("/data/rivers/rivers.csv").read_text().splitlines()[1:]
total = sum(int(row.split(",")[1]) for row in rows)
Path("/workspace/result.txt").write_text(str(total) if "total length" in task else "?")
"""
OWN_AGENTS = '''\
import time
from pathlib import Path

from coda_bench.run.agents.agent import AgentSandbox, AgentTask


class Returns:
    """Answers without a file."""

    name = "returns"

    def __init__(self, word="blue"):
        self.word = word

    def solve(self, task: AgentTask, sandbox: AgentSandbox):
        assert task.reference_code is None
        return f"{self.word} {task.instance_id}"


class Crashes:
    """Leaves an answer, then fails."""

    name = "crashes"

    def solve(self, task, sandbox):
        sandbox.write("/workspace/result.txt", b"early")
        raise RuntimeError("no idea")


class Survives:
    """Kills what it can reach and goes on."""

    name = "survives"

    def solve(self, task, sandbox):
        found = sandbox.execute(["sh", "-c", "kill -9 -1; echo gone"])
        return sandbox.execute(["sh", "-c", "id -u; ls /data"]).stdout.decode()


class Stuck:
    """Busy on the host, without the sandbox, until a file appears."""

    name = "stuck"

    def __init__(self, marker):
        self.marker = Path(marker)

    def solve(self, task, sandbox):
        sandbox.write("/workspace/result.txt", b"before")
        while not self.marker.exists():
            time.sleep(0.01)
        sandbox.write("/workspace/result.txt", b"too late")


def engine_agent():
    from inspect_ai.agent import AgentState, agent

    @agent
    def talker():
        async def execute(state: AgentState) -> AgentState:
            state.output.completion = "from the engine"
            return state

        return execute

    return talker()
'''


@pytest.fixture
def own_agents(tmp_path, monkeypatch):
    (tmp_path / "my_agents_of_test.py").write_text(OWN_AGENTS)
    monkeypatch.chdir(tmp_path)


def test_reference_answers_every_task_from_its_targets_alone(runs, release):
    """The ceiling: each answer is the gold, each file used is a target and each target is used."""
    runs("reference")
    assert runs.answers() == GOLDS
    targets = [json.loads(line) for line in (release / "provenance.jsonl").read_text().splitlines()]
    for row in targets:
        attempt = runs.attempts()[row["instance_id"], 1]
        assert set(attempt.file_access.used) == {target["path"] for target in row["target_files"]}
        assert attempt.code_generated.startswith("import pandas")
        assert attempt.sandbox.environment_lock


def test_a_failing_reference_program_is_the_agents_failure(runs, release):
    """The last line of its error output is kept."""
    tasks = json.loads((release / "coda_bench.json").read_text())
    tasks[1]["reference_code"] = "open('/data/rivers/none.csv')"
    (release / "coda_bench.json").write_text(json.dumps(tasks))
    runs("reference", instances=(2,))
    attempt = runs.attempts()[2, 1]
    assert (attempt.status, attempt.answer) == (AttemptStatus.AGENT_FAILED, "")
    assert "FileNotFoundError" in attempt.error


def test_nothing_is_blank_and_opens_nothing(runs):
    """The floor: a row for each task, without an answer and without files."""
    runs("nothing")
    assert runs.answers() == dict.fromkeys(GOLDS, "")
    assert all(attempt.status is AttemptStatus.NO_ANSWER for attempt in runs.attempts().values())
    assert all(attempt.file_access.opened == () for attempt in runs.attempts().values())


def test_open_everything_opens_all_and_answers_nothing(runs):
    """Every file of the community counts as opened, none of another community."""
    runs("open-everything")
    assert set(runs.attempts()[3, 1].file_access.opened) == {"lakes/fish.csv", "lakes/notes.txt", "weather/days.csv"}
    assert runs.answers() == dict.fromkeys(GOLDS, "")


def test_a_users_script_runs_inside_and_its_file_is_the_answer(runs, tmp_path):
    """`command` with a script: read-only inside, answer by file, files watched."""
    script = tmp_path / "my_agent.py"
    script.write_text(USER_SCRIPT)
    runs("command", agent_args={"script": str(script)}, instances=(2,))
    attempt = runs.attempts()[2, 1]
    assert (attempt.answer, attempt.answer_source) == ("52", "file")
    assert attempt.file_access.used == ("rivers/rivers.csv",)


def test_a_users_command_line_may_use_a_whole_directory(runs, tmp_path):
    """`command` with files=DIR and run=LINE: the directory is /agent."""
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit" / "word.txt").write_text("from the kit")
    arguments = {"files": str(tmp_path / "kit"), "run": "cp /agent/word.txt /workspace/result.txt"}
    runs("command", agent_args=arguments, instances=(1,))
    assert runs.answers() == {1: "from the kit"}


def test_a_failing_command_keeps_the_answer_it_wrote(runs):
    """Exit codes decide the status, not the answer."""
    runs("command", agent_args={"run": "echo 7 > /workspace/result.txt; echo oops >&2; exit 3"}, instances=(1,))
    attempt = runs.attempts()[1, 1]
    assert (attempt.status, attempt.answer) == (AttemptStatus.AGENT_FAILED, "7")
    assert attempt.error.endswith("exit code 3: oops")


@pytest.mark.usefixtures("own_agents")
def test_a_class_by_dotted_path_is_an_agent(runs):
    """Found from the current directory, made with the arguments given, never shown a reference program."""
    runs("my_agents_of_test:Returns", agent_args={"word": "red"}, instances=(2, 4))
    assert runs.answers() == {2: "red 2", 4: "red 4"}
    assert runs.attempts()[2, 1].answer_source == "submit"


@pytest.mark.usefixtures("own_agents")
def test_a_crashing_agent_is_told_from_a_wrong_answer(runs):
    """Its attempt counts as the agent's failure, with the file it had written and the error in one line."""
    runs("my_agents_of_test:Crashes", instances=(1,))
    attempt = runs.attempts()[1, 1]
    assert (attempt.status, attempt.answer) == (AttemptStatus.AGENT_FAILED, "early")
    assert attempt.error == "RuntimeError: no idea"


@pytest.mark.usefixtures("own_agents")
def test_killing_all_it_sees_hurts_only_its_own_command(runs):
    """`kill -9 -1` inside ends that command; the sandbox goes on."""
    runs("my_agents_of_test:Survives", instances=(1,))
    assert runs.answers()[1].split()[-1] == "rivers"


@pytest.mark.usefixtures("own_agents")
def test_an_agent_of_the_engine_is_taken_too(runs):
    """A factory of one of Inspect's agents needs no `solve`."""
    runs("my_agents_of_test:engine_agent", instances=(1,))
    assert runs.answers() == {1: "from the engine"}


@pytest.mark.usefixtures("own_agents")
def test_an_agent_stuck_on_the_host_does_not_hold_the_run(runs, tmp_path):
    """At its time limit the attempt ends without its thread, whose later writes go nowhere."""
    marker = tmp_path / "marker"
    runs("my_agents_of_test:Stuck", agent_args={"marker": str(marker)}, instances=(1,), limits=Limits(time_s=1))
    marker.touch()
    attempt = runs.attempts()[1, 1]
    assert (attempt.status, attempt.answer) == (AttemptStatus.LIMIT_TIME, "before")


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("oracle", {}, "Built in: reference, nothing"),
        ("no.such:Agent", {}, "module no"),
        ("json:Nothing", {}, "json has no Nothing"),
        ("nothing", {"speed": "9"}, "arguments"),
        ("command", {}, "say what to run"),
        ("command", {"script": "/nowhere.py"}, "is not a file"),
    ],
)
def test_what_cannot_be_an_agent_is_refused_before_anything_runs(runs, name, arguments, words):
    """The message names what is wrong."""
    with pytest.raises(BadInput, match=words):
        runs(name, agent_args=arguments)
    assert not Path(runs.folder / "run").exists()
