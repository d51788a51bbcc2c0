"""What two hundred sandboxes leave: nothing."""

import os
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.cleanup import find

IN_A_ROW, AT_ONCE = 200, 8
_MOST_GROWTH_KB = 8 << 10
LOOK = "cat /data/*/*.csv > /workspace/all; sleep 60 & setsid sleep 60 & mkdir -p /tmp/x; exit 3"


class Held(NamedTuple):
    """What this harness and its descendants hold of the machine."""

    processes: int
    mounts: int
    folders: frozenset[str]
    descriptors: int
    watches: int
    groups: int


def descendants() -> list[int]:
    """Return the processes that descend from this one."""
    found = [os.getpid()]
    for process in found:
        for children in Path(f"/proc/{process}/task").glob("*/children"):
            found += map(int, children.read_text().split())
    return found[1:]


def open_files(process: int) -> list[str]:
    """Return what the kernel says of each open file of a process, but the one for asking."""
    found = []
    for path in list(Path(f"/proc/{process}/fdinfo").iterdir()):
        with suppress(FileNotFoundError):
            found.append(path.read_text())
    return found


def held(holders: list[int]) -> Held:
    """Look at this process, its nursery and what else it has started, and the groups of its sandboxes."""
    family = [os.getpid(), *descendants()]
    infos = [text for process in family for text in open_files(process)]
    return Held(
        processes=len(family),
        mounts=sum(Path(f"/proc/{process}/mountinfo").read_text().count("\n") for process in family),
        folders=frozenset(path.name for path in Path(tempfile.gettempdir()).iterdir() if "coda" in path.name),
        descriptors=len(infos),
        watches=sum(text.count("inotify wd:") for text in infos),
        groups=len(
            {path.name for path in Path("/sys/fs/cgroup").rglob("coda-bench-*")}
            & {f"coda-bench-{holder}" for holder in holders}
        ),
    )


def resident_kb() -> int:
    """Return what this process holds in memory now."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(fields["VmRSS"].split()[0])


@pytest.mark.slow
def test_two_hundred_attempts_leave_nothing(environment, community):
    """After sandboxes in a row and at once there are the processes, mounts, folders and descriptors of before."""
    spec = SandboxSpec(data=community, environment=environment)
    holders: list[int] = []

    def attempt(_number: int) -> None:
        with Sandbox.start(spec) as sandbox:
            holders.append(sandbox.holder_pid)
            result = sandbox.execute(["sh", "-c", LOOK], timeout_s=60)
            assert result.exit_code == 3
            assert result.access.complete
            assert len(sandbox.file_access().opened) >= 3

    for number in range(10):  # what is made once, such as the nursery, is no leak
        attempt(number)
    before, before_kb = held(holders), resident_kb()
    for number in range(IN_A_ROW):
        attempt(number)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(attempt, range(5 * AT_ONCE)))
    for _ in range(200):  # the last holder may still be on its way out
        if held(holders) == before:
            break
        threading.Event().wait(0.05)
    assert held(holders) == before
    assert len(holders) >= IN_A_ROW + AT_ONCE
    assert resident_kb() - before_kb < _MOST_GROWTH_KB
    assert [leftover for leftover in find() if leftover.where in {str(process) for process in descendants()}] == []
