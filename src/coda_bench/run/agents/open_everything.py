"""`open-everything`: reads every file, answers nothing; what a superset metric cannot tell from skill."""

from coda_bench.errors import AgentFailed
from coda_bench.run.agents.agent import AgentSandbox, AgentTask

# One byte of each file is enough to have opened it, and keeps 45 GB communities within the time limit.
_READ_ALL = "find /data -type f -exec head -c 1 -q {} + > /dev/null"


class OpenEverything:
    """Opens all of `/data` in one command and submits a blank answer."""

    name = "open-everything"

    def solve(self, task: AgentTask, sandbox: AgentSandbox) -> str | None:
        """Read every file; return no answer.

        Raises:
            AgentFailed: some file could not be read.
        """
        del task
        result = sandbox.execute(["sh", "-c", _READ_ALL])
        if result.exit_code not in (0, None):
            raise AgentFailed(f"reading /data failed: {result.stderr[-300:].decode(errors='replace').strip()}")
        return None
