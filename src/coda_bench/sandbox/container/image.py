"""The image of the sandbox's containers: a small userland of this machine's own distribution.

Its recipe lies in `recipe/`. The analysis environment is no part of it: that was built on this machine and needs this
distribution's C library, so the userland is bootstrapped from the same packages, or made on a base image that is asked
for.
"""

import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from coda_bench.errors import SandboxUnavailable
from coda_bench.sandbox.analysis_env import AnalysisEnvironment
from coda_bench.sandbox.cleanup.folders import TEMPORARY
from coda_bench.sandbox.container.engine import Engine
from coda_bench.sandbox.container.launch import process_limit

RECIPE = Path(__file__).parent / "recipe"
_REPOSITORY = "coda-bench-sandbox"
_BUILD_S = 1800.0
_COMPONENTS = {"ubuntu": "main,universe"}
_CHECK = "import bz2, ctypes, hashlib, lzma, sqlite3, ssl, zlib, numpy, pandas; print(pandas.__version__)"
_ERROR_CHARACTERS = 2000

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Image:
    """An image that an engine has."""

    name: str
    id: str
    """By its content."""


def name() -> str:
    """Return the name of the image that this release's recipe makes."""
    digest = hashlib.sha256()
    for path in sorted(RECIPE.iterdir()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return f"{_REPOSITORY}:{digest.hexdigest()[:12]}"


def find(engine: Engine) -> Image:
    """Return the image of this release's recipe.

    Raises:
        SandboxUnavailable: the engine has none; the message says how to make it.
    """
    try:
        found = engine.run("image", "inspect", "--format", "{{.Id}}", name())
    except SandboxUnavailable as missing:
        remedy = f"`coda-bench image build --engine {engine.name}` makes it"
        raise SandboxUnavailable(f"{engine.name}: no image {name()}; {remedy}") from missing
    return Image(name(), found.strip())


def build(engine: Engine, *, base: str | None, progress: Progress) -> Image:
    """Make the image, from this machine's distribution or on a base image that has apt.

    Raises:
        SandboxUnavailable: a step failed, or bootstrapping is not possible here.
    """
    if base is None:
        _bootstrap(engine, progress)
    else:
        progress(f"building on {base}")
        words = ("build", "--build-arg", f"BASE={base}", "--tag", name(), "--file", str(RECIPE / "Containerfile"))
        engine.run(*words, "--network", "host", str(RECIPE), timeout_s=_BUILD_S)
    return find(engine)


def _bootstrap(engine: Engine, progress: Progress) -> None:
    program = shutil.which("debootstrap")
    if program is None or os.geteuid() != 0:
        raise SandboxUnavailable(
            "image: bootstrapping needs root and the package debootstrap; "
            "or build on a base image: `coda-bench image build --base debian:bookworm-slim`"
        )
    release = platform.freedesktop_os_release()
    suite = release.get("VERSION_CODENAME", "")
    with tempfile.TemporaryDirectory(prefix=TEMPORARY.format(process=os.getpid())) as folder:
        root = Path(folder, "root")
        progress(f"bootstrapping {release.get('PRETTY_NAME', suite)}, about a minute")
        components = _COMPONENTS.get(release["ID"], "main")
        packages = ",".join((RECIPE / "packages.txt").read_text("ascii").split())
        options = ["--variant=minbase", f"--components={components}", f"--include={packages}"]
        _step([program, *options, suite, str(root)])
        shutil.copy(RECIPE / "finish.sh", root / "finish.sh")
        _step(["chroot", str(root), "/bin/sh", "/finish.sh"])
        (root / "finish.sh").unlink()
        progress(f"importing into {engine.name}")
        archive = Path(folder, "root.tar")
        _step(["tar", "--create", "--file", str(archive), "--directory", str(root), "--numeric-owner", "."])
        engine.run("import", str(archive), name(), timeout_s=_BUILD_S)


def _step(words: list[str]) -> None:
    environment = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}
    environment |= {key: value for key, value in os.environ.items() if key.lower().endswith("_proxy")}
    try:
        subprocess.run(words, check=True, capture_output=True, timeout=_BUILD_S, env=environment)  # noqa: S603 - programs of the distribution
    except subprocess.CalledProcessError as failed:
        said = (failed.stdout + failed.stderr).decode(errors="replace").strip()[-_ERROR_CHARACTERS:]
        raise SandboxUnavailable(f"image: {Path(words[0]).name} failed ({failed.returncode}): {said}") from failed
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxUnavailable(f"image: {Path(words[0]).name}: {error}") from error


def check(engine: Engine, image: Image, environment: AnalysisEnvironment) -> str:
    """Return the version of pandas that an analysis environment has in the image.

    Raises:
        SandboxUnavailable: its Python does not run there, as on a base image with an older C library.
    """
    mount = f"type=bind,src={environment.root.resolve()},dst=/opt/analysis,readonly"
    words = ("run", "--rm", "--network", "none", "--read-only", "--user", "65534:65534", "--cap-drop", "ALL")
    limits = ("--ulimit", "nofile=1024:1024", *process_limit(engine))
    said = engine.run(*words, *limits, "--mount", mount, image.id, "python3", "-c", _CHECK)
    return said.strip()


def why_not(engine: Engine, image: Image, environment: AnalysisEnvironment) -> str:
    """Return why a container's program ended early, as far as trying again tells."""
    try:
        check(engine, image, environment)
    except SandboxUnavailable as error:
        return str(error)
    return "the analysis environment runs in its image, so it is not that"
