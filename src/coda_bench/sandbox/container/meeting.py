"""Where a container's program meets the harness: a socket in a private folder that takes one connection."""

import os
import socket
import struct
from pathlib import Path
from types import TracebackType
from typing import Self

from coda_bench.errors import SandboxUnavailable

_WAIT_S = 30.0
_CREDENTIALS = struct.Struct("3i")


class Meeting:
    """A listening socket; commands inside find it closed by the time they run."""

    def __init__(self, path: Path) -> None:
        """Listen at `path`.

        Raises:
            SandboxUnavailable: no socket can be made there, as where the path is longer than sockets allow.
        """
        self._listener = socket.socket(socket.AF_UNIX)
        try:
            self._listener.bind(str(path))
        except OSError as error:
            self._listener.close()
            raise SandboxUnavailable(f"{path}: no socket can be made there ({error}); set TMPDIR to /tmp") from error
        path.chmod(0o666)  # the program inside is another user; the folder around it keeps others out
        self._listener.listen(1)
        self._listener.settimeout(_WAIT_S)
        self.peer = 0
        """The program's process, by its number here."""

    def wait(self) -> socket.socket:
        """Return the connection of the program.

        Raises:
            SandboxUnavailable: it does not come.
        """
        try:
            connection, _ = self._listener.accept()
        except OSError as error:
            raise SandboxUnavailable(f"sandbox: the program in a container does not answer ({error})") from error
        finally:
            self._listener.close()
        told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        self.peer = _CREDENTIALS.unpack(told)[0]
        os.set_inheritable(connection.fileno(), False)
        return connection

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()
