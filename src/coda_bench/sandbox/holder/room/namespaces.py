"""Entering the namespaces of a sandbox, as root or as an ordinary user."""

import fcntl
import os
import socket
import struct

from coda_bench.sandbox.holder import kernel
from coda_bench.sandbox.holder.room.stage import lay_out, step
from coda_bench.sandbox.holder.wire import Plan

NOBODY = 65534
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1
_INTERFACE = struct.Struct("16sh14x")


def enter(plan: Plan) -> list[str]:
    """Lay the room out and lock this process into it; afterwards it is an ordinary user, or nobody.

    Sources may lie below a directory that only root can enter, so root binds them before it gives itself up.

    Returns:
        What there is to say about it.

    Raises:
        StepFailed: this machine refuses a step.
    """
    if os.geteuid() == 0 and _has_nobody():
        with step("mount namespace"):
            kernel.unshare(kernel.CLONE_NEWNS)
        notes = lay_out(plan, owner=NOBODY)
        _become_nobody()
        _leave_host()
    else:
        _leave_host()
        notes = lay_out(plan, owner=os.getuid())
    with step("loopback interface"):
        _raise_loopback()
    return notes


def _has_nobody() -> bool:
    """Whether root here may become nobody; the root of a container's user namespace is an ordinary user and may not."""
    return all(_maps(f"/proc/self/{file}", NOBODY) for file in ("uid_map", "gid_map"))


def _maps(file: str, number: int) -> bool:
    with open(file, encoding="ascii") as lines:
        ranges = [tuple(map(int, line.split())) for line in lines]
    return any(first <= number < first + count for first, _, count in ranges)


def _become_nobody() -> None:
    """Leave uid 0: the kernel exempts it from process limits, and its files would be the agent's."""
    with step("change of user"):
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        kernel.stay_inspectable()


def _leave_host() -> None:
    """Enter new user, mount, network and IPC namespaces, which the commands of this sandbox share."""
    uid, gid = os.getuid(), os.getgid()
    with step("user namespace"):
        kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS | kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC)
        _tell("setgroups", b"deny")
        _tell("uid_map", b"%d %d 1" % (uid, uid))
        _tell("gid_map", b"%d %d 1" % (gid, gid))


def _tell(file: str, text: bytes) -> None:
    with open(f"/proc/self/{file}", "wb") as stream:
        stream.write(text)


def _raise_loopback() -> None:
    """Bring 127.0.0.1 up in the new network namespace, which has nothing else."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        answer = fcntl.ioctl(any_socket, _SIOCGIFFLAGS, _INTERFACE.pack(b"lo", 0))
        flags = _INTERFACE.unpack(answer)[1]
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, _INTERFACE.pack(b"lo", flags | _IFF_UP))
