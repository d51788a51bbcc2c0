"""The two containers of an attempt, as arguments of the engine."""

import os
import resource
from pathlib import Path
from typing import NamedTuple

from coda_bench.records.run import Limits
from coda_bench.sandbox.analysis_env import home
from coda_bench.sandbox.cleanup.containers import label
from coda_bench.sandbox.container.bundle import BOOTSTRAP
from coda_bench.sandbox.container.engine import Engine
from coda_bench.sandbox.holder.room.namespaces import NOBODY
from coda_bench.sandbox.holder.room.rootfs import WRITABLE
from coda_bench.sandbox.spec import SandboxSpec

SOCKET = "/opt/control"
"""Where a program finds the harness's socket, which takes one connection and is gone then."""
_PYTHON = "/opt/analysis/bin/python3"
_PAGES_PER_MB = (1 << 20) // resource.getpagesize()
_OWN_PROCESSES = 16
"""Room for the keeper and its supervisors beside the commands' own processes."""
_WATCHER_MB = 512
_OPEN_FILES = 4096
_PROCESSES = 32768
"""Of a user on the whole host, where other limits bound a container's."""


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


def no_data() -> Path:
    """Return a directory for attempts without data; it stays."""
    return _lasting("no-data")


def empty() -> Path:
    """Return the other layer of overlays; it stays, since over one that has been removed they list nothing."""
    return _lasting("empty")


def _lasting(name: str) -> Path:
    path = home() / name
    path.mkdir(parents=True, exist_ok=True)
    return path


class Layer(NamedTuple):
    """A directory that is shown as a file system of its own: its place on the host cannot be read inside."""

    name: str
    source: Path
    inside: str


def layers(spec: SandboxSpec) -> list[Layer]:
    """Return what is shown that way: the community, the analysis environment, directories of the caller's."""
    data = [Layer("data", spec.data.resolve() if spec.data else no_data(), "/data")]
    analysis = [Layer("analysis", spec.environment.root.resolve(), "/opt/analysis")]
    more = [(path.resolve(), inside) for path, inside in spec.readonly if path.is_dir()]
    return [*data, *analysis, *(Layer(f"more-{number}", *shown) for number, shown in enumerate(more))]


def _overlay(engine: Engine, place: Place, layer: Layer) -> str:
    """Return an overlay's options; what stands in them can be read inside, so they name links."""
    lower = f"{place.folder}/{layer.name}"
    if engine.names_volumes:
        return f"lowerdir={lower},upperdir={lower}-upper,workdir={lower}-work"
    return f"lowerdir={place.folder}/empty:{lower}"


def volumes(engine: Engine, spec: SandboxSpec, place: Place) -> dict[str, list[str]]:
    """Return, by name, the arguments that make the volumes which want one; none for most engines."""
    if not engine.names_volumes:
        return {}
    overlays = {layer.name: ("overlay", _overlay(engine, place, layer)) for layer in layers(spec)}
    memory = {_memory_name(path): ("tmpfs", _memory_options(spec.limits)) for path in WRITABLE}
    return {
        f"{place.name}-{name}": _volume(f"{place.name}-{name}", kind, options)
        for name, (kind, options) in {**overlays, **memory}.items()
    }


def _volume(name: str, kind: str, options: str) -> list[str]:
    words = ("--opt", f"type={kind}", "--opt", f"device={kind}", "--opt", f"o={options}")
    return ["volume", "create", "--label", label(), *words, name]


def commands(engine: Engine, spec: SandboxSpec, place: Place) -> list[str]:
    """Return the arguments for the container in which commands run."""
    limits = spec.limits
    return [
        *_common(engine, place, "commands"),
        # To become the commands' user, to end what they leave, to add up their memory: nothing else of root.
        *(word for right in ("SETUID", "SETGID", "SETPCAP", "KILL", "SYS_PTRACE") for word in ("--cap-add", right)),
        *("--user", "0:0", "--ipc", "none"),  # and with it the engine's own /dev/shm, whose files nothing would count
        *_bounds(limits.memory_mb + limits.disk_mb, limits.processes + _OWN_PROCESSES, limits.cpus),
        *(word for path in WRITABLE for word in _writable(engine, place, path, limits)),
        *_bind(f"{place.folder}/commands", SOCKET, writable=True),
        *(word for name in ("passwd", "group") for word in _bind(f"{place.folder}/{name}", f"/etc/{name}")),
        *(word for path, inside in spec.readonly if not path.is_dir() for word in _bind(str(path.resolve()), inside)),
        *(word for layer in layers(spec) for word in _layer(engine, place, layer)),
        *_program(place.image),
    ]


def watch(engine: Engine, place: Place) -> list[str]:
    """Return the arguments for the container that watches the volume of the other."""
    return [
        *_common(engine, place, "watch"),
        *("--user", f"{user()}:{user()}"),
        *_bounds(_WATCHER_MB, _OWN_PROCESSES, 1),
        *_bind(f"{place.folder}/watch", SOCKET, writable=True),
        *("--volumes-from", f"{place.name}-commands:ro"),
        *_program(place.image),
    ]


def _common(engine: Engine, place: Place, role: str) -> list[str]:
    words = [
        *(
            "run",
            *([] if engine.names_volumes else ["--rm"]),
            "--detach",
            "--pull",
            "never",
            "--name",
            f"{place.name}-{role}",
            "--label",
            label(),
        ),
        *("--network", "none", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
        *("--hostname", "sandbox", "--log-driver", "none", "--ulimit", f"nofile={_files()}:{_files()}"),
    ]
    return [*words, *(["--read-only-tmpfs=false", *process_limit(engine)] if engine.names_volumes else [])]


def process_limit(engine: Engine) -> list[str]:
    """Return what keeps Podman from raising a limit above this process's own, which it may not."""
    hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    processes = _PROCESSES if hard == resource.RLIM_INFINITY else min(_PROCESSES, hard)
    return ["--ulimit", f"nproc={processes}:{processes}"] if engine.names_volumes else []


def _files() -> int:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return _OPEN_FILES if hard == resource.RLIM_INFINITY else min(_OPEN_FILES, hard)


def _bounds(memory_mb: int, processes: int, cpus: int) -> list[str]:
    memory = f"{memory_mb}m"
    cpus = min(cpus, len(os.sched_getaffinity(0)))
    return ["--memory", memory, "--memory-swap", memory, "--pids-limit", str(processes), "--cpus", str(cpus)]


def _writable(engine: Engine, place: Place, path: str, limits: Limits) -> list[str]:
    if engine.names_volumes:  # which knows no limit on the number of files by another way
        return ["--volume", f"{place.name}-{_memory_name(path)}:{path}:rw,exec,nosuid,nodev,nocopy"]
    return ["--tmpfs", f"{path}:rw,exec,nosuid,nodev,{_memory_options(limits)}"]


def _memory_name(path: str) -> str:
    return path.strip("/").replace("/", "-")


def _memory_options(limits: Limits) -> str:
    pages = limits.disk_mb * _PAGES_PER_MB  # by their number: one engine takes `size` for a quota of its own
    return f"nr_blocks={pages},mode=1777,nr_inodes={pages}"


def _bind(source: str, target: str, *, writable: bool = False) -> list[str]:
    parts = ["type=bind", _quoted(f"src={source}"), _quoted(f"dst={target}"), *(() if writable else ("readonly",))]
    return ["--mount", ",".join(parts)]


def _quoted(part: str) -> str:
    """Return a part of a mount's description as the comma-separated value it is read as."""
    return '"' + part.replace('"', '""') + '"' if set(',"') & set(part) else part


def _layer(engine: Engine, place: Place, layer: Layer) -> list[str]:
    if engine.names_volumes:
        return ["--volume", f"{place.name}-{layer.name}:{layer.inside}:ro,nocopy"]
    options = {"type": "overlay", "device": "overlay", "o": _overlay(engine, place, layer)}
    # Without an upper layer it is read-only; an engine that copied what its image has there would fail.
    volume = ["type=volume", _quoted(f"dst={layer.inside}"), "volume-driver=local", "volume-nocopy=true"]
    return ["--mount", ",".join([*volume, *(_quoted(f"volume-opt={name}={text}") for name, text in options.items())])]


def _program(image: str) -> list[str]:
    return ["--entrypoint", _PYTHON, image, "-I", "-S", "-c", BOOTSTRAP, SOCKET]
