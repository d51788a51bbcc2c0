"""Laying out the stage: the sources from the host at neutral places, and the root file system made of them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from coda_bench.sandbox.holder import kernel
from coda_bench.sandbox.holder.room import analysis, places, rootfs
from coda_bench.sandbox.holder.room.sources import Source, bind, opened, show
from coda_bench.sandbox.holder.wire import Plan

_STAGE_OPTIONS = "size=8m,mode=755"
_FILES_PER_MB = 256
"""One for each page of memory: more could only be empty ones, which the size limit does not see."""


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


def lay_out(plan: Plan, *, owner: int) -> list[str]:
    """Cover a directory with a private file system and bind everything a command needs below it.

    Args:
        plan: what to show.
        owner: the user, in this process's user namespace, that commands will run as.

    Returns:
        What there is to say about it.

    Raises:
        StepFailed: a source cannot be opened, or a mount is refused.
    """
    with step("private mounts"):
        kernel.mount("none", "/", None, flags=kernel.MS_REC | kernel.MS_PRIVATE)
    with step("opening of a source"):
        needed = [opened(path, target) for path, target in _needed(plan)]
        shown = [(opened(path, target), os.path.basename(path)) for path, target in _shown(plan)]
    with step("staging file system"):
        _mount_memory(places.STAGE, _STAGE_OPTIONS, owner)
        for directory in (places.EMPTY, places.COMMUNITY, places.VIEWS, places.WRITABLE, places.SOURCES, places.ROOT):
            _make_directory(directory, owner)
        # A mount of its own, to be made read-only in the end.
        kernel.mount(places.ROOT, places.ROOT, None, flags=kernel.MS_BIND)
    with step("writable file system"):
        _mount_memory(places.WRITABLE, f"size={plan.disk_mb}m,mode=755,nr_inodes={plan.disk_mb * _FILES_PER_MB}", owner)
    with step("root file system"):
        _build_root(plan, owner)
    with step("binding of a source"):
        for source in needed:
            bind(source)
        hidden = [show(source, number, name=name) for number, (source, name) in enumerate(shown)]
    with step("root file system"):
        analysis.replace_pythons()
        analysis.link_caches(owner)
        kernel.seal(places.ROOT)
    return [] if all(hidden) else ["paths of the host can be read in /proc/self/mountinfo: no overlay mounts here"]


def _needed(plan: Plan) -> Iterator[tuple[str, str]]:
    yield plan.bwrap, places.BWRAP
    if plan.bwrap_libraries is not None:
        yield plan.bwrap_libraries, places.BWRAP_LIBRARIES.format(name=os.path.basename(plan.bwrap_libraries))
    if plan.community is not None:
        yield plan.community, places.COMMUNITY


def _shown(plan: Plan) -> Iterator[tuple[str, str]]:
    yield plan.analysis, f"{places.ROOT}{analysis.INSIDE}"
    for path, inside in plan.readonly:
        yield path, os.path.normpath(f"{places.ROOT}/{inside}")


def _build_root(plan: Plan, owner: int) -> None:
    for path in (*rootfs.system_directories(), *rootfs.DEVICES):
        bind(Source(os.open(path, os.O_PATH | os.O_CLOEXEC), f"{places.ROOT}{path}"))
    for path in rootfs.hidden_directories(plan.hidden):
        bind(Source(os.open(places.EMPTY, os.O_PATH | os.O_CLOEXEC), f"{places.ROOT}{path}"))
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
