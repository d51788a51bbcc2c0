"""A program: run inside the sandbox as its first process, it confines itself and becomes the command.

The holder hands its text to the Python inside, so it imports nothing of ours; what it needs comes over one socket.
"""

import ctypes
import json
import os
import signal
import socket
import struct
import sys
from typing import Any, NoReturn

_READ_FILE, _EXECUTE, _REFER = 1 << 2, 1 << 0, 1 << 13
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_WITH_REFER = 2
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_SET_FILTER, _NEW_LISTENER = 1, 8
_PATH_BENEATH = 1
_CANNOT_RUN, _NOT_FOUND, _CANNOT_CONFINE = 126, 127, 125
_HIDDEN = "data"


def main() -> NoReturn:
    """Confine this process and become the command; never returns."""
    with socket.socket(fileno=int(sys.argv[1])) as channel:
        told = _told(channel)
        try:
            forbid_reading_data()
            listener = ask_before_opening(bytes.fromhex(told["filter"]))
        except OSError as error:
            sys.stderr.write(f"file access cannot be watched: {error}\n")
            sys.exit(_CANNOT_CONFINE)
        socket.send_fds(channel, [b"l"], [listener])
        os.close(listener)
    for name in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, programs rely on them
        signal.signal(name, signal.SIG_DFL)
    environment = {**os.environ, **told["env"]}
    try:
        os.execvpe(told["argv"][0], told["argv"], environment)  # noqa: S606 - the command, as it was asked for
    except OSError as error:
        os.write(2, f"{told['argv'][0]}: {error.strerror}\n".encode(errors="backslashreplace"))
        os._exit(_NOT_FOUND if isinstance(error, FileNotFoundError) else _CANNOT_RUN)


def _told(channel: socket.socket) -> Any:
    _, descriptors, _, _ = socket.recv_fds(channel, 1, 1)
    with open(descriptors[0], "rb") as stream:
        stream.seek(0)
        return json.load(stream)


def _call(number: int, *arguments: object) -> int:
    found: int = ctypes.CDLL(None, use_errno=True).syscall(ctypes.c_long(number), *arguments)
    if found < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return found


def forbid_reading_data() -> None:
    """Allow reading and running files everywhere but below `/data`, by Landlock."""
    version = _call(_CREATE_RULESET, ctypes.c_void_p(None), ctypes.c_size_t(0), ctypes.c_uint(1))
    rights = _READ_FILE | _EXECUTE | (_REFER if version >= _VERSION_WITH_REFER else 0)
    attributes = struct.pack("=Q", rights)
    ruleset = _call(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint(0))
    for name in os.listdir("/"):
        path = f"/{name}"
        if name == _HIDDEN or os.path.islink(path):
            continue
        entry = os.open(path, os.O_PATH)
        allowed = rights if os.path.isdir(path) else _READ_FILE | _EXECUTE
        rule = struct.pack("=Qi", allowed, entry)
        _call(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_PATH_BENEATH), rule, ctypes.c_uint(0))
        os.close(entry)
    _call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint(0))
    os.close(ruleset)


def ask_before_opening(filter_program: bytes) -> int:
    """Install the filter and return the listener on which its questions arrive."""
    buffer = ctypes.create_string_buffer(filter_program, len(filter_program))
    program = struct.pack("=HxxxxxxQ", len(filter_program) // 8, ctypes.addressof(buffer))
    number = _SECCOMP[os.uname().machine]
    return _call(number, ctypes.c_uint(_SET_FILTER), ctypes.c_uint(_NEW_LISTENER), program)


if __name__ == "__main__":
    main()
