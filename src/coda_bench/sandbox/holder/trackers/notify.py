"""The fallback tracker, where no overlay can be mounted: the command's openings for reading wait for the holder.

Landlock keeps the command from reading anything below `/data`; a seccomp filter hands every `open` for reading to the
holder, which opens what lies there in the command's place and notes it. So a program that changes a path while it
is looked at gains nothing: what was not opened here was refused. Everything else the kernel performs itself.
"""

import array
import json
import os
import re
import select
import socket
import stat
import struct
from typing import NamedTuple

from coda_bench.sandbox.holder.trackers import calls
from coda_bench.sandbox.holder.trackers.seen import Seen, text_of

_DATA = b"/data"
_PATH_BYTES = 4096
_AT_FDCWD = 0xFFFFFF9C
_KEPT_FLAGS = os.O_NONBLOCK | os.O_NOCTTY
_DEVICE_LINKS = {
    b"/dev/stdin": b"/proc/self/fd/0",
    b"/dev/stdout": b"/proc/self/fd/1",
    b"/dev/stderr": b"/proc/self/fd/2",
}
_PROC_LINK = re.compile(
    rb"/proc/(?:(?P<self>self|thread-self)|(?P<pid>\d+))(?:/task/\d+)?/(?P<link>fd/\d+|cwd|root)(?P<rest>/.*)?",
    re.DOTALL,
)
_PROGRAM = os.path.join(os.path.dirname(__file__), "inside.py")
with open(_PROGRAM, encoding="utf-8") as _stream:
    _SOURCE = _stream.read()  # here and now: later the holder has no host files

_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _ERRNO, _ASK = 0x7FFF0000, 0x00050000, 0x7FC00000
_NUMBER, _ABI, _ARGUMENTS = 0, 4, 16
_ENOSYS = 38
_NOT_FOR_READING = os.O_WRONLY | os.O_RDWR | getattr(os, "O_PATH", 0)
"""Writing is refused by the read-only mount; a mere handle has to be opened again before it can be read."""


class Numbers(NamedTuple):
    """Call numbers of an architecture; -1 where it lacks one."""

    abi: int
    open: int
    openat: int
    getdents: tuple[int, ...]


MACHINES = {
    "x86_64": Numbers(0xC000003E, 2, 257, (78, 217)),
    "aarch64": Numbers(0xC00000B7, -1, 56, (61,)),
}
_OPENAT2 = 437


def program(machine: str | None = None) -> bytes:
    """Return the filter that asks the holder, as the kernel's array of instructions.

    Raises:
        KeyError: no call numbers are known for the architecture.
    """
    numbers = MACHINES[machine or os.uname().machine]
    steps = [_step(_LOAD, _ABI), _step(_EQUAL, numbers.abi, 1, 0), _step(_RETURN, _ALLOW), _step(_LOAD, _NUMBER)]
    # Its flags lie in memory, out of a filter's sight; programs fall back to openat.
    steps += [_step(_EQUAL, _OPENAT2, 0, 1), _step(_RETURN, _ERRNO | _ENOSYS)]
    for number in numbers.getdents:
        steps += [_step(_EQUAL, number, 0, 1), _step(_RETURN, _ASK)]
    for number, flags in ((numbers.open, 1), (numbers.openat, 2)):
        if number >= 0:
            steps += [
                _step(_EQUAL, number, 0, 4),
                _step(_LOAD, _ARGUMENTS + 8 * flags),
                _step(_ANY_BIT, _NOT_FOR_READING, 0, 1),
                _step(_RETURN, _ALLOW),
                _step(_RETURN, _ASK),
            ]
    return b"".join([*steps, _step(_RETURN, _ALLOW)])


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


class NotifyTracker:
    """Serves the openings of one command; not thread-safe."""

    def __init__(self) -> None:
        self.complete = True
        self.ended = False
        self._opened: dict[bytes, str] = {}
        self._listed: dict[bytes, None] = {}
        self._root: int | None = None
        self._numbers = MACHINES[os.uname().machine]
        ours, self._theirs = socket.socketpair()
        self.descriptor = ours.detach()
        """The launcher's channel, and from its message on the filter's listener, under one number."""
        self._listening = False

    def launch(self, argv: list[str], env: dict[str, str], channel: int) -> list[str]:
        """Return the command line of the launcher that confines itself and becomes `argv`.

        Args:
            argv: the command.
            env: its variables beside the sandbox's own; not the launcher's, which they could turn against us.
            channel: the number under which the launcher gets the other end.

        Raises:
            ValueError: a word cannot be encoded.
        """
        for word in (*argv, *env, *env.values()):
            os.fsencode(word)
        told = {"argv": argv, "env": env, "filter": program().hex()}
        plan = os.memfd_create("", os.MFD_CLOEXEC)
        with open(plan, "wb") as stream:
            stream.write(json.dumps(told).encode())
            stream.flush()
            with socket.socket(fileno=os.dup(self.descriptor)) as ours:
                socket.send_fds(ours, [b"p"], [plan])
        return ["python3", "-I", "-S", "-c", _SOURCE, str(channel)]

    def channel(self) -> int:
        """Return the launcher's end of the channel."""
        return self._theirs.fileno()

    def started(self) -> None:
        """Give the launcher's end up: it has a copy."""
        self._theirs.close()

    def drain(self) -> None:
        """Serve the calls that wait."""
        poller = select.poll()
        poller.register(self.descriptor, select.POLLIN)
        while any(event & select.POLLIN for _, event in poller.poll(0)):
            if not self._listening:
                if not self._take_listener():
                    return
            elif (call := calls.receive(self.descriptor)) is not None:
                self._serve(call)

    def _take_listener(self) -> bool:
        with socket.socket(fileno=os.dup(self.descriptor)) as ours:
            try:
                message, ancillary, _, _ = ours.recvmsg(1, socket.CMSG_LEN(4), socket.MSG_CMSG_CLOEXEC)
            except ConnectionResetError:
                return False  # the launcher was stopped before it had read its plan
        if not message or not ancillary:
            return False
        listener = array.array("i", ancillary[0][2])[0]
        os.dup2(listener, self.descriptor, inheritable=False)
        os.close(listener)
        self._listening = True
        return True

    def _serve(self, call: calls.Call) -> None:
        if call.number in self._numbers.getdents:
            self._note_listing(call)
            calls.let_pass(self.descriptor, call)
            return
        handle = self._locate(call)
        path = None if handle is None else os.readlink(b"/proc/self/fd/%d" % handle)
        if handle is None or path is None or not path.startswith(_DATA + b"/"):
            calls.let_pass(self.descriptor, call)
        elif stat.S_ISREG(os.fstat(handle).st_mode):
            self._open(call, handle, path)
        else:
            calls.let_pass(self.descriptor, call)
        if handle is not None:
            os.close(handle)

    def _open(self, call: calls.Call, handle: int, path: bytes) -> None:
        flags = self._flags(call)
        if flags & os.O_DIRECTORY or flags & (os.O_CREAT | os.O_EXCL) == os.O_CREAT | os.O_EXCL or flags & os.O_TRUNC:
            calls.let_pass(self.descriptor, call)  # the kernel has an error for each of these
            return
        opened = -1
        try:
            opened = os.open(f"/proc/self/fd/{handle}", os.O_RDONLY | os.O_CLOEXEC | flags & _KEPT_FLAGS)
            relative = path.removeprefix(_DATA + b"/")
            name = self._opened.get(relative) or _name_of(call.thread)  # before it can go on, and end
            if calls.give(self.descriptor, call, opened, close_on_exec=bool(flags & os.O_CLOEXEC)):
                self._opened[relative] = name
        except OSError as error:
            calls.fail(self.descriptor, call, error.errno or _ENOSYS)
        finally:
            if opened >= 0:
                os.close(opened)

    def _flags(self, call: calls.Call) -> int:
        return call.arguments[1 if call.number == self._numbers.open else 2] & 0xFFFFFFFF

    def _locate(self, call: calls.Call) -> int | None:
        """Return a handle of what a call would open, or None when it would open nothing or cannot be followed."""
        relative = call.number == self._numbers.openat
        directory = call.arguments[0] & 0xFFFFFFFF if relative else _AT_FDCWD
        try:
            path = _text_at(call.thread, call.arguments[1 if relative else 0])
            if not path:
                return None
            if not path.startswith(b"/"):
                base = "cwd" if directory == _AT_FDCWD else f"fd/{directory}"
                path = os.readlink(os.fsencode(f"/proc/{call.thread}/{base}")) + b"/" + path
            return self._find(call.thread, path, self._flags(call) & os.O_NOFOLLOW)
        except OSError:
            return None

    def _find(self, thread: int, path: bytes, no_follow: int) -> int:
        path = re.sub(rb"^/dev/fd(?=/)", b"/proc/self/fd", _DEVICE_LINKS.get(path, path))
        root = self._root_of(thread)
        handle_flags = os.O_PATH | os.O_CLOEXEC
        link = _PROC_LINK.fullmatch(path)
        if link is None:
            return calls.open_below(root, path, handle_flags | no_follow)
        process = b"/proc/%d" % thread if link["self"] else b"/proc/self/fd/%d/proc/%s" % (root, link["pid"])
        handle = os.open(process + b"/" + link["link"], handle_flags)
        if not link["rest"]:
            return handle
        base = os.readlink(b"/proc/self/fd/%d" % handle)
        os.close(handle)
        return calls.open_below(root, base + link["rest"], handle_flags | no_follow)

    def _root_of(self, thread: int) -> int:
        """Return the command's root directory, which is one for all its processes: `chroot` is refused."""
        if self._root is None:
            self._root = os.open(f"/proc/{thread}/root", os.O_PATH | os.O_CLOEXEC)
        return self._root

    def _note_listing(self, call: calls.Call) -> None:
        try:
            path = os.readlink(b"/proc/%d/fd/%d" % (call.thread, call.arguments[0] & 0xFFFFFFFF))
        except OSError:
            return  # no such descriptor: the call will fail
        if path == _DATA or path.startswith(_DATA + b"/"):
            self._listed[path.removeprefix(_DATA).lstrip(b"/") or b"."] = None

    def take(self) -> Seen:
        """Return what was opened and listed since the last time, in order, and forget it."""
        opened = [text_of(path) for path in self._opened]
        seen = Seen(opened, [text_of(path) for path in self._listed], list(self._opened.values()))
        self._opened.clear()
        self._listed.clear()
        return seen

    def close(self) -> None:
        """Stop serving; openings that still come fail."""
        self._theirs.close()
        for descriptor in (self.descriptor, self._root):
            if descriptor is not None:
                os.close(descriptor)


def _text_at(thread: int, address: int) -> bytes:
    memory = os.open(f"/proc/{thread}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.pread(memory, _PATH_BYTES, address).partition(b"\0")[0]
    finally:
        os.close(memory)


def _name_of(thread: int) -> str:
    """Return the name of a thread's program, as the kernel has it: cut to 15 bytes."""
    try:
        with open(f"/proc/{thread}/comm", "rb") as stream:
            return text_of(stream.read().rstrip(b"\n"))
    except OSError:
        return ""
