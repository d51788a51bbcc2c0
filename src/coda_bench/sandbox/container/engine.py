"""Docker or Podman, by its command line: what both understand, and the few things they say differently."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache

from coda_bench.errors import SandboxUnavailable
from coda_bench.records.run import Backend

_TIMEOUT_S = 120.0
_ERROR_CHARACTERS = 2000
_SAY = {
    Backend.DOCKER: "install Docker and start its daemon, or let this user reach it (DOCKER_HOST, group docker)",
    Backend.PODMAN: "install Podman",
}


@dataclass(frozen=True)
class Engine:
    """A container engine that answers."""

    name: Backend
    binary: str
    version: str
    """Of what runs the containers, not of the client."""

    def run(self, *words: str, stdin: bytes | None = None, timeout_s: float = _TIMEOUT_S) -> str:
        """Run one of the engine's commands and return what it printed.

        Raises:
            SandboxUnavailable: it failed; the message is the engine's.
        """
        return _run(self.binary, *words, name=self.name, stdin=stdin, timeout_s=timeout_s)

    @property
    def names_volumes(self) -> bool:
        """Whether an overlay wants a volume with a name, which somebody has to remove, and a layer to be written to."""
        return self.name is Backend.PODMAN


@cache
def find(name: Backend) -> Engine:
    """Return an engine that answers.

    Raises:
        SandboxUnavailable: it is not installed, its daemon does not answer, or this user may not.
    """
    binary = shutil.which(name)
    if binary is None:
        raise SandboxUnavailable(f"{name}: not installed; {_SAY[name]}")
    template = "{{.Server.Version}}" if name is Backend.DOCKER else "{{.Client.Version}}"
    try:
        version = _run(binary, "version", "--format", template, name=name, timeout_s=30)
    except SandboxUnavailable as silent:
        raise SandboxUnavailable(f"{silent}; {_SAY[name]}") from silent
    return Engine(name, binary, version.strip())


def _run(binary: str, *words: str, name: str, stdin: bytes | None = None, timeout_s: float) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - the engine's own program
            [binary, *words],
            input=stdin or b"",
            capture_output=True,
            check=False,
            timeout=timeout_s,
            env=_environment(),
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxUnavailable(f"{name} {words[0]}: {error}") from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()[-_ERROR_CHARACTERS:]
        raise SandboxUnavailable(f"{name} {words[0]} failed ({done.returncode}): {said}")
    return done.stdout.decode(errors="replace")


def _environment() -> dict[str, str]:
    """Return what an engine's client may know: where its engine is and its own settings, no keys of models."""
    kept = ("PATH", "HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "TMPDIR", "DBUS_SESSION_BUS_ADDRESS")
    ours = ("DOCKER_", "CONTAINERS_", "CONTAINER_", "PODMAN_")
    return {name: value for name, value in os.environ.items() if name in kept or name.startswith(ours)}
