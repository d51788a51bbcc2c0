"""The two containers of an attempt, as arguments of the engine."""

import os
import resource
from pathlib import Path
from typing import NamedTuple

from coda_bench.records.run import Limits
from coda_bench.sandbox.cleanup.containers import label
from coda_bench.sandbox.container.bundle import BOOTSTRAP
from coda_bench.sandbox.container.engine import Engine
from coda_bench.sandbox.holder.room.namespaces import NOBODY
from coda_bench.sandbox.spec import SandboxSpec

SOCKET = "/run/coda-bench"
"""Where a program finds the harness's socket, which takes one connection and is gone then."""
_PYTHON = "/opt/analysis/bin/python3"
_INODES_PER_MB = 256
_RESERVE = 48
"""Processes for the keeper and its supervisors, beside the commands' own."""
_WATCHER_MB = 512
_OPEN_FILES = 4096


class Place(NamedTuple):
    """What one attempt's containers are made from."""

    folder: Path
    """A private folder of the host with the sockets, the files of `/etc` and, for an overlay, its empty layers."""
    name: str
    """Of the containers, `-commands` and `-watch` behind it."""
    image: str


def user() -> int:
    """Return the user of commands: this one, whose files they may then read, or nobody for root."""
    return os.getuid() or NOBODY


def overlay(engine: Engine, place: Place) -> str:
    """Return the options of a volume that shows the community as a file system of its own, read-only."""
    lower = f"{place.folder}/data"  # a link there: what stands here can be read inside
    if engine.names_volumes:
        return f"lowerdir={lower},upperdir={place.folder}/upper,workdir={place.folder}/work"
    return f"lowerdir={place.folder}/empty:{lower}"


def volume(engine: Engine, place: Place) -> list[str]:
    """Return the arguments that make the overlay's volume where it needs a name."""
    options = ("--opt", "type=overlay", "--opt", "device=overlay", "--opt", f"o={overlay(engine, place)}")
    return ["volume", "create", "--label", label(), *options, place.name]


def commands(engine: Engine, spec: SandboxSpec, place: Place) -> list[str]:
    """Return the arguments for the container in which commands run."""
    limits = spec.limits
    return [
        *_common(engine, place, "commands"),
        # To become the commands' user, to end what they leave, to add up their memory: nothing else of root.
        *(word for right in ("SETUID", "SETGID", "KILL", "SYS_PTRACE") for word in ("--cap-add", right)),
        *("--user", "0:0", "--shm-size", f"{limits.disk_mb}m"),
        *_bounds(limits.memory_mb + limits.disk_mb, limits.processes + _RESERVE, limits.cpus),
        *_writable("/workspace", limits, "1777"),
        *_writable("/tmp", limits, "1777"),  # noqa: S108 - the container's own
        *_bind(f"{place.folder}/commands", SOCKET, writable=True),
        *(word for name in ("passwd", "group") for word in _bind(f"{place.folder}/{name}", f"/etc/{name}")),
        *_bind(str(spec.environment.root.resolve()), "/opt/analysis"),
        *(word for path, inside in spec.readonly for word in _bind(str(path.resolve()), inside)),
        *_data(engine, place),
        *_program(place.image),
    ]


def watch(engine: Engine, spec: SandboxSpec, place: Place) -> list[str]:
    """Return the arguments for the container that watches the volume of the other."""
    return [
        *_common(engine, place, "watch"),
        *("--user", f"{user()}:{user()}"),
        *_bounds(_WATCHER_MB, _RESERVE, 1),
        *_bind(f"{place.folder}/watch", SOCKET, writable=True),
        *_bind(str(spec.environment.root.resolve()), "/opt/analysis"),
        *("--volumes-from", f"{place.name}-commands:ro"),
        *_program(place.image),
    ]


def _common(engine: Engine, place: Place, role: str) -> list[str]:
    words = [
        *("run", "--rm", "--detach", "--pull", "never", "--name", f"{place.name}-{role}", "--label", label()),
        *("--network", "none", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
        *("--hostname", "sandbox", "--log-driver", "none", "--ulimit", f"nofile={_files()}:{_files()}"),
    ]
    if engine.names_volumes:
        processes = resource.getrlimit(resource.RLIMIT_NPROC)[1]
        words += ["--read-only-tmpfs=false", "--ulimit", f"nproc={processes}:{processes}"]
    return words


def _files() -> int:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return _OPEN_FILES if hard == resource.RLIM_INFINITY else min(_OPEN_FILES, hard)


def _bounds(memory_mb: int, processes: int, cpus: int) -> list[str]:
    memory = f"{memory_mb}m"
    cpus = min(cpus, len(os.sched_getaffinity(0)))
    return ["--memory", memory, "--memory-swap", memory, "--pids-limit", str(processes), "--cpus", str(cpus)]


def _writable(path: str, limits: Limits, mode: str) -> list[str]:
    options = f"rw,exec,nosuid,nodev,size={limits.disk_mb}m,mode={mode},nr_inodes={limits.disk_mb * _INODES_PER_MB}"
    return ["--tmpfs", f"{path}:{options}"]


def _bind(source: str, target: str, *, writable: bool = False) -> list[str]:
    parts = ["type=bind", _quoted(f"src={source}"), _quoted(f"dst={target}"), *(() if writable else ("readonly",))]
    return ["--mount", ",".join(parts)]


def _quoted(part: str) -> str:
    """Return a part of a mount's description as the comma-separated value it is read as."""
    return '"' + part.replace('"', '""') + '"' if set(',"') & set(part) else part


def _data(engine: Engine, place: Place) -> list[str]:
    if engine.names_volumes:
        return ["--volume", f"{place.name}:/data:ro"]
    options = {"type": "overlay", "device": "overlay", "o": overlay(engine, place)}
    volume = ["type=volume", "dst=/data", "volume-driver=local"]  # an overlay without an upper layer is read-only
    return ["--mount", ",".join([*volume, *(_quoted(f"volume-opt={name}={text}") for name, text in options.items())])]


def _program(image: str) -> list[str]:
    return ["--entrypoint", _PYTHON, image, "-I", "-S", "-c", BOOTSTRAP, SOCKET]
