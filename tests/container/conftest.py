"""Real engines: started here where this user may, else the one that answers, else skipped with the reason."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from coda_bench.errors import AnalysisEnvironmentMissing, SandboxUnavailable
from coda_bench.records.run import Backend, Limits
from coda_bench.sandbox import CommandResult, Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import AnalysisEnvironment, find
from coda_bench.sandbox.container import engine as engines
from coda_bench.sandbox.container import image
from coda_bench.sandbox.spec import BACKEND_VARIABLE

ROWS = "a,b\n1,2\n"
_START_S = 60
_CONTAINERS = '[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n'


def pytest_collection_modifyitems(items):
    """Everything here needs an engine, and two suites at once would fight over one."""
    for item in items:
        if Path(item.fspath).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.docker)
            item.add_marker(pytest.mark.xdist_group("containers"))


@contextmanager
def _docker(folder: Path) -> Iterator[None]:
    """Start a daemon that shares nothing with the host's own, where this user is root and has one."""
    if os.environ.get("DOCKER_HOST") or os.geteuid() != 0 or not shutil.which("dockerd"):
        yield
        return
    address = f"unix://{folder}/socket"
    words = ["--data-root", f"{folder}/data", "--exec-root", f"{folder}/exec", "--pidfile", f"{folder}/pid"]
    with (folder / "log").open("wb") as log:
        daemon = subprocess.Popen(
            ["dockerd", *words, "--host", address, "--iptables=false", "--ip6tables=false", "--bridge=none"],
            stdout=log,
            stderr=log,
        )
    os.environ["DOCKER_HOST"] = address
    try:
        _wait_for(daemon, folder)
        yield
    finally:
        del os.environ["DOCKER_HOST"]
        daemon.terminate()
        daemon.wait(60)


def _wait_for(daemon: subprocess.Popen, folder: Path) -> None:
    end = time.monotonic() + _START_S
    while subprocess.run(["docker", "version"], capture_output=True, check=False).returncode:
        if daemon.poll() is not None or time.monotonic() > end:
            pytest.skip(f"no Docker daemon can be started here: {(folder / 'log').read_text()[-500:]}")
        time.sleep(0.1)  # nothing says when it listens


@contextmanager
def _podman(folder: Path) -> Iterator[None]:
    """Give Podman storage of its own; runc, since crun refuses hosts with both versions of control groups."""
    storage = f'[storage]\ndriver = "overlay"\nrunroot = "{folder}/run"\ngraphroot = "{folder}/storage"\n'
    named = {"CONTAINERS_STORAGE_CONF": storage, **({"CONTAINERS_CONF": _CONTAINERS} if shutil.which("runc") else {})}
    for variable, text in named.items():
        (folder / variable).write_text(text)
        os.environ[variable] = str(folder / variable)
    try:
        yield
    finally:
        subprocess.run(["podman", "system", "reset", "--force"], capture_output=True, check=False)
        for variable in named:
            del os.environ[variable]


@pytest.fixture(scope="session")
def environment() -> AnalysisEnvironment:
    try:
        return find()
    except AnalysisEnvironmentMissing as missing:
        pytest.skip(f"no analysis environment (run `coda-bench env build`): {missing}")


@pytest.fixture(scope="session", params=[Backend.DOCKER, Backend.PODMAN])
def engine(request) -> Iterator[engines.Engine]:
    """An engine with the image; what sandboxes are made with where a test does not say."""
    name = request.param
    if not shutil.which(name):
        pytest.skip(f"{name} is not installed")
    if name is Backend.PODMAN and os.geteuid() != 0:
        pytest.skip("without root, Podman cannot mount overlays of its own")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="engine-", ignore_cleanup_errors=True)))
        stack.enter_context({Backend.DOCKER: _docker, Backend.PODMAN: _podman}[name](folder))
        try:
            engines.find.cache_clear()
            found = engines.find(name)
        except SandboxUnavailable as silent:
            pytest.skip(str(silent))
        with suppress(SandboxUnavailable):
            image.find(found)
            stack.enter_context(_chosen(name))
            yield found
            return
        try:
            image.build(found, base=None, progress=print)
        except SandboxUnavailable as failed:
            pytest.skip(f"no image: {failed}")
        stack.enter_context(_chosen(name))
        yield found


@contextmanager
def _chosen(name: Backend) -> Iterator[None]:
    os.environ[BACKEND_VARIABLE] = name
    try:
        yield
    finally:
        del os.environ[BACKEND_VARIABLE]


@pytest.fixture(scope="session")
def community(tmp_path_factory) -> Path:
    """A community whose place has everything in its name that a mount's description could trip over."""
    root = tmp_path_factory.mktemp("communities") / 'a,b:"c" d' / "community"
    for name in ("iris/one.csv", "iris/two.csv", "iris/deep/three.csv", "other/ünï $(x).csv"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(ROWS)
    (root / "iris/link.csv").symlink_to("one.csv")
    for folder in (root, *root.parents):
        if folder.is_relative_to(tmp_path_factory.getbasetemp().parents[0]):
            folder.chmod(0o755)
    return root


@pytest.fixture
def make(engine, environment, community) -> Iterator:
    """Start sandboxes over the community with limits of one's own; closed in the end."""
    del engine
    with ExitStack() as stack:

        def start(*, data: Path | None = community, readonly=(), **limits) -> Sandbox:
            small = {"memory_mb": 512, "disk_mb": 32, "processes": 64, **limits}
            spec = SandboxSpec(data=data, environment=environment, limits=Limits(**small), readonly=readonly)
            return stack.enter_context(Sandbox.start(spec))

        yield start


@pytest.fixture
def sandbox(make) -> Sandbox:
    return make()


@pytest.fixture
def sh(sandbox):
    def run(script: str, **options) -> CommandResult:
        return sandbox.execute(["bash", "-c", script], **{"timeout_s": 60, **options})

    return run


@pytest.fixture(scope="session")
def python() -> str:
    return sys.executable
