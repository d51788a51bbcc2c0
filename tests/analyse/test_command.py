"""`coda-bench report` as it is called."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("coda-bench")


@pytest.fixture
def report(bench):
    """Return a function that calls the command in an empty directory."""

    def call(*arguments):
        command = [COMMAND, "report", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=bench.root)

    return call


def test_writes_the_page_and_prints_its_path(bench, report):
    """The last line is the path of the page."""
    bench.write_release()
    run = bench.write_run("a", [bench.attempt(id_) for id_ in range(6)])
    done = report(run, "--release", bench.release, "--out", "r.html")
    assert (done.returncode, done.stderr) == (0, "")
    assert "".join(done.stdout.split()).endswith(str(bench.root / "r.html"))
    assert (bench.root / "r.html").read_text().startswith("<!doctype html>")


def test_json_has_rates_with_intervals(bench, report):
    """The same figures for programs, one document on standard output."""
    bench.write_release()
    run = bench.write_run("a", [bench.attempt(id_) for id_ in range(5)])
    found = json.loads(report(run, "--release", bench.release, "--json").stdout)
    assert found["report"] == str(bench.root / "report.html")
    assert found["agents"][0]["missing"] == 1
    assert found["agents"][0]["rates"]["ea"]["correct"] == 5
    assert found["agents"][0]["rates"]["ea"]["n"] == 6
    low, high = found["agents"][0]["rates"]["ea"]["wilson_95"]
    assert (round(low, 3), round(high, 3)) == (0.436, 0.970)


def test_directory_that_is_no_run(bench, report):
    """Unusable input: one line, exit code 2, nothing written."""
    bench.write_release()
    done = report(bench.root, "--release", bench.release)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert "run.json" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (bench.root / "report.html").exists()


def test_without_golds(bench, report):
    """The option reaches the page."""
    bench.write_release()
    run = bench.write_run("a", [bench.attempt(0)])
    report(run, "--release", bench.release, "--without-golds")
    assert "left out" in (bench.root / "report.html").read_text()


def test_without_matplotlib(bench):
    """The message says what to install; nothing half-written stays behind."""
    bench.write_release()
    run = bench.write_run("a", [bench.attempt(0)])
    program = "import sys; sys.modules['matplotlib'] = None; from coda_bench.cli.main import main; main()"
    command = [sys.executable, "-c", program, "report", str(run), "--release", str(bench.release)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=bench.root)
    assert done.returncode == 2
    assert "pip install 'coda-bench[demo]'" in done.stderr
    assert not list(bench.root.glob("*.html"))
