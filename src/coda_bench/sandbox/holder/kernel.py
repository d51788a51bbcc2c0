"""The few Linux calls that the standard library lacks, by name and with the error number raised."""

import ctypes
import os
import struct

CLONE_NEWNS = 0x00020000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000

MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_REMOUNT = 0x20
MS_BIND = 0x1000
MS_REC = 0x4000
MS_PRIVATE = 0x40000
MNT_DETACH = 2

IN_ACCESS = 0x01
IN_OPEN = 0x20
IN_ONLYDIR = 0x01000000
IN_UNMOUNT = 0x2000
IN_Q_OVERFLOW = 0x4000
IN_ISDIR = 0x40000000

_SYS_MOUNT_SETATTR = ctypes.c_long(442)
"""Since Linux 5.12, one number on all architectures; C libraries got a name for it later."""
_ATTR_RDONLY = 1
_ATTR_NOSUID = 2
_ATTR_NODEV = 4
_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000

_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38

_libc = ctypes.CDLL(None, use_errno=True)


def _call(function: str, *arguments: object) -> int:
    result: int = getattr(_libc, function)(*arguments)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{function}: {os.strerror(number)}")
    return result


def unshare(flags: int) -> None:
    """Leave the namespaces named by `flags` for new ones; the calling process must have one thread."""
    _call("unshare", ctypes.c_int(flags))


def mount(source: str, target: str, kind: str | None, *, flags: int = 0, options: str | None = None) -> None:
    """Mount `source` on `target`; `kind` is the file system type, None for a bind."""
    _call(
        "mount",
        os.fsencode(source),
        os.fsencode(target),
        kind.encode() if kind else None,
        ctypes.c_ulong(flags),
        os.fsencode(options) if options else None,
    )


def overlay(source: str, target: str, *, empty: str) -> None:
    """Mount a directory read-only on `target` as the lower of two layers, which an overlay wants; `empty` is the upper.

    Its inodes and its place in the mount table are its own: nothing in it names the directory's file system.
    """
    flags, layers = MS_RDONLY | MS_NOSUID | MS_NODEV, f"lowerdir={empty}:{source}"
    try:
        mount("overlay", target, "overlay", flags=flags, options=f"{layers},userxattr")
    except OSError:
        mount("overlay", target, "overlay", flags=flags, options=layers)


def restrict(target: str, *, devices: bool = False) -> None:
    """Make a mount, and those below it, read-only, without set-user-id programs, and without devices by default.

    Adding is allowed where a plain remount is not: on mounts whose other flags a user namespace has locked.
    """
    wanted = _ATTR_RDONLY | _ATTR_NOSUID | (0 if devices else _ATTR_NODEV)
    attributes = struct.pack("=QQQQ", wanted, 0, 0, 0)
    flags, size = ctypes.c_uint(_AT_RECURSIVE), ctypes.c_size_t(len(attributes))
    _call("syscall", _SYS_MOUNT_SETATTR, ctypes.c_int(_AT_FDCWD), os.fsencode(target), flags, attributes, size)


def seal(target: str) -> None:
    """Make one mount read-only, not those below it."""
    flags = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV
    mount("none", target, None, flags=flags)


def detach(target: str) -> None:
    """Take a mount out of the tree now; it goes away with its last user."""
    _call("umount2", os.fsencode(target), ctypes.c_int(MNT_DETACH))


def inotify_open() -> int:
    """Return a new non-blocking inotify descriptor."""
    return _call("inotify_init1", ctypes.c_int(os.O_CLOEXEC | os.O_NONBLOCK))


def inotify_watch(descriptor: int, path: bytes, mask: int) -> int:
    """Watch a directory; returns the watch descriptor that its events carry."""
    return _call("inotify_add_watch", ctypes.c_int(descriptor), path, ctypes.c_uint32(mask))


def stay_inspectable() -> None:
    """Let `/proc/self` belong to the process again, which a change of user took from it."""
    _call("prctl", ctypes.c_int(_PR_SET_DUMPABLE), ctypes.c_ulong(1), *_ZEROS)


def adopt_orphans() -> None:
    """Become the parent of descendants that lose theirs, so that each can be reaped here."""
    _call("prctl", ctypes.c_int(_PR_SET_CHILD_SUBREAPER), ctypes.c_ulong(1), *_ZEROS)


def renounce_privileges() -> None:
    """Make set-user-id programs powerless for this process and its descendants."""
    _call("prctl", ctypes.c_int(_PR_SET_NO_NEW_PRIVS), ctypes.c_ulong(1), *_ZEROS)


_ZEROS = (ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0))
