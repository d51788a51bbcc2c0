"""The host that attempts are made against: golds, listeners, a process to hit, another attempt to spy on."""

import contextlib
import json
import os
import secrets
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from coda_bench.errors import SandboxError
from coda_bench.records.run import Limits
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import AnalysisEnvironment
from escape.attempt import PRELUDE, Attempt, Outcome, forget_peak_memory, memory_kb

VARIABLE = "CODA_ESCAPE_SECRET"
_ROOMY = {"memory_mb": 1024, "disk_mb": 64, "processes": 64}
_RESULT = "/workspace/result.txt"


class Scene:
    """A release with golds, two sandboxes on its community, and a host with things to reach for."""

    def __init__(self, root: Path, environment: AnalysisEnvironment) -> None:
        self.root = root
        self.token = f"gold-{secrets.token_hex(16)}"
        self.environment = environment
        self.community = root / "release/communities/community_0/full_community"
        self.golds = root / "release/coda_bench.json"
        self._make_files()
        self._stack = contextlib.ExitStack()
        self.canary = self._stack.enter_context(subprocess.Popen(["sleep", "3600"]))
        self._stack.callback(self.canary.kill)
        self.reached: list[str] = []
        self.ports = [self._listen(family) for family in (socket.AF_INET, socket.AF_INET6)]
        self.abstract = f"\0escape-{secrets.token_hex(8)}"
        for address in (str(root / "host.sock"), self.abstract):
            self._accept(socket.AF_UNIX, address)
        self.room = self._start({})
        self.victim = self._start({})
        self.victim.write("/workspace/victim.txt", self.token.encode())
        self.victim.write("/dev/shm/victim.txt", self.token.encode())  # noqa: S108 - inside

    def _make_files(self) -> None:
        (self.community / "sales").mkdir(parents=True)
        (self.community / "sales/a.csv").write_text("a,b\n1,2\n")
        (self.community / "sales/b.csv").write_text("a,b\n3,4\n")
        (self.community / "out.csv").symlink_to(self.golds)
        self.golds.write_text(json.dumps([{"answer": self.token}]))
        for folder in (self.root, *(path for path in self.root.rglob("*") if path.is_dir())):
            folder.chmod(0o755)

    def _start(self, limits: dict[str, float]) -> Sandbox:
        chosen = Limits.model_validate({**_ROOMY, **limits})
        spec = SandboxSpec(data=self.community, environment=self.environment, limits=chosen)
        return self._stack.enter_context(Sandbox.start(spec))

    def _listen(self, family: socket.AddressFamily) -> int:
        try:
            return self._accept(family, ("::1" if family == socket.AF_INET6 else "127.0.0.1", 0))
        except OSError:
            return 9  # this host has no IPv6: nothing can be reached there

    def _accept(self, family: socket.AddressFamily, address: object) -> int:
        listener = self._stack.enter_context(socket.socket(family))
        listener.bind(address)
        listener.listen()
        if isinstance(address, str) and not address.startswith("\0"):
            Path(address).chmod(0o777)

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    listener.accept()[0].close()
                    self.reached.append(str(address))

        threading.Thread(target=accept, daemon=True).start()
        self._stack.callback(listener.shutdown, socket.SHUT_RDWR)
        return 0 if family == socket.AF_UNIX else listener.getsockname()[1]

    def facts(self) -> str:
        """Return what attempts are told about the host: the worst case is an agent that knows all."""
        bare = self.room.record.backend.startswith("bubblewrap")
        return json.dumps(
            {
                # An engine shows its own /sys, and each writable part has the limit of its own.
                "bare": bare, "disks": 1 if bare else 3,
                "golds": str(self.golds), "token": [self.token[:9], self.token[9:]], "root": str(self.root),
                "harness": os.getpid(), "canary": self.canary.pid, "holder": self.room.holder_pid, "ports": self.ports,
                "socket": str(self.root / "host.sock"), "abstract": self.abstract,
                "variable": [VARIABLE[:9], VARIABLE[9:]],
            }
        )  # fmt: skip

    def make(self, attempt: Attempt) -> Outcome:
        """Make an attempt, then look whether anything came of it and the harness goes on."""
        room = self._start(attempt.limits) if attempt.limits else self.room
        self.room, usual = room, self.room
        forget_peak_memory()
        self.resident_kb = memory_kb("VmRSS")
        noticed: list[str] = []
        threads = []
        if attempt.meanwhile:
            threads = [threading.Thread(target=lambda: noticed.append(attempt.meanwhile(self)))]
        for thread in threads:
            thread.start()
        before = time.monotonic()
        try:
            happened, problems = self._run(attempt)
            for thread in threads:
                thread.join()
            problems += noticed
            problems.append(attempt.check(self) if attempt.check else "")
        except SandboxError as lost:
            happened, problems = f"the sandbox was lost: {lost}", ["the sandbox was lost"]
        problems += self._harm()
        if time.monotonic() - before > attempt.timeout_s + 30:
            problems.append("it took too long")
        went_on = self._goes_on(room)
        self.room = usual
        if room is not usual:
            room.close()
        found = [problem for problem in problems if problem]
        return Outcome(
            attempt.name, attempt.subject, _tried(attempt), "; ".join([*found, happened]), not found, went_on
        )

    def _run(self, attempt: Attempt) -> tuple[str, list[str]]:
        result = self.room.execute(
            ["python3", "-c", PRELUDE + attempt.program], timeout_s=attempt.timeout_s, env={"HOST": self.facts()}
        )
        lines = (result.stdout + result.stderr).decode(errors="replace").strip().splitlines()
        problems = [line for line in lines if line.startswith("ESCAPED")]
        end = result.ended_by.value
        if end not in attempt.ends:
            problems.append(f"it ended by {end}, exit code {result.exit_code}: {lines[-1:]}")
        said = " | ".join(lines)[:300] if lines else "nothing said"
        return (said if end == "exit" else f"stopped: {end} | {said}"), problems

    def _harm(self) -> Iterator[str]:
        if self.canary.poll() is not None:
            yield "a process of the host was ended"
        if self.reached:
            yield f"a listener of the host was reached: {self.reached}"
        if {path.name for path in self.community.rglob("*")} != {"sales", "a.csv", "b.csv", "out.csv"}:
            yield "the community was changed"
        if (self.community / "sales/a.csv").read_text() != "a,b\n1,2\n":
            yield "a data file was changed"
        if self.token not in self.golds.read_text():
            yield "the golds were changed"

    def _goes_on(self, room: Sandbox) -> bool:
        try:
            written = room.execute(["sh", "-c", f"rm -rf {_RESULT} && echo 7 > {_RESULT}"], timeout_s=20)
            fine = written.exit_code == 0 and room.read(_RESULT) == b"7\n"
            return fine and self.victim.read("/workspace/victim.txt") == self.token.encode()
        except SandboxError:
            return False

    def close(self) -> None:
        """End everything."""
        self._stack.close()


@contextlib.contextmanager
def scene(environment: AnalysisEnvironment) -> Iterator[Scene]:
    """Set the scene in a temporary directory that everybody may pass, as a careless host would have it."""
    os.environ[VARIABLE] = "hunter2"
    with tempfile.TemporaryDirectory(prefix="escape-") as folder:
        set_up = Scene(Path(folder), environment)
        try:
            yield set_up
        finally:
            set_up.close()
            del os.environ[VARIABLE]


def _tried(attempt: Attempt) -> str:
    """Return the first line of a program, a comment that says what it does."""
    return attempt.program.strip().splitlines()[0].removeprefix("# ")
