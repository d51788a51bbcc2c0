"""`command`: any program as an agent. It runs inside the sandbox, reads the task description, writes the answer.

Contract for the program: the task is in `/workspace/task_description.txt`, the data below `/data`, and the
answer goes to `/workspace/result.txt`. It has no network; `python3` is the analysis environment.
"""

import shlex
from pathlib import Path

from coda_bench.errors import AgentFailed, BadInput
from coda_bench.run.agents.agent import AgentSandbox, AgentTask

_INSIDE = "/agent"


class Command:
    """Runs one command line per task, with the user's files read-only at `/agent`."""

    name = "command"

    def __init__(self, *, script: str | None = None, run: str | None = None, files: str | None = None) -> None:
        """Say what to run.

        Args:
            script: a Python or shell program on this machine; it becomes `/agent/<its name>`.
            run: the command line inside the sandbox; default: the script.
            files: a directory on this machine that becomes `/agent` (instead of `script`).

        Raises:
            BadInput: nothing to run, or a path does not exist.
        """
        if script and files:
            raise BadInput("agent command: give script=FILE or files=DIRECTORY, not both")
        if not run and not script:
            raise BadInput("agent command: say what to run: --agent-arg script=my_agent.py or --agent-arg run='…'")
        source = Path(script or files or "").resolve() if script or files else None
        if source and not (source.is_file() if script else source.is_dir()):
            raise BadInput(f"agent command: {source} is not a {'file' if script else 'directory'}")
        self.command_line = run or _start_line(source)
        self.readonly = ((source, _INSIDE if files else f"{_INSIDE}/{source.name}"),) if source else ()

    def solve(self, task: AgentTask, sandbox: AgentSandbox) -> str | None:
        """Run the command line; the answer is the file it leaves.

        Raises:
            AgentFailed: it ended with an error; an answer it wrote before still counts.
        """
        del task
        result = sandbox.execute(["sh", "-c", self.command_line])
        if result.exit_code not in (0, None):
            last_line = result.stderr.decode(errors="replace").strip().rpartition("\n")[2] or "no error output"
            raise AgentFailed(f"`{self.command_line}` ended with exit code {result.exit_code}: {last_line}")
        return None


def _start_line(script: Path | None) -> str:
    if script is None:
        return ""
    interpreter = "python3" if script.suffix == ".py" else "sh"
    return f"{interpreter} {shlex.quote(f'{_INSIDE}/{script.name}')}"
