"""The analysis environment is built whole or not at all, stands on its own, and ships no data."""

import base64
import fcntl
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from importlib.metadata import files
from pathlib import Path

import pytest
from typer.testing import CliRunner

from coda_bench.cli.env import app
from coda_bench.errors import AnalysisEnvironmentMissing, AnalysisEnvironmentNotBuilt, BadInput
from coda_bench.sandbox import Sandbox, SandboxSpec, analysis_build, analysis_env

WHEEL = {
    "tiny/__init__.py": "",
    "tiny/datasets/__init__.py": "from tiny.datasets import loader\n",
    "tiny/datasets/loader.py": "",
    "tiny/datasets/flowers.csv": "a,b\n1,2\n",
    "tiny/datasets/deep/more.names": "a, b",
    "tiny/tests/test_tiny.py": "",
    "tiny/tests/flowers.parquet": "PAR1",
    "tiny/schema.json": "{}",
    "tiny-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
    "tiny-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """A machine on which nothing was built yet."""
    monkeypatch.setenv("CODA_BENCH_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Iterator[Path]:
    """A package that ships data and tests, in the one place pip may look."""
    path = tmp_path_factory.mktemp("index") / "tiny-1.0-py3-none-any.whl"
    record = "".join(f"{name},{_record_hash(text)},{len(text)}\n" for name, text in WHEEL.items())
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in WHEEL.items():
            archive.writestr(name, text)
        archive.writestr("tiny-1.0.dist-info/RECORD", f"{record}tiny-1.0.dist-info/RECORD,,\n")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PIP_NO_INDEX", "1")
        environment.setenv("PIP_FIND_LINKS", str(path.parent))
        yield path


def _record_hash(text: str) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest())
    return "sha256=" + digest.decode().rstrip("=")


@pytest.fixture(scope="module")
def tiny(wheel, tmp_path_factory) -> Path:
    """An environment built from a lock that names nothing but the tiny package, and moved afterwards."""
    root = tmp_path_factory.mktemp("environment")
    version, packages = analysis_build.build_into(root, write_lock(wheel, wheel), progress=lambda _line: None)
    assert version == ".".join(map(str, sys.version_info[:3]))
    assert packages == {"tiny": "1.0"}
    return root.rename(root.with_name("moved"))


def write_lock(wheel: Path, hashed: Path) -> Path:
    """Write a lock with the hash of a file, which may be another than the one that pip will find."""
    path = wheel.parent / "tiny.lock"
    path.write_text(f"tiny==1.0 --hash=sha256:{hashlib.sha256(hashed.read_bytes()).hexdigest()}\n")
    return path


@pytest.fixture(params=analysis_env.GENERATIONS)
def built(request) -> analysis_env.AnalysisEnvironment:
    """Each generation as built on this machine."""
    try:
        return analysis_env.find(request.param)
    except AnalysisEnvironmentMissing as missing:
        pytest.skip(str(missing))


def make_finished(generation: str) -> Path:
    """Lay out what a finished build leaves, as far as finding it goes."""
    root = analysis_env.directory(generation)
    (root / "bin").mkdir(parents=True)
    (root / "bin" / "python3").write_bytes(b"")
    manifest = analysis_env.EnvironmentManifest(
        generation=generation,
        lock_sha256=hashlib.sha256(analysis_env.lock_file(generation).read_bytes()).hexdigest(),
        python_version="3.11.7",
        built_at="2026-01-01T00:00:00+00:00",
        packages={"pandas": "3.1.1"},
    )
    (root / "environment.json").write_text(manifest.model_dump_json())
    return root


@pytest.mark.usefixtures("home")
def test_nothing_built_says_what_to_run():
    """Without a build the message is the command that builds it."""
    with pytest.raises(AnalysisEnvironmentMissing, match=r"coda-bench env build --generation older"):
        analysis_env.find("older")


@pytest.mark.usefixtures("home")
def test_an_unknown_generation_is_refused():
    """A generation that does not exist is named together with those that do."""
    with pytest.raises(BadInput, match=r"'newest'.*current, older, oldest"):
        analysis_env.find("newest")


def test_the_cache_directory_follows_the_desktop_convention(monkeypatch, tmp_path):
    """Without a home of its own everything lies below XDG_CACHE_HOME."""
    monkeypatch.delenv("CODA_BENCH_HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert analysis_env.directory("current").is_relative_to(tmp_path / "coda-bench" / "environments")


@pytest.mark.usefixtures("home")
def test_a_manifest_of_another_lock_is_damage():
    """An environment whose manifest names another lock is not used."""
    manifest = make_finished("current") / "environment.json"
    manifest.write_text(manifest.read_text().replace('"lock_sha256":"', '"lock_sha256":"0'))
    with pytest.raises(AnalysisEnvironmentMissing, match=r"damaged.*--force"):
        analysis_env.find("current")


@pytest.mark.usefixtures("home")
def test_a_half_written_manifest_is_no_environment():
    """A truncated manifest counts as not built."""
    (make_finished("current") / "environment.json").write_text('{"format_version": 1, "gen')
    with pytest.raises(AnalysisEnvironmentMissing):
        analysis_env.find("current")


@pytest.mark.usefixtures("home")
def test_what_is_built_is_not_built_again():
    """Building what is there returns it at once and says nothing."""
    root = make_finished("current")
    said: list[str] = []
    assert analysis_env.build("current", progress=said.append).root == root
    assert said == []


def test_two_builds_at_once_are_one(home):
    """The second of two builds waits for the first and takes what it built."""
    waiting = threading.Event()
    result: list[analysis_env.AnalysisEnvironment] = []
    second = threading.Thread(
        target=lambda: result.append(analysis_env.build("current", progress=lambda _line: waiting.set()))
    )
    (home / "environments").mkdir(parents=True)
    with (home / "environments" / ".current.lock").open("a") as first:
        fcntl.flock(first, fcntl.LOCK_EX)
        second.start()
        assert waiting.wait(30)
        root = make_finished("current")
    second.join(30)
    assert [environment.root for environment in result] == [root]


def test_a_killed_build_leaves_nothing_that_looks_finished(home):
    """After a SIGKILL in the middle nothing is found, and what was left goes with the next removal."""
    program = "from coda_bench.sandbox.analysis_env import build; build(progress=lambda line: print(line, flush=True))"
    builder = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, start_new_session=True)
    assert b"copying Python" in builder.stdout.readline()
    assert b"downloading" in builder.stdout.readline()
    os.killpg(builder.pid, signal.SIGKILL)
    builder.communicate()
    assert list((home / "environments").glob(".building-current-*"))
    with pytest.raises(AnalysisEnvironmentMissing):
        analysis_env.find("current")
    assert analysis_env.built() == []
    analysis_env.remove("current")
    assert [path.name for path in (home / "environments").iterdir()] == [".current.lock"]


def test_a_directory_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    """A home below a file is refused with the variable to set."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CODA_BENCH_HOME", str(tmp_path / "file"))
    with pytest.raises(BadInput, match="set CODA_BENCH_HOME"):
        analysis_env.build("current")


def run_bare(*command: str | Path) -> subprocess.CompletedProcess:
    """Run a program without any environment variable."""
    return subprocess.run(command, env={}, capture_output=True, text=True, check=False)


def test_a_build_stands_on_its_own(tiny):
    """A built Python finds its library, its modules and its packages below itself, wherever it lies."""
    program = (
        "import json, ssl, sqlite3, sys, tiny.datasets\n"
        "maps = [line.split()[-1] for line in open('/proc/self/maps') if 'python' in line]\n"
        "print(json.dumps([sys.prefix, tiny.__file__, *sys.path[1:], *maps]))\n"
    )
    paths = json.loads(run_bare(tiny / "bin/python3", "-c", program).stdout)
    assert [path for path in paths if not path.startswith(str(tiny))] == []


def test_a_build_has_no_pip_and_names_no_host_directory(tiny):
    """Nothing can be installed, and no byte code, script or build setting tells where the host keeps things."""
    assert "No module named pip" in run_bare(tiny / "bin/python3", "-m", "pip").stderr
    hosts = [os.fsencode(sys.prefix), os.fsencode(tiny.parent)]
    texts = [path for path in tiny.rglob("*") if path.suffix in {".py", ".pyc"}]
    assert [path for path in texts if any(host in path.read_bytes() for host in hosts)] == []


def test_a_build_ships_no_data_and_no_tests(tiny):
    """Data sets and tests of a package are gone; its code and what it reads itself stay, compiled."""
    (package,) = tiny.rglob("tiny")
    left = {str(path.relative_to(package)) for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert left == {"__init__.py", "datasets/__init__.py", "datasets/loader.py", "schema.json"}
    assert list(package.glob("datasets/__pycache__/loader.*.pyc"))


def test_a_package_that_was_tampered_with_is_refused(tmp_path, wheel):
    """A download with another hash than the lock's ends the build, with pip's words."""
    other = tmp_path / "other.whl"
    other.write_bytes(wheel.read_bytes() + b"0")
    root = tmp_path / "environment"
    root.mkdir()
    with pytest.raises(AnalysisEnvironmentNotBuilt, match=r"(?s)pip could not install.*(hash|HASH)"):
        analysis_build.build_into(root, write_lock(wheel, other), progress=lambda _line: None)


def test_it_holds_what_its_lock_says(built):
    """Every installed package stands in the lock with this version."""
    packages = analysis_env.read_manifest(built.root).packages
    lines = analysis_env.lock_file(built.generation).read_text().splitlines()
    locked = {line.split()[0].lower().replace("_", "-") for line in lines if "==" in line}
    installed = {f"{name}=={version}".lower().replace("_", "-") for name, version in packages.items()}
    assert installed <= locked
    assert {"pandas", "numpy", "scikit-learn"} <= set(packages)


def test_the_generations_differ_where_answers_do(built):
    """The current generation has pandas 3, the older one pandas 2, the oldest pandas 1."""
    major = analysis_env.read_manifest(built.root).packages["pandas"].partition(".")[0]
    assert major == {"current": "3", "older": "2", "oldest": "1"}[built.generation]


@pytest.mark.parametrize("package", ["scikit-learn", "statsmodels", "matplotlib", "pandas", "lifelines"])
def test_no_data_file_of_the_harness_is_in_it(built, package):
    """No data file that the harness's own packages ship lies in it under any name."""
    suffixes = {".csv", ".gz", ".bz2", ".dta", ".json", ".npy", ".txt", ".arff", ".xls", ".dat"}
    shipped = {
        file.locate().read_bytes()
        for file in files(package) or ()
        if file.suffix in suffixes
        and not re.search(r"dist-info|license|copyrights|readme|notes|todo", str(file), re.IGNORECASE)
    }
    sizes = {len(content) for content in shipped}
    inside = [path for path in built.root.rglob("*") if path.is_file() and not path.is_symlink()]
    found = [path for path in inside if path.stat().st_size in sizes and path.read_bytes() in shipped]
    assert found == []


def test_everybody_may_read_it_and_only_its_owner_write(built):
    """Sandboxes run under a user of their own: modes must not keep it out, nor let it write."""
    modes = {path.lstat().st_mode for path in built.root.rglob("*") if not path.is_symlink()}
    assert all(mode & 0o044 == 0o044 and not mode & 0o022 for mode in modes)


def test_it_works_inside_a_sandbox(built):
    """All its packages import where no other Python is visible, and read each other's files."""
    program = (
        "import sys, warnings; warnings.simplefilter('ignore')\n"
        "import pandas, duckdb, polars, seaborn, statsmodels.api, sklearn.linear_model, scipy.stats, pyreadstat\n"
        "pandas.DataFrame({'a': [1, 2]}).to_parquet('t.parquet')\n"
        "pandas.DataFrame({'a': [1, 2]}).to_excel('t.xlsx')\n"
        "print(polars.read_parquet('t.parquet')['a'].sum(),"
        " duckdb.sql(\"select sum(a) from 't.parquet'\").fetchall()[0][0],"
        " pandas.read_excel('t.xlsx')['a'].sum(), sys.prefix, pandas.__version__[0])\n"
    )
    with Sandbox.start(SandboxSpec(data=None, environment=built)) as sandbox:
        result = sandbox.execute(["python3", "-c", program], timeout_s=120)
    major = {"current": "3", "older": "2", "oldest": "1"}[built.generation]
    assert result.stdout.decode().split() == ["3", "3", "3", "/opt/analysis", major], result.stderr.decode()


@pytest.mark.usefixtures("home")
def test_the_command_lists_and_removes():
    """`env list --json` tells what is built; `env remove` takes it away."""
    root = make_finished("older")
    listed = CliRunner().invoke(app, ["list", "--json"])
    (row,) = json.loads(listed.stdout)
    assert (row["generation"], row["in_use"], row["directory"]) == ("older", True, str(root))
    assert CliRunner().invoke(app, ["remove", "--generation", "older"]).exit_code == 0
    assert not root.exists()
    assert "nothing to remove" in CliRunner().invoke(app, ["remove"]).stdout


def test_the_command_reports_an_unusable_home(tmp_path, monkeypatch):
    """A home that cannot be written is one error line and exit code 2."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CODA_BENCH_HOME", str(tmp_path / "file"))
    done = CliRunner().invoke(app, ["build"])
    assert done.exit_code == 2
    assert "error:" in done.stderr
    assert "Traceback" not in done.output


@pytest.mark.slow
def test_a_whole_build_is_found_afterwards(home, monkeypatch):
    """From nothing to an environment that is found, in the place that was chosen."""
    for name in ("PIP_NO_INDEX", "PIP_FIND_LINKS"):  # of the tiny package, which other tests may still hold
        monkeypatch.delenv(name, raising=False)
    said: list[str] = []
    environment = analysis_env.build("current", progress=said.append)
    assert environment == analysis_env.find("current")
    assert environment.root.is_relative_to(home)
    assert any("4 of 4" in line for line in said)
    shutil.rmtree(home)
