"""What an agent is: a name and one method, given a task and the sandbox it may use.

An agent is plain synchronous Python that runs on the host and acts through the sandbox. Models come in
by the `react` agent or by an agent of the engine itself, see `coda_bench.run.agents.choose`.
"""

from collections.abc import Sequence
from typing import Protocol

from coda_bench.records.record import Record
from coda_bench.records.run import Setting
from coda_bench.sandbox import CommandResult

RESULT_FILE = "/workspace/result.txt"
DESCRIPTION_FILE = "/workspace/task_description.txt"


class AgentTask(Record):
    """What an agent is told of a task; never the gold."""

    instance_id: int
    question: str
    guideline: str
    prompt: str
    """The whole text given to the agent, also in `/workspace/task_description.txt`."""
    setting: Setting
    files: tuple[str, ...] = ()
    """Exact paths inside the sandbox; only in the oracle setting."""
    time_s: float
    """Wall clock the attempt may take."""
    reference_code: str | None = None
    """Only for the `reference` agent; None for every other."""


class AgentSandbox(Protocol):
    """What an agent may do in its sandbox."""

    def execute(
        self, argv: Sequence[str], *, stdin: bytes = b"", cwd: str = "/", timeout_s: float | None = None
    ) -> CommandResult:
        """Run a command; its end, also by a limit, is in the result.

        Raises:
            SandboxLost: the sandbox died; let it pass, the attempt is repeated.
        """
        ...

    def read(self, path: str) -> bytes:
        """Read a file of the sandbox; not counted as access to data.

        Raises:
            SandboxFileError: no such file, a directory, or too large.
        """
        ...

    def write(self, path: str, content: bytes) -> None:
        """Write a file of the sandbox, such as a script to run."""
        ...


class Agent(Protocol):
    """Solves tasks; one instance serves all attempts of a run, from several threads at once."""

    @property
    def name(self) -> str:
        """Name under which results are stored."""
        ...

    def solve(self, task: AgentTask, sandbox: AgentSandbox) -> str | None:
        """Work on one task.

        The answer is what `/workspace/result.txt` holds at the end, else the text returned here.
        Any exception ends the attempt as `agent_failed`; an answer file written before still counts.
        """
        ...
