"""The holder's private view of the host: namespaces of its own, and every source at a neutral path.

Sources may lie below a directory that only root can enter, so root binds them before it gives itself up.
Neutral paths matter too: a command can read where its mounts come from.
"""

import fcntl
import os
import socket
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from . import kernel
from .wire import Plan

STAGE = "/tmp"  # noqa: S108 - covered by a file system of this process alone; the one directory every host has
COMMUNITY = f"{STAGE}/community"
EMPTY = f"{STAGE}/empty"
ANALYSIS = f"{STAGE}/analysis"
READONLY = f"{STAGE}/readonly"
BWRAP = f"{STAGE}/bubblewrap/bin/bwrap"
ETC = f"{STAGE}/etc"
WRITABLE = f"{STAGE}/writable"
VIEWS = f"{STAGE}/views"

NOBODY = 65534
_STAGE_OPTIONS = "size=8m,mode=755"
_WRITABLE_INODES = 1_000_000
_ETC_FILES = {
    "passwd": "root:x:0:0::/:/usr/sbin/nologin\nagent:x:1000:1000::/workspace:/bin/bash\n",
    "group": "root:x:0:\nagent:x:1000:\n",
    "hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1


class StepFailed(Exception):
    """A step of the set-up failed; `step` says which, in a few words."""

    def __init__(self, step: str, problem: str) -> None:
        super().__init__(f"{step}: {problem}")
        self.step = step
        self.problem = problem


@contextmanager
def step(name: str) -> Iterator[None]:
    """Name the step whose system call fails.

    Raises:
        StepFailed: in place of the OSError.
    """
    try:
        yield
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise StepFailed(name, f"{error.strerror or error}{where}") from error


class Source(NamedTuple):
    """Something of the host to show: held open, since its path may soon be covered by the stage."""

    descriptor: int
    target: str


def set_up(plan: Plan) -> None:
    """Enter the namespaces and lay out the stage; afterwards this process is an ordinary user or nobody.

    Raises:
        StepFailed: this machine refuses a step.
    """
    if os.geteuid() == 0:
        with step("mount namespace"):
            kernel.unshare(kernel.CLONE_NEWNS)
        _bind_sources(plan, owner=NOBODY)
        _become_nobody()
        _enter_namespaces()
    else:
        _enter_namespaces()
        _bind_sources(plan, owner=os.getuid())
    with step("writable file system"):
        _lay_out_writable(plan)
    with step("loopback interface"):
        _raise_loopback()


def _become_nobody() -> None:
    """Leave uid 0: the kernel exempts it from process limits, and its files would be the agent's."""
    with step("change of user"):
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        kernel.stay_inspectable()


def _enter_namespaces() -> None:
    """Enter new user, mount, network and IPC namespaces, shared by the commands of this sandbox."""
    uid, gid = os.getuid(), os.getgid()
    with step("user namespace"):
        kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS | kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC)
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{uid} {uid} 1")
        _write("/proc/self/gid_map", f"{gid} {gid} 1")
    with step("private mounts"):
        kernel.mount("none", "/", None, flags=kernel.MS_REC | kernel.MS_PRIVATE)


def _bind_sources(plan: Plan, *, owner: int) -> None:
    with step("private mounts"):
        kernel.mount("none", "/", None, flags=kernel.MS_REC | kernel.MS_PRIVATE)
    sources = [_open_source(path, target) for path, target in _wanted(plan)]
    with step("staging file system"):
        flags = kernel.MS_NOSUID | kernel.MS_NODEV
        kernel.mount("tmpfs", STAGE, "tmpfs", flags=flags, options=f"{_STAGE_OPTIONS},uid={owner},gid={owner}")
        for directory in (EMPTY, COMMUNITY, ETC, VIEWS, WRITABLE):
            os.mkdir(directory)
    for source in sources:
        with step("binding of a source"):
            _bind(source)
    with step("staging file system"):
        _furnish_etc()
        _give_to(owner)


def _wanted(plan: Plan) -> Iterator[tuple[str, str]]:
    yield plan.analysis, ANALYSIS
    yield plan.bwrap, BWRAP
    if plan.community is not None:
        yield plan.community, COMMUNITY
    if plan.bwrap_libraries is not None:
        name = os.path.basename(plan.bwrap_libraries)
        yield plan.bwrap_libraries, f"{STAGE}/{name}"
    for number, (path, _) in enumerate(plan.readonly):
        yield path, f"{READONLY}/{number}"


def _open_source(path: str, target: str) -> Source:
    with step("opening of a source"):
        return Source(os.open(path, os.O_PATH | os.O_CLOEXEC), target)


def _bind(source: Source) -> None:
    os.makedirs(os.path.dirname(source.target), exist_ok=True)
    if stat.S_ISDIR(os.fstat(source.descriptor).st_mode):
        os.makedirs(source.target, exist_ok=True)
    else:
        _write(source.target, "")
    flags = kernel.MS_BIND | kernel.MS_REC
    kernel.mount(f"/proc/self/fd/{source.descriptor}", source.target, None, flags=flags)
    os.close(source.descriptor)


def _furnish_etc() -> None:
    for name, text in _ETC_FILES.items():
        _write(f"{ETC}/{name}", text)
    os.mkdir(f"{ETC}/alternatives")
    try:
        with open("/etc/ld.so.cache", "rb") as cache, open(f"{ETC}/ld.so.cache", "wb") as copy:
            copy.write(cache.read())
    except FileNotFoundError:
        os.unlink(f"{ETC}/ld.so.cache")  # a system without the cache searches its directories


def _give_to(owner: int) -> None:
    for directory in (VIEWS, WRITABLE):
        os.chown(directory, owner, -1)


def _lay_out_writable(plan: Plan) -> None:
    options = f"size={plan.disk_mb}m,mode=755,nr_inodes={_WRITABLE_INODES}"
    kernel.mount("tmpfs", WRITABLE, "tmpfs", flags=kernel.MS_NOSUID | kernel.MS_NODEV, options=options)
    for name, mode in (("workspace", 0o755), ("tmp", 0o1777), ("shm", 0o1777)):
        os.mkdir(f"{WRITABLE}/{name}")
        os.chmod(f"{WRITABLE}/{name}", mode)


def _raise_loopback() -> None:
    """Bring 127.0.0.1 up in the new network namespace, which has nothing else."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh14x", b"lo", 0)
        _, flags = struct.unpack("16sh14x", fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request))
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | _IFF_UP))


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
