"""Laying out the stage: the sources from the host at neutral places, and the root file system made of them."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from coda_bench.sandbox.holder import kernel
from coda_bench.sandbox.holder.room import places, rootfs
from coda_bench.sandbox.holder.wire import Plan

_STAGE_OPTIONS = "size=8m,mode=755"
_FILES_PER_MB = 256
"""One for each page of memory: more could only be empty ones, which the size limit does not see."""
_DEVICES = f"{places.ROOT}/dev/"


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


def lay_out(plan: Plan, *, owner: int) -> None:
    """Cover a directory with a private file system and bind everything a command needs below it.

    Args:
        plan: what to show.
        owner: the user, in this process's user namespace, that commands will run as.

    Raises:
        StepFailed: a source cannot be opened, or a mount is refused.
    """
    with step("private mounts"):
        kernel.mount("none", "/", None, flags=kernel.MS_REC | kernel.MS_PRIVATE)
    with step("opening of a source"):
        sources = [Source(os.open(path, os.O_PATH | os.O_CLOEXEC), target) for path, target in _wanted(plan)]
    with step("staging file system"):
        _mount_memory(places.STAGE, _STAGE_OPTIONS, owner)
        for directory in (places.EMPTY, places.COMMUNITY, places.VIEWS, places.WRITABLE, places.ROOT):
            _make_directory(directory, owner)
        # A mount of its own, to be made read-only in the end.
        kernel.mount(places.ROOT, places.ROOT, None, flags=kernel.MS_BIND)
    with step("writable file system"):
        _mount_memory(places.WRITABLE, f"size={plan.disk_mb}m,mode=755,nr_inodes={plan.disk_mb * _FILES_PER_MB}", owner)
    with step("root file system"):
        _build_root(plan, owner)
    with step("binding of a source"):
        for source in sources:
            _bind(source)
    with step("root file system"):
        kernel.seal(places.ROOT)


def _wanted(plan: Plan) -> Iterator[tuple[str, str]]:
    yield plan.bwrap, places.BWRAP
    if plan.bwrap_libraries is not None:
        yield plan.bwrap_libraries, places.BWRAP_LIBRARIES.format(name=os.path.basename(plan.bwrap_libraries))
    if plan.community is not None:
        yield plan.community, places.COMMUNITY
    yield plan.analysis, f"{places.ROOT}/opt/analysis"
    for path, inside in plan.readonly:
        yield path, os.path.normpath(f"{places.ROOT}/{inside}")


def _build_root(plan: Plan, owner: int) -> None:
    for path in (*rootfs.system_directories(), *rootfs.DEVICES):
        _bind(Source(os.open(path, os.O_PATH | os.O_CLOEXEC), f"{places.ROOT}{path}"))
    for path in rootfs.hidden_directories(plan.hidden):
        _bind(Source(os.open(places.EMPTY, os.O_PATH | os.O_CLOEXEC), f"{places.ROOT}{path}"))
    for path, target in rootfs.links().items():
        os.symlink(target, f"{places.ROOT}{path}")
    for path, content in rootfs.files().items():
        os.makedirs(os.path.dirname(f"{places.ROOT}{path}"), exist_ok=True)
        with open(f"{places.ROOT}{path}", "wb") as stream:
            stream.write(content)
    for path in ("/proc", "/data", "/dev/pts"):
        os.mkdir(f"{places.ROOT}{path}")
    for path, mode in rootfs.WRITABLE.items():
        _make_writable(path, mode, owner)
    flags = kernel.MS_NOSUID | kernel.MS_NOEXEC
    kernel.mount("devpts", f"{places.ROOT}/dev/pts", "devpts", flags=flags, options="newinstance,ptmxmode=0666")


def _make_writable(path: str, mode: int, owner: int) -> None:
    inside, source = f"{places.ROOT}{path}", f"{places.WRITABLE}/{os.path.basename(path)}"
    os.mkdir(inside)
    _make_directory(source, owner)
    os.chmod(source, mode)
    kernel.mount(source, inside, None, flags=kernel.MS_BIND)


def _make_directory(path: str, owner: int) -> None:
    os.mkdir(path)
    os.chown(path, owner, -1)


def _mount_memory(target: str, options: str, owner: int) -> None:
    flags = kernel.MS_NOSUID | kernel.MS_NODEV
    kernel.mount("tmpfs", target, "tmpfs", flags=flags, options=f"{options},uid={owner}")


def _bind(source: Source) -> None:
    """Bind a source, with what is mounted below it, read-only."""
    os.makedirs(os.path.dirname(source.target), exist_ok=True)
    if stat.S_ISDIR(os.fstat(source.descriptor).st_mode):
        os.makedirs(source.target, exist_ok=True)
    elif not os.path.exists(source.target):
        os.close(os.open(source.target, os.O_CREAT | os.O_CLOEXEC, 0o644))
    flags = kernel.MS_BIND | kernel.MS_REC
    kernel.mount(f"/proc/self/fd/{source.descriptor}", source.target, None, flags=flags)
    kernel.restrict(source.target, devices=source.target.startswith(_DEVICES))
    os.close(source.descriptor)
