"""What several parts of the suite share: the demo release, built once."""

import os
from typing import NoReturn

import pytest

from coda_bench.cli.demo_release import build_demo_release
from coda_bench.errors import AnalysisEnvironmentMissing, SandboxUnavailable
from coda_bench.layout import Release


def not_on_this_machine(reason: str) -> NoReturn:
    """Skip with a reason; under CI fail instead, where a suite that quietly skips its heart must not be green."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def leave():
    """What a fixture calls, with a reason, where this machine cannot do what its tests need."""
    return not_on_this_machine


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory):
    """Where the demo release and its runs lie."""
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="session")
def release(demo_folder) -> Release:
    """The demo release; tests that use it share the group `demo`, so that one worker builds it once."""
    try:
        return build_demo_release(demo_folder / "release", by_hand=True)
    except AnalysisEnvironmentMissing as error:
        not_on_this_machine(str(error))
    except SandboxUnavailable as error:
        not_on_this_machine(f"no sandbox on this machine: {error}")
