"""A person in the sandbox."""

import os
import pty
import select
import subprocess
import sys
import time

import pytest

ATTACH = """
import sys
from pathlib import Path
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import find
with Sandbox.start(SandboxSpec(data=Path(sys.argv[1]), environment=find())) as sandbox:
    code = sandbox.attach(["bash", "--norc", "-i"] if len(sys.argv) == 2 else sys.argv[2:])
    print("code", code, *sandbox.file_access().opened, flush=True)
"""
# It says when it runs: a key typed before would go to the shell.
LONG = b"sh -c 'echo running; exec sleep 1000'\r"


class Terminal:
    """The person: types, and reads until something appears."""

    def __init__(self, community) -> None:
        self.outer, inner = pty.openpty()
        command = [sys.executable, "-c", ATTACH, str(community)]
        self.process = subprocess.Popen(command, stdin=inner, stdout=inner, stderr=inner)
        os.close(inner)
        self.seen = b""

    def type(self, text: bytes, *, until: bytes) -> None:
        """Type, then wait for a text to appear."""
        os.write(self.outer, text)
        self.wait_for(until)

    def wait_for(self, text: bytes) -> None:
        """Read until a text has appeared; what comes after it is kept for the next."""
        deadline = time.monotonic() + 30
        while text not in self.seen:
            assert select.select([self.outer], [], [], deadline - time.monotonic())[0], self.seen
            self.seen += os.read(self.outer, 4096)
        self.seen = self.seen.split(text, 1)[1]


@pytest.mark.usefixtures("environment")
def test_a_person_has_a_real_terminal(community):
    """Ctrl-C stops the program that runs, not the shell; job control works; what is read counts."""
    terminal = Terminal(community)
    try:
        terminal.wait_for(b"$ ")
        terminal.type(LONG, until=b"\rrunning\r\n")
        terminal.type(b"\x03", until=b"$ ")
        terminal.type(LONG, until=b"\rrunning\r\n")
        terminal.type(b"\x1a", until=b"Stopped")
        terminal.type(b"cat /data/iris/one.csv; echo $((20+22))\r", until=b"42\r\n")
        terminal.type(b"exit 5\r", until=b"There are stopped jobs")
        terminal.type(b"exit 5\r", until=b"code 5 iris/one.csv")
        assert terminal.process.wait(30) == 0
    finally:
        terminal.process.kill()
        terminal.process.wait()
        os.close(terminal.outer)


@pytest.mark.usefixtures("environment")
def test_without_a_terminal_the_streams_are_the_callers(community):
    """In a pipeline the command reads and writes the caller's own streams, and its exit code is handed on."""
    command = [sys.executable, "-c", ATTACH, str(community), "sh", "-c", "cat; cat /data/iris/two.csv; exit 3"]
    run = subprocess.run(command, input=b"given\n", capture_output=True, check=True, timeout=60)
    assert run.stdout == b"given\na,b\n1,2\n3,4\ncode 3 iris/two.csv\n"
