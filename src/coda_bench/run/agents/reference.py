"""`reference`: runs the task's own reference program against its environment; the ceiling of every score."""

from coda_bench.errors import AgentFailed
from coda_bench.run.agents.agent import RESULT_FILE, AgentSandbox, AgentTask

_PROGRAM = "/workspace/reference.py"


class Reference:
    """The only agent that is given reference programs; no model runs in its sandboxes."""

    name = "reference"

    def solve(self, task: AgentTask, sandbox: AgentSandbox) -> str | None:
        """Run the program in one command; what it prints is the answer.

        Raises:
            AgentFailed: the program failed; the message ends with the last line of its error output.
        """
        sandbox.write(_PROGRAM, (task.reference_code or "").encode())
        result = sandbox.execute(["python3", _PROGRAM])
        if result.exit_code != 0:
            last_line = result.stderr.decode(errors="replace").strip().rpartition("\n")[2]
            raise AgentFailed(f"reference program ended by {result.ended_by} ({result.exit_code}): {last_line}")
        answer = result.stdout.decode(errors="replace").strip()
        sandbox.write(RESULT_FILE, answer.encode())
        return answer
