"""`track_files`: file access of the running Python program, for code that cannot be wrapped by `coda-bench track`.

The data format document asks for `files_accessed` and shows a replaced `pandas.read_csv`, which sees one function of
one library. This sees every file that the interpreter itself opens. It does not see what libraries open by native code
(Parquet and Feather by pyarrow, Polars, DuckDB, HDF5), what other processes open, or memory shared with them: use
`coda-bench track` wherever that may happen.
"""

import os
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from coda_bench.records.access import TrackerKind

_WRITING = os.O_WRONLY | os.O_RDWR
_active: "list[FileLog]" = []
_lock = threading.Lock()
_installed = False


class FileLog:
    """The files below a directory that this process opened for reading; a context manager.

    Logs of several threads or nested ones each see all openings of the process.
    """

    tracker = TrackerKind.AUDIT_HOOK

    def __init__(self, data: Path) -> None:
        self._root = os.path.realpath(data)
        self._found: dict[str, None] = {}

    @property
    def files_accessed(self) -> list[str]:
        """The files opened so far, relative to the directory, in order of first opening."""
        return list(self._found)

    @property
    def metadata(self) -> dict[str, Any]:
        """What goes into a prediction's `metadata`; the blind spots are named by the tracker's name."""
        return {"files_accessed": self.files_accessed, "file_access_tracker": self.tracker.value}

    def note(self, path: str) -> None:
        """Note a path if it is a file below the directory."""
        real = os.path.realpath(path)
        if real.startswith(self._root + os.sep) and os.path.isfile(real):  # noqa: PTH113 - called for every opening
            self._found[os.path.relpath(real, self._root).replace(os.sep, "/")] = None

    def __enter__(self) -> Self:
        _install()
        with _lock:
            _active.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with _lock:
            _active.remove(self)


def track_files(data: str | Path) -> FileLog:
    """Log the files below `data` that this process opens for reading, as a context manager.

    `with coda_bench.track_files("data/community_26/full_community") as log: …`, then put `log.metadata` into the
    prediction. Openings by native code and by other processes are not seen.
    """
    return FileLog(Path(data))


def _install() -> None:
    """Add the hook once: the interpreter has no way to take one away."""
    global _installed  # noqa: PLW0603 - one hook per process
    with _lock:
        if not _installed:
            sys.addaudithook(_hook)
            _installed = True


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not _active or event not in {"open", "sqlite3.connect"}:
        return
    path = arguments[0]
    flags = arguments[2] if event == "open" else 0
    if isinstance(path, bytes | str | os.PathLike) and not (isinstance(flags, int) and flags & _WRITING):
        for log in _active:
            log.note(
                os.fsdecode(path).removeprefix("file:").partition("?")[0] if event != "open" else os.fsdecode(path)
            )
