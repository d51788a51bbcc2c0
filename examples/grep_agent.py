"""A class as an agent: lists the files that contain the question's longest word, and answers with their number.

It runs on the host and acts through the sandbox:

    cd examples && coda-bench run --release RELEASE --agent grep_agent:GrepAgent --agent-arg most_files=50
"""

import re

from coda_bench.run.agents.agent import AgentSandbox, AgentTask


class GrepAgent:
    """Greps, counts, answers."""

    name = "grep"

    def __init__(self, *, most_files: str = "100") -> None:
        """Take `--agent-arg` values, which are text."""
        self.most_files = int(most_files)

    def solve(self, task: AgentTask, sandbox: AgentSandbox) -> str:
        """Return the answer; writing /workspace/result.txt would do as well."""
        word = max(re.findall(r"\w+", task.question), key=len)
        found = sandbox.execute(["grep", "-rlIi", "--", word, "/data"], timeout_s=60)
        return str(min(len(found.stdout.splitlines()), self.most_files))
