"""A few workers, each a process with limits; a worker that dies or is late costs one file, never the run."""

import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

from coda_bench.construct.environment.profiling.limits import Limits
from coda_bench.errors import MissingExtra
from coda_bench.records.environment import FileProfile
from coda_bench.sandbox.cleanup.folders import TEMPORARY

_WORKER = "coda_bench.construct.environment.profiling.worker"
_MOST_ANSWER_BYTES = 64 << 20
_BLOCK = 1 << 20
_ALL_THREADS_FROM = 256 << 20
"""A file of this size has DuckDB's threads on all processors, lest one large file at the end keep one busy alone."""
_HASH = Limits(seconds=60.0, seconds_per_gib=120.0)
"""Time to hash a file that could not be read, whatever the time for reading is."""
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "VIRTUAL_ENV")
_MOST_HASHINGS = 3
"""Hashing cannot fail by what a file holds: when its process dies, somebody else killed it."""
_LIBRARIES = ("charset_normalizer", "duckdb", "openpyxl", "pyarrow")


class Job(NamedTuple):
    """One file to profile."""

    path: Path
    name: str
    """Community path."""
    n_bytes: int


class Outcome(NamedTuple):
    """What came of a job: a profile, or the reason why the file could not be read at all."""

    job: Job
    profile: FileProfile | None
    error: str | None = None


@dataclass
class _Task:
    job: Job
    unread: tuple[str, str] | None = None
    """Class and message of the problem that keeps this file from being read: it is hashed only."""
    n_hashings: int = 0


@dataclass
class _Worker:
    process: subprocess.Popen[bytes]
    scratch: Path
    task: _Task | None = None
    deadline: float = 0.0
    received: bytearray = field(default_factory=bytearray)

    @property
    def answers(self) -> IO[bytes]:
        if self.process.stdout is None:
            raise AssertionError("started with pipes")
        return self.process.stdout

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        for stream in (self.process.stdin, self.process.stdout):
            if stream:
                with suppress(OSError):
                    stream.close()
        self.process.wait()
        shutil.rmtree(self.scratch, ignore_errors=True)


class Pool:
    """Profiles files in workers; use it as a context manager.

    Args:
        n_workers: processes; by default one a processor.
        limits: what one file may cost.
        temp: folder for unpacked and transcoded files; by default the system's.
    """

    def __init__(self, *, n_workers: int | None = None, limits: Limits | None = None, temp: Path | None = None) -> None:
        self.limits = limits or Limits()
        self.n_workers = n_workers or len(os.sched_getaffinity(0))
        self._temp = Path(tempfile.mkdtemp(prefix=TEMPORARY.format(process=os.getpid()), dir=temp))
        self._selector = selectors.DefaultSelector()
        self._workers: list[_Worker] = []
        self._n_started = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.kill()
        self._selector.close()
        shutil.rmtree(self._temp, ignore_errors=True)

    def profile(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        """Yield the outcome of every job as it is done, the largest files first; no job is ever lost.

        Raises:
            MissingExtra: a library that reads data files is not installed.
        """
        check_libraries()
        waiting = deque(_Task(job) for job in sorted(jobs, key=lambda job: (-job.n_bytes, job.name)))
        while waiting or any(worker.task for worker in self._workers):
            self._hand_out(waiting)
            for worker in self._ready():
                yield from self._collect(worker, waiting)
            for worker in [one for one in self._workers if one.task and time.monotonic() > one.deadline]:
                yield from self._give_up(worker, waiting, "too_slow", "not read within its time")

    def _hand_out(self, waiting: deque[_Task]) -> None:
        n_busy = sum(worker.task is not None for worker in self._workers)
        while len(self._workers) < min(self.n_workers, n_busy + len(waiting)):
            self._workers.append(self._start())
        for worker in [one for one in self._workers if one.task is None]:
            if waiting:
                self._ask(worker, waiting.popleft())

    def _start(self) -> _Worker:
        self._n_started += 1
        scratch = self._temp / f"worker{self._n_started}"
        scratch.mkdir()
        package = str(Path(__file__).parents[4])
        paths = [package, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}  # keys and tokens stay here
        environment = {**kept, "PYTHONPATH": os.pathsep.join(paths), "TMPDIR": str(scratch)}
        process = subprocess.Popen(  # noqa: S603 this interpreter, a module of ours
            [sys.executable, "-m", _WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
        worker = _Worker(process, scratch)
        os.set_blocking(worker.answers.fileno(), False)
        self._selector.register(worker.answers, selectors.EVENT_READ, worker)
        return worker

    def _ask(self, worker: _Worker, task: _Task) -> None:
        n_bytes = task.job.n_bytes
        seconds = (_HASH if task.unread else self.limits).deadline(n_bytes)
        request = {
            "path": os.fspath(task.job.path),
            "name": task.job.name,
            "limits": self.limits.model_dump(),
            "scratch": str(worker.scratch),
            "threads": self._threads(n_bytes),
            "seconds": seconds,
            "unread": task.unread,
        }
        worker.task, worker.deadline = task, time.monotonic() + seconds
        with suppress(BrokenPipeError):  # it died: its answers end, which is noticed there
            assert worker.process.stdin is not None  # noqa: S101 started with pipes
            worker.process.stdin.write(json.dumps(request).encode() + b"\n")
            worker.process.stdin.flush()

    def _threads(self, n_bytes: int) -> int:
        processors = len(os.sched_getaffinity(0))
        return processors if n_bytes >= _ALL_THREADS_FROM else max(1, processors // self.n_workers)

    def _ready(self) -> list[_Worker]:
        latest = min((one.deadline for one in self._workers if one.task), default=time.monotonic())
        events = self._selector.select(max(0.0, min(latest - time.monotonic(), 1.0)))
        return [key.data for key, _ in events]

    def _collect(self, worker: _Worker, waiting: deque[_Task]) -> Iterator[Outcome]:
        """Read what a worker says; a whole line is an answer, the end of the stream its death."""
        block = worker.answers.read(_BLOCK)
        if block is None:  # nothing to read after all
            return
        worker.received += block
        if block and not worker.received.endswith(b"\n") and len(worker.received) < _MOST_ANSWER_BYTES:
            return
        task = worker.task
        if block and task and worker.received.endswith(b"\n"):
            found = _understood(bytes(worker.received), task)
            if isinstance(found, Outcome):
                worker.task, worker.received = None, bytearray()
                self._renew_if_strained(worker, found)
                yield found
                return
            yield from self._give_up(worker, waiting, "crashed", f"its reader failed: {found}")
            return
        yield from self._give_up(worker, waiting, "crashed", _death(worker))

    def _renew_if_strained(self, worker: _Worker, outcome: Outcome) -> None:
        """End a worker that ran out of memory: what a library holds after that is anybody's guess."""
        if outcome.profile and any(one.kind == "out_of_memory" for one in outcome.profile.problems):
            self._remove(worker)

    def _give_up(self, worker: _Worker, waiting: deque[_Task], kind: str, message: str) -> Iterator[Outcome]:
        """End a worker; its file is hashed by another one, or given up when that failed as well."""
        task = worker.task
        self._remove(worker)
        if task is None:
            return
        if task.n_hashings < _MOST_HASHINGS:
            waiting.appendleft(_Task(task.job, task.unread or (kind, message), task.n_hashings + 1))
        else:
            yield Outcome(task.job, None, f"could not be hashed either: {message}")

    def _remove(self, worker: _Worker) -> None:
        self._selector.unregister(worker.answers)
        self._workers.remove(worker)
        worker.kill()


def _understood(line: bytes, task: _Task) -> Outcome | str:
    """Return the outcome that an answer says, or what is wrong; a worker that has read a file is not trusted."""
    try:
        answer: Any = json.loads(line)
        if "failed" in answer:
            return str(answer["failed"])
        if "error" in answer:
            return Outcome(task.job, None, str(answer["error"]))
        profile = FileProfile.model_validate(answer["profile"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return "its answer cannot be understood"
    return Outcome(task.job, profile) if profile.path == task.job.name else "it answered for another file"


def _death(worker: _Worker) -> str:
    with suppress(subprocess.TimeoutExpired):
        code = worker.process.wait(timeout=5)
        return (
            f"the process that read it ended by signal {-code}"
            if code < 0
            else f"the process that read it ended with {code}"
        )
    return "the process that read it stopped answering"


def check_libraries() -> None:
    """Refuse to start without the libraries that read data files.

    Raises:
        MissingExtra: one of them is not installed.
    """
    missing = [name for name in _LIBRARIES if find_spec(name) is None]
    if missing:
        raise MissingExtra(f"profiling needs {', '.join(missing)}: pip install 'coda-bench[construct]'")
