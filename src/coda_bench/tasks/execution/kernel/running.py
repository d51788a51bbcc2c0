"""One job: statements run in their order in a namespace of their own, one line of JSON for each cell."""

import ast
import builtins
import contextlib
import io
import json
import linecache
import os
import sys
import time
import traceback
import types
from collections.abc import Callable
from typing import Any, TextIO

from coda_bench.tasks.execution.kernel import cells, ipython, places, values
from coda_bench.tasks.execution.kernel.noting import NOTE, Noter, Site

MOST_CHARACTERS = 1 << 20
"""Of what a cell prints; the rest is counted and dropped."""
MOST_NOTES = 400
"""Of a cell."""
MOST_FILES = 1000
MOST_MESSAGE = 2000
_NOT_DATA = ("/opt/", "/usr/", "/proc/", "/sys/", "/etc/", "/lib")


class Printed(io.StringIO):
    """Standard output of a cell, bounded."""

    def __init__(self) -> None:
        super().__init__()
        self.dropped = 0

    def write(self, text: str) -> int:
        """Keep what there is room for."""
        room = MOST_CHARACTERS - self.tell()
        self.dropped += max(0, len(text) - room)
        super().write(text[: max(0, room)])
        return len(text)


class Job:
    """A notebook's cells, or some statements of them, in a namespace of their own."""

    def __init__(self, request: dict[str, Any], results: TextIO, reached: Callable[[], int] = int) -> None:
        self._reached = reached
        self._cells: list[list[Any]] = request["cells"]
        kept = request.get("keep")
        self._kept = None if kept is None else {tuple(one) for one in kept}
        self._results = results
        self._names = _main_module()
        self._statement = (0, 0)
        self._files: list[list[Any]] = []
        self._read: set[str] = set()
        self._deaf = False
        self._notes = Notes()

    def run(self) -> None:
        """Run the cells until one fails; write a line for each."""
        sys.addaudithook(self._heard)
        builtins.__dict__[NOTE] = self._notes.note
        builtins.__dict__["display"] = _display
        builtins.__dict__["get_ipython"] = ipython.shell
        sys.modules.update(ipython.modules(_display))
        for number, source, error in self._cells:
            line = self._run_cell(number, source)
            self._results.write(json.dumps(line) + "\n")
            self._results.flush()
            if line["trouble"] is not None and line["trouble"]["kind"] != error:
                break

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event != "open" or not isinstance(arguments[0], (str, bytes)) or self._deaf:
            return
        path = arguments[0].decode(errors="replace") if isinstance(arguments[0], bytes) else arguments[0]
        if path.startswith(_NOT_DATA):
            return
        mode = str(arguments[1] or _mode(arguments[2]))
        real = os.path.realpath(path)
        if set(mode) & set("wax+"):
            self._deaf = True  # what follows opens files of its own
            try:
                places.before_writing(path, mode, self._read)
            finally:
                self._deaf = False
        else:
            self._read.add(real)
        if len(self._files) < MOST_FILES:
            self._files.append([self._statement[1], real, mode])

    def _run_cell(self, number: int, source: str) -> dict[str, Any]:
        text, started = cells.clean(source), time.perf_counter()
        out, err = Printed(), Printed()
        self._files = []
        self._notes.begin()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            trouble = self._run_statements(number, text)
        return {
            "cell": number,
            "trouble": trouble,
            "stdout": out.getvalue(),
            "stderr": err.getvalue()[-MOST_MESSAGE:],
            "dropped": out.dropped,
            "seconds": round(time.perf_counter() - started, 6),
            "files": self._files,
            "reached": self._reached(),
            **self._notes.content(),
        }

    def _run_statements(self, number: int, text: str) -> dict[str, Any] | None:
        """Run a cell's statements, or those that are kept; return what was the matter."""
        where = f"<cell {number}>"
        linecache.cache[where] = (len(text), None, text.splitlines(keepends=True), where)
        try:
            body = cells.statements(text)
        except (SyntaxError, ValueError) as error:
            return _trouble(error, -1)
        quiet = cells.is_quiet(text)
        for index, node in enumerate(body):
            if self._kept is None or (number, index) in self._kept:
                self._statement = (number, index)
                try:
                    self._run_statement(node, text, shown=index == len(body) - 1 and not quiet)
                except BaseException as error:  # noqa: BLE001 - a cell may raise anything, and that is its end
                    return _trouble(error, index)
        return None

    def _run_statement(self, node: ast.stmt, source: str, *, shown: bool) -> None:
        number, index = self._statement
        where, noter = f"<cell {number}>", Noter(number, index, source)
        if isinstance(node, ast.Expr) and shown:
            expression = ast.fix_missing_locations(ast.Expression(noter.result(node.value)))
            self._notes.know(noter.sites)
            value = eval(compile(expression, where, "eval"), self._names)  # noqa: S307 - what a notebook is for
            self._notes.result(value)
            self._names["_"] = value
            return
        module = ast.fix_missing_locations(ast.Module([noter.visit(node)], []))
        self._notes.know(noter.sites)
        exec(compile(module, where, "exec"), self._names)  # noqa: S102 - likewise; this runs in a sandbox


class Notes:
    """What is displayed, in the order it is."""

    def __init__(self) -> None:
        self._sites: dict[str, Site] = {}
        self.begin()

    def begin(self) -> None:
        """Begin a cell."""
        self._notes: list[list[Any]] = []
        self._missed = 0
        self._result: str | None = None

    def know(self, sites: list[Site]) -> None:
        """Learn of places that will be noted; of a function's, by whoever calls it."""
        self._sites |= {site.key: site for site in sites}

    def note(self, key: str, value: Any) -> Any:
        """Keep what a value looks like now, for it may change later; return it."""
        if len(self._notes) >= MOST_NOTES:
            self._missed += 1
            return value
        try:
            described = values.describe(value)
        except Exception as error:  # noqa: BLE001 - a notebook's own classes may raise anything when looked at
            described = {"kind": "other", "type": type(value).__name__, "text": f"{error}"[:100]}
        self._notes.append([key, described])
        return value

    def result(self, value: Any) -> None:
        """Keep the text of a cell's last expression."""
        if value is not None:
            with contextlib.suppress(Exception):
                self._result = repr(value)[:MOST_CHARACTERS]

    def content(self) -> dict[str, Any]:
        """Return the fields of a cell's line."""
        used = {key: self._sites[key]._asdict() for key, _ in self._notes}
        return {"sites": used, "notes": self._notes, "missed": self._missed, "result": self._result}


def _mode(flags: Any) -> str:
    """Return the mode of a file that is opened by `os.open`."""
    return "w" if isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR) else "r"


def _trouble(error: BaseException, position: int) -> dict[str, Any]:
    try:
        message = str(error)[:MOST_MESSAGE]
    except Exception:  # noqa: BLE001 - a class of the notebook's own
        message = ""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith("<cell ")]
    line = frames[-1].lineno if frames else getattr(error, "lineno", None)
    return {"kind": type(error).__name__, "message": message, "position": position, "line": line}


def _display(*shown: Any, **_options: Any) -> None:
    for one in shown:
        print(repr(one))


def _main_module() -> dict[str, Any]:
    """Return the names of a new `__main__`, where pickling looks for what a notebook defines."""
    made = types.ModuleType("__main__")
    sys.modules["__main__"] = made
    return made.__dict__
