"""Real sandboxes over a small community; skipped where the analysis environment has not been built."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from coda_bench.errors import AnalysisEnvironmentMissing
from coda_bench.records.run import Limits
from coda_bench.sandbox import CommandResult, Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import AnalysisEnvironment, find

ROWS = "a,b\n1,2\n3,4\n"


@pytest.fixture(scope="session")
def environment() -> AnalysisEnvironment:
    try:
        return find()
    except AnalysisEnvironmentMissing as missing:
        pytest.skip(f"no analysis environment (run `coda-bench env build`): {missing}")


@pytest.fixture(scope="session")
def community(tmp_path_factory) -> Path:
    """A community of two data sets with look-alike files, odd names and links."""
    root = tmp_path_factory.mktemp("communities") / "community"
    for name in ("iris/one.csv", "iris/two.csv", "iris/deep/three.csv", "other/one.csv", "other/ünï çode $(x).csv"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(ROWS)
    (root / "other/inside.csv").symlink_to("../iris/one.csv")
    (root / "other/outside.csv").symlink_to("/etc/hostname")
    return root


@pytest.fixture(scope="session")
def shared_sandbox(environment, community) -> Iterator[Sandbox]:
    with Sandbox.start(SandboxSpec(data=community, environment=environment)) as started:
        yield started


@pytest.fixture
def sh(shared_sandbox):
    """Run a shell script in a sandbox that tests share; each script's access is its own."""

    def run(script: str, **options) -> CommandResult:
        return shared_sandbox.execute(["bash", "-c", script], **{"timeout_s": 60, **options})

    return run


@pytest.fixture
def python(shared_sandbox):
    """Run a Python program of the analysis environment in the shared sandbox."""

    def run(program: str, **options) -> CommandResult:
        return shared_sandbox.execute(["python3", "-c", program], **{"timeout_s": 60, **options})

    return run


@pytest.fixture
def make_sandbox(environment, community):
    """Start a sandbox of the test's own, with limits of its own."""
    started = []

    def make(*, data: Path | None = community, **limits) -> Sandbox:
        sandbox = Sandbox.start(SandboxSpec(data=data, environment=environment, limits=Limits(**limits)))
        started.append(sandbox)
        return sandbox

    yield make
    for sandbox in started:
        sandbox.close()
