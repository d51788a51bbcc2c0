"""Real sandboxes with either tracker over the cases' community; skipped where the environment is not built."""

from pathlib import Path

import pytest

from coda_bench.errors import AnalysisEnvironmentMissing
from coda_bench.sandbox.analysis_env import AnalysisEnvironment, find
from tracker.ground import TRACKERS, compile_reads, make_community, start


@pytest.fixture(scope="session")
def environment() -> AnalysisEnvironment:
    try:
        return find()
    except AnalysisEnvironmentMissing as missing:
        pytest.skip(f"no analysis environment (run `coda-bench env build`): {missing}")


@pytest.fixture(scope="session")
def ground(environment, tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("communities") / "cases"
    make_community(root, environment)
    return root


@pytest.fixture(scope="session")
def reads(tmp_path_factory) -> Path | None:
    target = tmp_path_factory.mktemp("programs") / "reads"
    return target if compile_reads(target) else None


@pytest.fixture(scope="module", params=TRACKERS)
def watched(request, environment, ground, reads):
    """A sandbox with one tracker, then with the other."""
    with start(ground, environment, request.param, reads) as sandbox:
        if sandbox.record.tracker != request.param:
            pytest.skip("; ".join(sandbox.record.notes))
        yield sandbox
