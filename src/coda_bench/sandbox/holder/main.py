"""The holder's life: set up as planned, run commands until the harness is gone, leave nothing."""

import os
import resource
import socket
import threading

from coda_bench.sandbox.holder import kernel, limits, seccomp
from coda_bench.sandbox.holder.command import run
from coda_bench.sandbox.holder.process import Shared
from coda_bench.sandbox.holder.replies import Standard, turn_away
from coda_bench.sandbox.holder.room import cgroup, places
from coda_bench.sandbox.holder.room.namespaces import enter
from coda_bench.sandbox.holder.room.stage import StepFailed
from coda_bench.sandbox.holder.trackers.choose import choose
from coda_bench.sandbox.holder.trackers.inotify import directories_of
from coda_bench.sandbox.holder.trackers.views import Views
from coda_bench.sandbox.holder.wire import Plan, Ready, Request, receive, receive_descriptors, send

_OWN_PROCESSES = 16
"""Room for bubblewrap and this process's threads beside the commands' own processes."""
_RESERVE = 32
"""Processes for this process and the harness's own commands alone: for fetching the answer beside a fork bomb."""
_LAST_WAIT_S = 5.0


def main(control_fd: int) -> None:
    """Serve one sandbox over the control socket; returns when the harness has closed it or died."""
    with socket.socket(fileno=control_fd) as control:
        fields = receive(control)
        if fields is None:
            return
        try:
            ready, shared = _prepare(Plan(**fields))
        except StepFailed as failure:
            send(control, _failed(failure))
            return
        send(control, ready)
        _Server(control, shared).serve()


def _failed(failure: StepFailed) -> Ready:
    return Ready(
        step=failure.step,
        problem=failure.problem,
        pid=os.getpid(),
        tracker="none",
        uid=os.getuid(),
        notes=[],
        memory_by="",
        cpus=[],
    )


def _prepare(plan: Plan) -> tuple[Ready, Shared]:
    cpus = _choose_cpus(plan.cpus)
    group = cgroup.create((plan.memory_mb + plan.disk_mb) << 20)  # files in memory count there too
    notes = enter(plan)
    _limit(plan)
    kernel.adopt_orphans()
    kernel.renounce_privileges()
    directories = _readable_directories()
    choice = choose(plan.tracker, directories)
    shared = Shared(
        directories=directories,
        tracker=choice.kind,
        views=Views(),
        memory_bytes=plan.memory_mb << 20,
        processes=plan.processes + _OWN_PROCESSES,
        group=group,
        filter=_filter(),
    )
    ready = Ready(
        step="",
        problem="",
        pid=os.getpid(),
        tracker=choice.kind,
        uid=os.getuid(),
        notes=[*notes, *choice.notes],
        memory_by=f"{group.kind} and watchdog" if group else "watchdog",
        cpus=cpus,
    )
    return ready, shared


def _filter() -> bytes:
    try:
        return seccomp.program()
    except KeyError as machine:
        raise StepFailed("system call filter", f"no call numbers are known for {machine}") from machine


def _choose_cpus(count: int) -> list[int]:
    """Keep to `count` CPUs, not always the same ones when several sandboxes run."""
    allowed = sorted(os.sched_getaffinity(0))
    first = os.getpid() % len(allowed)
    chosen = (allowed[first:] + allowed[:first])[:count]
    os.sched_setaffinity(0, chosen)
    return chosen


def _limit(plan: Plan) -> None:
    """Set what commands inherit; process limits count per user namespace, so here and not before."""
    processes = plan.processes + _OWN_PROCESSES + _RESERVE
    limits.impose({**limits.of_a_command(plan.memory_mb), resource.RLIMIT_NPROC: processes})


def _readable_directories() -> list[bytes]:
    try:
        return directories_of(os.fsencode(places.COMMUNITY))
    except PermissionError as error:
        problem = f"{error} by user {os.getuid()}, as which sandboxes run (chmod -R a+rX helps)"
        raise StepFailed("reading of the community", problem) from error


class _Server:
    """Takes commands from the control socket, one thread each."""

    def __init__(self, control: socket.socket, shared: Shared) -> None:
        self._control = control
        self._shared = shared
        self._running: dict[threading.Thread, socket.socket] = {}
        self._lock = threading.Lock()

    def serve(self) -> None:
        """Start commands until the control socket ends, then stop those that still run."""
        number = 0
        while descriptors := receive_descriptors(self._control, 4):
            channel = socket.socket(fileno=descriptors[0])
            standard = Standard(descriptors[1:])
            view = f"{places.VIEWS}/{number}"
            thread = threading.Thread(target=self._run, args=(channel, standard, view), daemon=True)
            with self._lock:
                self._running[thread] = channel
            self._start(thread, standard, channel)
            number += 1
        self._stop_all()

    def _start(self, thread: threading.Thread, standard: Standard, channel: socket.socket) -> None:
        try:
            thread.start()
        except RuntimeError as error:
            with self._lock:
                del self._running[thread]
            with channel:
                turn_away(standard, channel, error)

    def _run(self, channel: socket.socket, standard: Standard, view: str) -> None:
        try:
            fields = receive(channel)
            if fields is None:
                standard.close()
            else:
                run(Request(**fields), standard, channel, view=view, shared=self._shared)
        finally:
            # Whatever went wrong here, the harness must see the end of its channel.
            with self._lock:
                del self._running[threading.current_thread()]
                channel.close()

    def _stop_all(self) -> None:
        with self._lock:
            running = dict(self._running)
            for channel in running.values():
                channel.shutdown(socket.SHUT_RDWR)
        for thread in running:
            thread.join(_LAST_WAIT_S)
