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

_LOAD, _AND, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NUMBER, _ABI = 0, 4
_ARGUMENT = tuple(range(16, 64, 8))
"""Where the lower half of each argument lies; the upper half follows."""
_X32_BIT = 0x40000000
_NAMESPACE_FLAGS = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET."""
_TERMINAL_INPUT = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX: typing into the caller's terminal."""
_FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6)
_TYPE_BITS = 0x0F
_ROUTES = 0
"""NETLINK_ROUTE, which looking up a name asks for the machine's addresses; no other protocol of netlink."""
_CORE = 4
"""RLIMIT_CORE; 1 is the one value that keeps the kernel from handing a dump to a program of the host."""


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
    # Memory that belongs to no process, so that nobody could be stopped for it.
    "shmget": (29, 194, errno.ENOSYS),
    "semget": (64, 190, errno.ENOSYS),
    "msgget": (68, 186, errno.ENOSYS),
    # Counted for the whole user or machine: what one attempt takes, others and their trackers would lack.
    "inotify_init": (253, -1, errno.EMFILE),
    "inotify_init1": (294, 26, errno.EMFILE),
    "io_setup": (206, 0, errno.ENOSYS),
    "sched_setaffinity": (203, 122, errno.EPERM),  # the CPUs given are the limit
    "cachestat": (451, 451, errno.ENOSYS),  # tells what others have read
    "settimeofday": (164, 170, errno.EPERM),
    "clock_settime": (227, 112, errno.EPERM),
    "clock_adjtime": (305, 266, errno.EPERM),
    "adjtimex": (159, 171, errno.EPERM),
    "sethostname": (170, 161, errno.EPERM),
    "setdomainname": (171, 162, errno.EPERM),
    "iopl": (172, -1, errno.EPERM),
    "ioperm": (173, -1, errno.EPERM),
    "modify_ldt": (154, -1, errno.EPERM),
    "vhangup": (153, 58, errno.EPERM),
}
_SOCKET = (41, 198)
_SOCKETPAIR = (53, 199)
_CLONE = (56, 220)
_IOCTL = (16, 29)
_SETRLIMIT = (160, 164)
_PRLIMIT = (302, 261)


def program(machine: str | None = None) -> bytes:
    """Return the filter for an architecture (default: this one) as the kernel's array of instructions.

    Raises:
        KeyError: no call numbers are known for the architecture.
    """
    found = MACHINES[machine or os.uname().machine]
    refuse_abi = [_step(_LOAD, _ABI), _step(_EQUAL, found.abi, 1, 0), _step(_RETURN, _ERRNO | errno.ENOSYS)]
    steps = [*refuse_abi, _step(_LOAD, _NUMBER), *_refuse_x32(found)]
    for *numbers, error in DENIED.values():
        if numbers[found.column] >= 0:
            steps += [_step(_EQUAL, numbers[found.column], 0, 1), _step(_RETURN, _ERRNO | error)]
    for call, body in _looked_into():
        steps += _when(call[found.column], body)
    return b"".join([*steps, _step(_RETURN, _ALLOW)])


def _looked_into() -> list[tuple[tuple[int, int], list[bytes]]]:
    """Return the calls that are refused for some of their arguments."""
    terminal = [step for request in _TERMINAL_INPUT for step in _refuse_if(_EQUAL, request)]
    return [
        (_SOCKET, _only_families()),
        (_SOCKETPAIR, _only_families()),
        (_CLONE, [_step(_LOAD, _ARGUMENT[0]), *_refuse_if(_ANY_BIT, _NAMESPACE_FLAGS)]),
        (_IOCTL, [_step(_LOAD, _ARGUMENT[1]), *terminal]),
        (_SETRLIMIT, [_step(_LOAD, _ARGUMENT[0]), _step(_EQUAL, _CORE, 0, 1), _step(_RETURN, _ERRNO)]),
        (_PRLIMIT, _keep_core_limit()),
    ]


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _refuse_x32(machine: Machine) -> list[bytes]:
    if machine.column != 0:
        return []
    return [_step(_AT_LEAST, _X32_BIT, 0, 1), _step(_RETURN, _ERRNO | errno.ENOSYS)]


def _refuse_if(test: int, value: int) -> list[bytes]:
    return [_step(test, value, 0, 1), _step(_RETURN, _ERRNO | errno.EPERM)]


def _only_families() -> list[bytes]:
    """Allow sockets of some families, none of them raw, and the one use of netlink."""
    raw = [_step(_LOAD, _ARGUMENT[1]), _step(_AND, _TYPE_BITS), *_refuse_if(_EQUAL, socket.SOCK_RAW)]
    allowed = [step for family in _FAMILIES for step in (_step(_EQUAL, family, 0, 1 + len(raw)), *raw, _allow())]
    netlink = [_step(_EQUAL, socket.AF_NETLINK, 0, 3), _step(_LOAD, _ARGUMENT[2]), _step(_EQUAL, _ROUTES, 0, 1)]
    return [_step(_LOAD, _ARGUMENT[0]), *allowed, *netlink, _allow(), _step(_RETURN, _ERRNO | errno.EAFNOSUPPORT)]


def _keep_core_limit() -> list[bytes]:
    """Let the limit of core dumps be asked for; setting it seems to work and changes nothing."""
    done = _step(_RETURN, _ERRNO)
    new = _ARGUMENT[2]
    return [
        *(_step(_LOAD, _ARGUMENT[1]), _step(_EQUAL, _CORE, 0, 5)),
        *(_step(_LOAD, new), _step(_EQUAL, 0, 0, 2)),
        *(_step(_LOAD, new + 4), _step(_EQUAL, 0, 1, 0), done),
    ]


def _allow() -> bytes:
    return _step(_RETURN, _ALLOW)


def _when(number: int, body: list[bytes]) -> list[bytes]:
    """Run `body` for one call; a body that falls through allows, since the call number is no longer loaded."""
    whole = [*body, _allow()]
    return [_step(_EQUAL, number, 0, len(whole)), *whole]
