"""Starting holders quickly: one process that has imported everything already forks them on demand.

It has one thread, so that forking is safe, and ends with its control socket, as its holders end with theirs.
"""

import os
import signal
import socket
import time
from contextlib import suppress

from coda_bench.sandbox.holder import kernel, memory
from coda_bench.sandbox.holder.main import main as hold
from coda_bench.sandbox.holder.room import cgroup, rootfs
from coda_bench.sandbox.holder.wire import receive_descriptors

_NO_DESCRIPTOR = 1 << 20
_LAST_LOOK_S = 0.05


def main(control_fd: int) -> None:
    """Fork a holder for each control socket announced, beside which comes the file for what it prints."""
    # Both came to us by inheritance and must not go on to commands: the socket, and whatever else was open.
    os.set_inheritable(control_fd, False)
    os.closerange(control_fd + 1, _NO_DESCRIPTOR)
    kernel.adopt_orphans()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps holders: nobody asks how they ended
    with socket.socket(fileno=control_fd) as control:
        holders: list[int] = []
        cgroup.remove_abandoned()
        rootfs.survey()
        while descriptors := receive_descriptors(control, 2):
            holder = _fork(descriptors[1])
            if holder == 0:
                control.close()
                _become_holder(*descriptors)
            for descriptor in descriptors:
                os.close(descriptor)
            holders = _forget_ended([*holders, holder])
    while (holders := _forget_ended(holders)) or memory.children_of(os.getpid()):
        time.sleep(_LAST_LOOK_S)


def _forget_ended(holders: list[int]) -> list[int]:
    """End and remove what holders that have ended could not, and return those of which something is left.

    A holder that was killed while it started a command may leave that behind: it becomes our child.
    """
    for child in set(memory.children_of(os.getpid())) - set(holders):
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    return [holder for holder in holders if os.path.exists(f"/proc/{holder}") or not cgroup.remove(holder)]


def _fork(errors_fd: int) -> int:
    try:
        return os.fork()
    except OSError as error:
        os.write(errors_fd, f"no new process ({error.strerror})".encode())
        return -1


def _become_holder(control_fd: int, errors_fd: int) -> None:
    """Serve one sandbox and exit; an exception goes on to be printed for the harness by the interpreter's end."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(errors_fd, 1)
    os.dup2(errors_fd, 2)
    os.close(errors_fd)
    hold(control_fd)
    os._exit(0)
