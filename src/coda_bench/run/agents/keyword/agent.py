"""The host's side of `keyword`: two commands in the sandbox, one that searches and one that computes."""

import json
from pathlib import Path

from coda_bench.errors import AgentFailed
from coda_bench.run.agents.agent import AgentSandbox, AgentTask

_PROGRAM = Path(__file__).parent / "program"
_INSIDE = "/agent"


class Keyword:
    """Searches like a person with grep, answers simple questions, and says so when it cannot.

    Its rules are general: written from the wording of such questions, never adjusted to gold answers.
    """

    name = "keyword"

    def __init__(self, *, most_files: int = 40) -> None:
        """Set its patience.

        Args:
            most_files: how many files it opens at most while searching; the best by name come first.
        """
        self.most_files = int(most_files)
        self.readonly = ((_PROGRAM, f"{_INSIDE}/program"),)

    def solve(self, task: AgentTask, sandbox: AgentSandbox) -> str | None:
        """Search, then compute from the chosen file alone.

        Raises:
            AgentFailed: its program failed.
        """
        told = {
            "question": task.question,
            "guideline": task.guideline,
            "files": list(task.files),
            "most_files": self.most_files,
        }
        for step in ("search", "compute"):
            result = sandbox.execute(
                ["python3", "-B", "-m", f"program.{step}"], stdin=json.dumps(told).encode(), cwd=_INSIDE
            )
            if result.exit_code != 0:
                last_line = result.stderr.decode(errors="replace").strip().rpartition("\n")[2]
                raise AgentFailed(f"keyword {step} ended by {result.ended_by} ({result.exit_code}): {last_line}")
        return None
