"""What makes the analysis environment the one Python inside, and lets its caches be found."""

import os
import re
from functools import cache

from coda_bench.sandbox.holder.room import places
from coda_bench.sandbox.holder.room.sources import Source, bind

INSIDE = "/opt/analysis"
_PYTHON = f"{INSIDE}/bin/python3"
_FONTS = f"{INSIDE}/share/matplotlib"
FONTS_CACHE = "/tmp/.matplotlib"  # noqa: S108 - the sandbox's own
"""matplotlib wants a directory it may write to, or makes one anew for every process, with a warning."""
_FORWARD = f'#!/bin/sh\nexec {_PYTHON} "$@"\n'
_PROGRAMS = "/usr/bin"
_INTERPRETER = re.compile(r"python3?(\.\d+)?")


def replace_pythons() -> None:
    """Let the host's Pythons start the analysis environment's: `#!/usr/bin/python3` and `env -i python3` find them.

    A binary bound there would take `/usr` for its home; a script forwards, and may stand in a first line (execve(2)).
    """
    if not os.path.exists(f"{places.ROOT}{_PYTHON}"):
        return
    with open(places.FORWARD, "x", encoding="ascii") as script:
        script.write(_FORWARD)
    os.chmod(places.FORWARD, 0o755)  # noqa: S103 - the agent starts it
    for path in host_pythons():
        bind(Source(os.open(places.FORWARD, os.O_PATH | os.O_CLOEXEC), f"{places.ROOT}{path}"))


@cache
def host_pythons() -> list[str]:
    """Return the Python programs of the host's `/usr/bin`, links followed; looked up once by the nursery."""
    names = os.listdir(_PROGRAMS) if os.path.isdir(_PROGRAMS) else []
    real = {os.path.realpath(f"{_PROGRAMS}/{name}") for name in names if _INTERPRETER.fullmatch(name)}
    return sorted(path for path in real if os.path.dirname(path) == _PROGRAMS and os.path.isfile(path))


def link_caches(owner: int) -> None:
    """Link what the environment was built with to where matplotlib looks for it, in a directory of the agent's own."""
    folder = f"{places.ROOT}{FONTS_CACHE}"
    os.mkdir(folder)
    os.chown(folder, owner, -1)
    built = f"{places.ROOT}{_FONTS}"
    for name in os.listdir(built) if os.path.isdir(built) else []:
        os.symlink(f"{_FONTS}/{name}", f"{folder}/{name}")
