"""What this machine can do for sandboxes, found out by doing it, and what to do about the rest."""

import os
import platform
import re
import shutil
import tempfile
from pathlib import Path

from coda_bench.errors import AnalysisEnvironmentMissing, SandboxError, SandboxUnavailable
from coda_bench.records.record import Record
from coda_bench.records.run import Backend, Limits
from coda_bench.sandbox import analysis_env, bubblewrap
from coda_bench.sandbox.analysis_env import AnalysisEnvironment
from coda_bench.sandbox.cleanup.folders import TEMPORARY
from coda_bench.sandbox.connection import ASK_DOCTOR
from coda_bench.sandbox.container import engine as engines
from coda_bench.sandbox.container import image
from coda_bench.sandbox.sandbox import Sandbox
from coda_bench.sandbox.spec import CommandResult, SandboxSpec

_KERNEL = (5, 12)
"""Overlay mounts for ordinary users came with 5.11, `mount_setattr` with 5.12."""
_INSTANCES = 128
_WATCHES = 8192
_EVENTS = 16384
"""The kernel's own setting of old."""
_DISK_GB = 5.0
_PROBE = "cat /data/probe.csv && ! (exec 3<>/dev/tcp/1.1.1.1/53) 2>/dev/null && grep -q 'Seccomp:.2' /proc/self/status"
_SYSCTL = Path("/proc/sys")
_APPARMOR = (
    "AppArmor restricts user namespaces here, as on Ubuntu 24.04 and newer: allow them with "
    "`sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0` (a line in a file below /etc/sysctl.d makes it last)"
)
_CONTAINER = (
    "this looks like a container: start it with seccomp and system paths unconfined "
    "(docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined), or run on the host"
)


class Check(Record):
    """One thing looked at."""

    name: str
    ok: bool
    detail: str
    """What was found, in plain words."""
    remedy: str = ""
    """What to do about it; empty when there is nothing to do."""


def examine() -> list[Check]:
    """Run every check; the first few really start a sandbox and run a tracked command in it."""
    if platform.system() != "Linux":
        return [_kernel()]
    found = _bubblewrap()
    return [
        _kernel(),
        found,
        *(_sandbox() if found.ok else [_untried()]),
        _inotify(),
        _environment("current", needed=True),
        _environment("older", needed=False),
        _disk(),
        _memory(),
        *(_engine(backend) for backend in (Backend.DOCKER, Backend.PODMAN) if shutil.which(backend)),
    ]


def _kernel() -> Check:
    release = platform.release()
    version = tuple(int(part) for part in re.findall(r"\d+", release)[:2])
    ok = platform.system() == "Linux" and version >= _KERNEL
    return Check(
        name="kernel",
        ok=ok,
        detail=f"{platform.system()} {release} on {platform.machine()}",
        remedy="" if ok else "sandboxes need Linux 5.12 or newer; scoring works anywhere",
    )


def _bubblewrap() -> Check:
    try:
        found = bubblewrap.find()
    except SandboxUnavailable as missing:
        return Check(name="bubblewrap", ok=False, detail="not usable", remedy=str(missing))
    return Check(name="bubblewrap", ok=True, detail=f"{found.version} at {found.binary}")


def _untried() -> Check:
    return Check(name="sandbox", ok=False, detail="not tried without bubblewrap", remedy="make bubblewrap usable first")


def _sandbox() -> list[Check]:
    """Start a sandbox over one file and read it there: nothing that merely looks possible is believed."""
    with tempfile.TemporaryDirectory(prefix=TEMPORARY.format(process=os.getpid())) as folder:
        data, empty = Path(folder, "data"), Path(folder, "environment")
        for directory in (data, empty):
            directory.mkdir(mode=0o755)
        (data / "probe.csv").write_text("a\n1\n", encoding="utf-8")
        environment = AnalysisEnvironment(generation="none", root=empty, lock_sha256="", python_version="")
        try:
            with Sandbox.start(SandboxSpec(data=data, environment=environment, backend=Backend.BUBBLEWRAP)) as sandbox:
                result = sandbox.execute(["bash", "-c", _PROBE], timeout_s=30)
                return [_isolation(result), _tracking(sandbox, result), _bounds(sandbox)]
        except SandboxError as error:
            detail = str(error).removesuffix(f"; {ASK_DOCTOR}")
            return [Check(name="sandbox", ok=False, detail=detail, remedy=why_refused())]


def _isolation(result: CommandResult) -> Check:
    said = result.stderr.decode(errors="replace").strip()
    return Check(
        name="sandbox",
        ok=result.exit_code == 0,
        detail=f"a command ran without network and filtered, in {1000 * result.seconds:.0f} ms"
        if result.exit_code == 0
        else f"a command failed inside (exit code {result.exit_code}): {said}",
        remedy="" if result.exit_code == 0 else why_refused(),
    )


def _tracking(sandbox: Sandbox, result: CommandResult) -> Check:
    seen = result.access is not None and result.access.opened == ("probe.csv",)
    notes = [note for note in sandbox.record.notes if "tracked" in note]
    return Check(
        name="file access",
        ok=seen,
        detail=f"seen by {sandbox.record.tracker}" if seen else "; ".join(notes) or "the file read was not seen",
        remedy="" if seen else f"discovery cannot be measured without it. {why_refused()}",
    )


def _bounds(sandbox: Sandbox) -> Check:
    note = next((note for note in sandbox.record.notes if "memory" in note), "")
    children = Path(f"/proc/self/task/{os.getpid()}/children").exists()
    return Check(
        name="memory limit",
        ok=children,
        detail=note if children else "the kernel does not list children (CONFIG_PROC_CHILDREN)",
        remedy="" if children else "only reservations of single processes are bounded on this kernel",
    )


def why_refused() -> str:
    """Return the likeliest reason why namespaces are refused here, with what to do."""
    if _setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
        return _APPARMOR
    if _setting("user/max_user_namespaces") == "0":
        return "user namespaces are switched off: `sudo sysctl user.max_user_namespaces=10000`"
    if _setting("kernel/unprivileged_userns_clone") == "0":
        return "user namespaces are for root only: `sudo sysctl kernel.unprivileged_userns_clone=1`"
    if any(Path(mark).exists() for mark in ("/.dockerenv", "/run/.containerenv")):
        return _CONTAINER
    return "no switch explains it: a policy of this machine refuses user namespaces or overlay mounts in them"


def _setting(name: str) -> str:
    try:
        return (_SYSCTL / name).read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _inotify() -> Check:
    """Compare the limits for a user, and those for a user namespace, whichever is lower, with what a run needs."""
    instances = _least("fs/inotify/max_user_instances", "user/max_inotify_instances")
    watches = _least("fs/inotify/max_user_watches", "user/max_inotify_watches")
    events = int(_setting("fs/inotify/max_queued_events") or 0)
    wanted = {
        "fs.inotify.max_user_instances": (instances, _INSTANCES),
        "fs.inotify.max_user_watches": (watches, _WATCHES),
        "user.max_inotify_instances": (instances, _INSTANCES),
        "user.max_inotify_watches": (watches, _WATCHES),
        "fs.inotify.max_queued_events": (events, _EVENTS),
    }
    raised = [f"{name}={enough}" for name, (found, enough) in wanted.items() if found < enough]
    return Check(
        name="inotify",
        ok=not raised,
        detail=f"{instances} commands can be watched at once, with {watches} directories together "
        f"and {events} openings between two looks",
        remedy=f"`sudo sysctl {' '.join(raised)}`" if raised else "",
    )


def _least(*settings: str) -> int:
    """Return the lowest of some limits; those that this kernel does not know do not count."""
    return min((int(found) for name in settings if (found := _setting(name))), default=0)


def _environment(generation: str, *, needed: bool) -> Check:
    name = f"analysis environment {generation}"
    try:
        found = analysis_env.find(generation)
    except AnalysisEnvironmentMissing as missing:
        detail = "not built" if needed else "not built; only runs that ask for it need it"
        return Check(name=name, ok=not needed, detail=detail, remedy=str(missing))
    return Check(name=name, ok=True, detail=f"Python {found.python_version} at {found.root}")


def _engine(name: Backend) -> Check:
    """Say whether an engine that is installed could hold sandboxes; nobody needs one."""
    try:
        found = engines.find(name)
        made = image.find(found)
    except SandboxUnavailable as missing:
        return Check(name=name, ok=True, detail=f"not ready for `--sandbox {name}`: {missing}")
    return Check(name=name, ok=True, detail=f"{found.version}, ready for `--sandbox {name}` with {made.name}")


def _disk() -> Check:
    place = analysis_env.home()
    while not place.exists():
        place = place.parent
    free_gb = shutil.disk_usage(place).free / 1e9
    return Check(
        name="disk",
        ok=free_gb >= _DISK_GB,
        detail=f"{free_gb:.0f} GB free at {place}",
        remedy="" if free_gb >= _DISK_GB else f"make room, or set CODA_BENCH_HOME to where {_DISK_GB:.0f} GB are free",
    )


def _memory() -> Check:
    """Compare what is available with what one attempt may take, its files in memory included."""
    limits = Limits()
    available_mb = _available_kb() / 1024
    needed_mb = limits.memory_mb + limits.disk_mb
    at_once = int(available_mb // needed_mb)
    return Check(
        name="memory",
        ok=at_once >= 1,
        detail=f"{available_mb / 1024:.1f} GB available: room for {at_once} attempts at their limit at once, "
        f"on {len(os.sched_getaffinity(0))} CPUs",
        remedy="" if at_once >= 1 else f"an attempt may take {needed_mb / 1024:.0f} GB; free some or lower the limits",
    )


def _available_kb() -> int:
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    fields = dict(line.split(":", 1) for line in lines)
    return int(fields["MemAvailable"].split()[0])
