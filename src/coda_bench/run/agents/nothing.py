"""`nothing`: submits a blank answer without looking; the floor of every score."""

from coda_bench.run.agents.agent import AgentSandbox, AgentTask


class Nothing:
    """Does nothing, so whatever it scores, the scorer gives away."""

    name = "nothing"

    def solve(self, task: AgentTask, sandbox: AgentSandbox) -> str | None:
        """Return no answer."""
        del task, sandbox
        return None
