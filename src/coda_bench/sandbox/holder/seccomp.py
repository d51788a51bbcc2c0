"""The system call filter of a command, assembled as a classic BPF program without libseccomp.

A deny list: what analysis programs never need and what would reach around the sandbox. Sockets are an allow
list instead, since address families such as AF_VSOCK are not covered by a network namespace.
Call numbers: `arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h` of Linux.
"""

import errno
import os
import socket
import struct
from typing import NamedTuple

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NUMBER, _ABI, _ARGUMENT_0, _ARGUMENT_1 = 0, 4, 16, 24
_X32_BIT = 0x40000000
_NAMESPACE_FLAGS = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET."""
_TERMINAL_INPUT = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX: typing into the caller's terminal."""
_FAMILIES = (socket.AF_UNSPEC, socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)


class Machine(NamedTuple):
    """The two numbers of an architecture that the filter needs beside call numbers."""

    abi: int
    column: int


MACHINES = {"x86_64": Machine(0xC000003E, 0), "aarch64": Machine(0xC00000B7, 1)}

# name: (x86_64, aarch64, error); -1 where an architecture lacks the call.
DENIED = {
    "io_uring_setup": (425, 425, errno.ENOSYS),
    "io_uring_enter": (426, 426, errno.ENOSYS),
    "io_uring_register": (427, 427, errno.ENOSYS),
    "clone3": (435, 435, errno.ENOSYS),  # flags lie in memory, out of a filter's sight; the C library falls back
    "unshare": (272, 97, errno.EPERM),
    "setns": (308, 268, errno.EPERM),
    "mount": (165, 40, errno.EPERM),
    "umount2": (166, 39, errno.EPERM),
    "pivot_root": (155, 41, errno.EPERM),
    "chroot": (161, 51, errno.EPERM),
    "open_tree": (428, 428, errno.EPERM),
    "open_tree_attr": (467, 467, errno.EPERM),
    "move_mount": (429, 429, errno.EPERM),
    "fsopen": (430, 430, errno.EPERM),
    "fsconfig": (431, 431, errno.EPERM),
    "fsmount": (432, 432, errno.EPERM),
    "fspick": (433, 433, errno.EPERM),
    "mount_setattr": (442, 442, errno.EPERM),
    "open_by_handle_at": (304, 265, errno.EPERM),
    "ptrace": (101, 117, errno.EPERM),
    "process_vm_readv": (310, 270, errno.EPERM),
    "process_vm_writev": (311, 271, errno.EPERM),
    "kcmp": (312, 272, errno.EPERM),
    "pidfd_getfd": (438, 438, errno.EPERM),
    "bpf": (321, 280, errno.EPERM),
    "perf_event_open": (298, 241, errno.EPERM),
    "userfaultfd": (323, 282, errno.EPERM),
    "fanotify_init": (300, 262, errno.EPERM),
    "add_key": (248, 217, errno.EPERM),
    "request_key": (249, 218, errno.EPERM),
    "keyctl": (250, 219, errno.EPERM),
    "kexec_load": (246, 104, errno.EPERM),
    "kexec_file_load": (320, 294, errno.EPERM),
    "init_module": (175, 105, errno.EPERM),
    "finit_module": (313, 273, errno.EPERM),
    "delete_module": (176, 106, errno.EPERM),
    "swapon": (167, 224, errno.EPERM),
    "swapoff": (168, 225, errno.EPERM),
    "reboot": (169, 142, errno.EPERM),
    "syslog": (103, 116, errno.EPERM),
    "acct": (163, 89, errno.EPERM),
    "quotactl": (179, 60, errno.EPERM),
    "quotactl_fd": (443, 443, errno.EPERM),
    "memfd_secret": (447, 447, errno.ENOSYS),  # memory that nothing else could look at
}
_SOCKET = (41, 198)
_SOCKETPAIR = (53, 199)
_CLONE = (56, 220)
_IOCTL = (16, 29)


def program(machine: str | None = None) -> bytes:
    """Return the filter for an architecture (default: this one) as the kernel's array of instructions.

    Raises:
        KeyError: no call numbers are known for the architecture.
    """
    found = MACHINES[machine or os.uname().machine]
    refuse_abi = [_step(_LOAD, _ABI), _step(_EQUAL, found.abi, 1, 0), _step(_RETURN, _ERRNO | errno.ENOSYS)]
    steps = [*refuse_abi, _step(_LOAD, _NUMBER), *_refuse_x32(found)]
    for *numbers, error in DENIED.values():
        steps += [_step(_EQUAL, numbers[found.column], 0, 1), _step(_RETURN, _ERRNO | error)]
    for call in (_SOCKET, _SOCKETPAIR):
        steps += _when(call[found.column], _only_families())
    steps += _when(_CLONE[found.column], [_step(_LOAD, _ARGUMENT_0), *_refuse_if(_ANY_BIT, _NAMESPACE_FLAGS)])
    terminal = [step for request in _TERMINAL_INPUT for step in _refuse_if(_EQUAL, request)]
    steps += _when(_IOCTL[found.column], [_step(_LOAD, _ARGUMENT_1), *terminal])
    return b"".join([*steps, _step(_RETURN, _ALLOW)])


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _refuse_x32(machine: Machine) -> list[bytes]:
    if machine.column != 0:
        return []
    return [_step(_AT_LEAST, _X32_BIT, 0, 1), _step(_RETURN, _ERRNO | errno.ENOSYS)]


def _refuse_if(test: int, value: int) -> list[bytes]:
    return [_step(test, value, 0, 1), _step(_RETURN, _ERRNO | errno.EPERM)]


def _only_families() -> list[bytes]:
    allowed = [step for family in _FAMILIES for step in (_step(_EQUAL, family, 0, 1), _step(_RETURN, _ALLOW))]
    return [_step(_LOAD, _ARGUMENT_0), *allowed, _step(_RETURN, _ERRNO | errno.EAFNOSUPPORT)]


def _when(number: int, body: list[bytes]) -> list[bytes]:
    """Run `body` for one call; a body that falls through allows, since the call number is no longer loaded."""
    whole = [*body, _step(_RETURN, _ALLOW)]
    return [_step(_EQUAL, number, 0, len(whole)), *whole]
