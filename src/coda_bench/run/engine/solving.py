"""How an attempt runs inside the engine: set-up, the agent, and what is gathered before the sandbox closes."""

import threading
import traceback
from collections.abc import Mapping
from enum import StrEnum

import anyio
from anyio.from_thread import run_sync as run_in_loop
from anyio.lowlevel import current_token
from anyio.to_thread import run_sync
from inspect_ai.agent import as_solver, is_agent
from inspect_ai.model import ChatMessageTool
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import LimitExceededError, sandbox

from coda_bench.errors import CodaBenchError, SandboxError, SandboxFileError, SandboxLost
from coda_bench.records.access import FileAccess
from coda_bench.records.attempt import SandboxRecord
from coda_bench.records.record import Record
from coda_bench.run.agents.agent import DESCRIPTION_FILE, RESULT_FILE, Agent, AgentTask
from coda_bench.run.agents.choose import checked_plain, is_plain
from coda_bench.run.engine.provider import CodaSandboxEnvironment

STARTED, OUTCOME, GATHERED = (f"coda_bench:{key}" for key in ("started", "outcome", "gathered"))
"""Keys of the sample's store; kept in the log, read by `samples.attempt_of`."""

_ANSWER_BYTES = 1 << 20
_CODE_TOOLS = {"bash": "command", "python": "code"}


class AgentEnd(StrEnum):
    """How the agent itself ended, apart from limits, which the engine knows."""

    FINISHED = "finished"
    FAILED = "failed"
    MODEL_FAILED = "model_failed"
    SANDBOX_LOST = "sandbox_lost"


class Outcome(Record):
    """What the agent left besides files."""

    end: AgentEnd
    message: str | None = None
    submitted: str | None = None


class Gathered(Record):
    """What was read from the sandbox after the agent ended, whatever its end."""

    answer: str = ""
    answer_source: str | None = None
    code: str | None = None
    file_access: FileAccess | None = None
    sandbox: SandboxRecord | None = None
    lost: str | None = None
    """Why the sandbox could not be read."""


def own_sandbox() -> CodaSandboxEnvironment:
    """Return the sandbox of the sample that is running."""
    return sandbox().as_type(CodaSandboxEnvironment)


@solver
def describe(prompts: Mapping[int, str]) -> Solver:
    """Put the task description where the prompt says it is; runs before any agent, also a replaced one."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        del generate
        state.store.set(STARTED, value=True)
        text = prompts[state.metadata["instance_id"]].encode()
        held = own_sandbox().held
        await run_sync(lambda: held.write(DESCRIPTION_FILE, text))
        return state

    return solve


@solver
def solve_with(agent: object, tasks: Mapping[int, AgentTask]) -> Solver:
    """Run an agent and note how it ended; only limits and cancellation pass through."""
    inner = _plain(agent, tasks) if is_plain(agent) else _of_the_engine(agent)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        try:
            state = await inner(state, generate)
            outcome = Outcome(end=AgentEnd.FINISHED, submitted=_submitted(state))
        except LimitExceededError:
            raise
        except Exception as error:  # noqa: BLE001  # an agent is foreign code and may raise anything
            outcome = _failure(_innermost(error))
        state.store.set(OUTCOME, outcome.model_dump(mode="json"))
        return state

    return solve


def _plain(agent: object, tasks: Mapping[int, AgentTask]) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        del generate
        own = own_sandbox()
        task = tasks[state.metadata["instance_id"]]
        answer = await _in_daemon_thread(checked_plain(agent), task, own)
        state.output.completion = answer or ""
        return state

    return solve


async def _in_daemon_thread(agent: Agent, task: AgentTask, own: CodaSandboxEnvironment) -> str | None:
    """Run the agent in a thread that cannot keep the process from ending.

    The engine's own worker threads are waited for at exit; an agent that never returns would hang the run.
    """
    done = anyio.Event()
    token = current_token()
    results: list[str | None] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(agent.solve(task, own.view))
        except BaseException as error:  # noqa: BLE001  # foreign code; raised again in the waiting task
            errors.append(error)
        try:
            run_in_loop(done.set, token=token)
        except RuntimeError:
            return  # the run ended while the agent was still busy

    threading.Thread(target=work, name=f"agent-{task.instance_id}", daemon=True).start()
    await done.wait()
    if errors:
        raise errors[0]
    return results[0]


def _of_the_engine(agent: object) -> Solver:
    return as_solver(agent) if is_agent(agent) else agent  # type: ignore[return-value]  # a foreign object


def _submitted(state: TaskState) -> str | None:
    said = [m.text for m in state.messages if isinstance(m, ChatMessageTool) and m.function == "submit" and not m.error]
    return said[-1] if said else state.output.completion or None


def _failure(error: BaseException) -> Outcome:
    if isinstance(error, SandboxError):
        return Outcome(end=AgentEnd.SANDBOX_LOST, message=_one_line(error))
    frames = traceback.walk_tb(error.__traceback__)
    in_model = any(frame.f_globals.get("__name__") == "inspect_ai.model._model" for frame, _ in frames)
    return Outcome(end=AgentEnd.MODEL_FAILED if in_model else AgentEnd.FAILED, message=_one_line(error))


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _one_line(error: BaseException) -> str:
    # Messages of our own say what happened; those of foreign errors often need their type to be understood.
    name = "" if isinstance(error, CodaBenchError) else f"{type(error).__name__}: "
    return f"{name}{' '.join(str(error).split())}"[:1000]


async def gather(state: TaskState) -> Gathered:
    """Read answer and file access, once per attempt; runs after limits and failures too."""
    if state.store.get(GATHERED):
        return Gathered.model_validate(state.store.get(GATHERED))
    own = own_sandbox()
    with anyio.CancelScope(shield=True):
        found = await run_sync(_read, own, state)
    state.store.set(GATHERED, found.model_dump(mode="json"))
    return found


async def gather_at_cleanup(state: TaskState) -> None:
    """Gather for attempts whose end left no time before: limits, failures, cancellation."""
    await gather(state)


def _read(own: CodaSandboxEnvironment, state: TaskState) -> Gathered:
    code = own.view.last_code or _last_tool_code(state)
    try:
        # What still runs would write to the answer while it is read.
        own.view.shut()
        answer, source = _answer(own, state)
        access = own.held.file_access()
    except SandboxLost as error:
        return Gathered(code=code, sandbox=own.held.record, lost=_one_line(error))
    return Gathered(answer=answer, answer_source=source, code=code, file_access=access, sandbox=own.held.record)


def _answer(own: CodaSandboxEnvironment, state: TaskState) -> tuple[str, str | None]:
    try:
        text = own.held.read(RESULT_FILE, limit_bytes=_ANSWER_BYTES).decode(errors="replace").strip()
    except SandboxFileError:
        text = ""
    if text:
        return text, "file"
    submitted = (Outcome.model_validate(state.store.get(OUTCOME)).submitted or "") if state.store.get(OUTCOME) else ""
    return (submitted.strip(), "submit") if submitted.strip() else ("", None)


def _last_tool_code(state: TaskState) -> str | None:
    for message in reversed(state.messages):
        for call in reversed(getattr(message, "tool_calls", None) or []):
            if call.function in _CODE_TOOLS:
                return str(call.arguments.get(_CODE_TOOLS[call.function], ""))
    return None
