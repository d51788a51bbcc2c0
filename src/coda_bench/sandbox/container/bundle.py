"""The programs for inside as text: sent through the socket, they lie on no disk that a command could read."""

import json
import socket
import struct
from functools import cache
from pathlib import Path

_SOURCE = Path(__file__).parents[2]
_PACKAGES = (
    "coda_bench",
    "coda_bench.sandbox",
    "coda_bench.sandbox.container",
    "coda_bench.sandbox.container.inside",
    "coda_bench.sandbox.holder",
    "coda_bench.sandbox.holder.room",
    "coda_bench.sandbox.holder.trackers",
)
"""Empty inside: what the real ones import is not needed there."""
_MODULES = (
    *(
        f"coda_bench.sandbox.container.inside.{name}"
        for name in ("become", "bounds", "command", "keeper", "tree", "watcher", "words")
    ),
    *(
        f"coda_bench.sandbox.holder.{name}"
        for name in ("kernel", "limits", "memory", "replies", "seccomp", "supervision", "wire")
    ),
    "coda_bench.sandbox.holder.room.cgroup",
    *(f"coda_bench.sandbox.holder.trackers.{name}" for name in ("inotify", "seen")),
)
BOOTSTRAP = """
import importlib, importlib.machinery, json, socket, struct, sys
control = socket.socket(socket.AF_UNIX)
control.connect(sys.argv[1])
def exactly(size):
    parts = b""
    while len(parts) < size:
        part = control.recv(size - len(parts))
        if not part:
            sys.exit(1)
        parts += part
    return parts
told = json.loads(exactly(*struct.unpack("!I", exactly(4))))
sources = told["sources"]
class Sent:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in sources:
            return importlib.machinery.ModuleSpec(name, Sent, is_package=not sources[name])
    @staticmethod
    def create_module(spec):
        return None
    @staticmethod
    def exec_module(module):
        exec(compile(sources[module.__name__], module.__name__, "exec"), module.__dict__)
sys.meta_path.insert(0, Sent)
importlib.import_module(told["main"]).main(control)
"""
"""What the interpreter in there is started with; its one argument is the socket."""


@cache
def _sources() -> dict[str, str]:
    modules = {name: (_SOURCE / f"{name.partition('.')[2].replace('.', '/')}.py") for name in _MODULES}
    return {**dict.fromkeys(_PACKAGES, ""), **{name: path.read_text("utf-8") for name, path in modules.items()}}


def hand_over(connection: socket.socket, program: str) -> None:
    """Send the bootstrap what it is to run: `keeper` or `watcher`."""
    told = {"sources": _sources(), "main": f"coda_bench.sandbox.container.inside.{program}"}
    body = json.dumps(told).encode()
    connection.sendall(struct.pack("!I", len(body)) + body)
