"""`react`: a model with a shell and Python, by Inspect's ReAct loop; any of Inspect's models."""

from inspect_ai.agent import Agent, AgentPrompt, AgentSubmit, react
from inspect_ai.tool import Tool, tool
from inspect_ai.util import sandbox

_INSTRUCTIONS = """\
You work in a Linux machine through the tools `bash` and `python`; you start in /. Each call is a new process:
nothing but files below /workspace survives it. Look before you compute: list, search, inspect headers.
When /workspace/result.txt holds your answer, call `submit` with the same text."""


def react_agent(*, command_timeout_s: int = 180) -> Agent:
    """Make the agent.

    Args:
        command_timeout_s: longest time of one tool call.
    """
    timeout_s = int(command_timeout_s)
    return react(
        name="react",
        prompt=AgentPrompt(instructions=_INSTRUCTIONS, assistant_prompt=None),
        tools=[bash(timeout_s), python(timeout_s)],
        submit=AgentSubmit(answer_only=True, keep_in_messages=True),
    )


@tool
def bash(timeout_s: int) -> Tool:
    """Make a shell tool; not a login shell, whose profile would replace the PATH of the sandbox."""

    async def execute(command: str) -> str:
        """Run a shell command.

        Args:
            command: The command line, for bash.

        Returns:
            Its output, error output first.
        """
        return await _run(["bash", "-c", command], None, timeout_s)

    return execute


@tool
def python(timeout_s: int) -> Tool:
    """Make a tool that runs a Python program from standard input."""

    async def execute(code: str) -> str:
        """Run a Python program (pandas and the usual libraries are there); print what you want to see.

        Args:
            code: The program.

        Returns:
            Its output, error output first.
        """
        return await _run(["python3", "-"], code, timeout_s)

    return execute


async def _run(argv: list[str], stdin: str | None, timeout_s: int) -> str:
    result = await sandbox().exec(argv, input=stdin, timeout=timeout_s)
    parts = [result.stderr, result.stdout]
    if not result.success:
        parts.append(f"[exit code {result.returncode}]")
    return "\n".join(part.rstrip("\n") for part in parts if part)
