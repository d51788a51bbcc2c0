"""Our sandbox as a sandbox provider of Inspect; registered as `coda_bench`."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any, Literal, TypeVar, overload
from weakref import WeakSet

import anyio
from anyio.to_thread import run_sync
from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    SandboxUserUnsupportedError,
    sandboxenv,
)
from pydantic import BaseModel, ConfigDict
from typing_extensions import override

from coda_bench.errors import SandboxError, SandboxFileError, SandboxLost
from coda_bench.records.access import CommandEnd
from coda_bench.records.run import Backend, Limits
from coda_bench.sandbox import CommandResult, Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import find

_AGENT_USERS = frozenset({None, "agent", "1000"})
T = TypeVar("T")
_open: "WeakSet[Sandbox]" = WeakSet()


class SandboxConfig(BaseModel):
    """What a sample's sandbox holds; hashable, since the engine keys its bookkeeping by it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    data: str | None = None
    """Directory on the host that becomes `/data`; None: empty."""
    environment: str = "current"
    limits: Limits = Limits()
    sandbox: Backend | None = None
    """None for the environment variable, else bubblewrap."""
    readonly: tuple[tuple[str, str], ...] = ()
    """(path on the host, path inside)."""

    def spec(self) -> SandboxSpec:
        """Return what the sandbox itself needs to start.

        Raises:
            AnalysisEnvironmentMissing: the environment has not been built.
        """
        return SandboxSpec(
            data=Path(self.data) if self.data else None,
            environment=find(self.environment),
            limits=self.limits,
            backend=self.sandbox,
            readonly=tuple((Path(host), inside) for host, inside in self.readonly),
        )


class AttemptSandbox:
    """The sandbox as a plain agent sees it: three methods, shut when the attempt is over."""

    def __init__(self, held: Sandbox) -> None:
        self._held = held
        self._over = threading.Event()
        self._scripts: dict[str, str] = {}
        self.last_code: str | None = None
        """Source of the last command: the script it runs if the agent wrote one, else the command line."""

    def execute(
        self, argv: Sequence[str], *, stdin: bytes = b"", cwd: str = "/", timeout_s: float | None = None
    ) -> CommandResult:
        """Run a command; raises SandboxLost when the sandbox died or the attempt is over."""
        self._check()
        self.last_code = next((self._scripts[word] for word in argv if word in self._scripts), " ".join(argv))
        return self._held.execute(argv, stdin=stdin, cwd=cwd, timeout_s=timeout_s)

    def read(self, path: str) -> bytes:
        """Read a file of the sandbox."""
        self._check()
        return self._held.read(path)

    def write(self, path: str, content: bytes) -> None:
        """Write a file of the sandbox."""
        self._check()
        self._scripts[path] = content.decode(errors="replace")
        self._held.write(path, content)

    def shut(self) -> None:
        """Refuse all further work and stop what runs: a thread cannot be killed, but it can be starved."""
        self._over.set()
        self._held.interrupt()

    def _check(self) -> None:
        if self._over.is_set():
            raise SandboxLost("the attempt is over")


@sandboxenv(name="coda_bench")
class CodaSandboxEnvironment(SandboxEnvironment):
    """One sandbox of ours, driven from threads since the engine is asynchronous."""

    def __init__(self, held: Sandbox) -> None:
        super().__init__()
        self.held = held
        self.view = AttemptSandbox(held)

    @classmethod
    def config_deserialize(cls, config: dict[str, Any]) -> BaseModel:
        """Rebuild the configuration from a stored log."""
        return SandboxConfig.model_validate(config)

    @classmethod
    async def sample_init(
        cls, task_name: str, config: SandboxEnvironmentConfigType | None, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        """Start one sandbox for a sample; a failed start leaves nothing behind (the sandbox sees to it)."""
        del task_name, metadata
        wanted = config if isinstance(config, SandboxConfig) else SandboxConfig()
        held = await run_sync(lambda: Sandbox.start(wanted.spec()))
        _open.add(held)
        return {"default": cls(held)}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        """Close the sample's sandbox."""
        del task_name, config, interrupted
        for environment in environments.values():
            own = environment.as_type(cls)
            await run_sync(own.held.close)
            _open.discard(own.held)

    @override
    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,  # the engine's name
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,  # the engine's name
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """Run a command in `/`; a timed-out command is dead with all its children when this raises."""
        del timeout_retry, concurrency
        if user not in _AGENT_USERS:
            raise _user_unsupported(user)
        stdin = input.encode() if isinstance(input, str) else input or b""
        result = await self._in_thread(
            lambda: self.held.execute(cmd, stdin=stdin, cwd=cwd or "/", timeout_s=timeout, env=env)
        )
        if result.ended_by is CommandEnd.TIMEOUT and timeout is not None:
            raise TimeoutError(f"the command was stopped after {timeout} s")
        return _exec_result(result)

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Write a file, relative ones below `/workspace`."""
        content = contents.encode() if isinstance(contents, str) else contents
        await self._file_call(lambda: self.held.write(_absolute(file), content))

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        """Read a file, relative ones below `/workspace`."""
        content = await self._file_call(lambda: self.held.read(_absolute(file)))
        return content.decode() if text else content

    async def _file_call(self, call: Callable[[], T]) -> T:
        try:
            return await self._in_thread(call)
        except SandboxFileError as error:
            raise _as_os_error(error) from error

    async def _in_thread(self, call: Callable[[], T]) -> T:
        try:
            return await run_sync(call, abandon_on_cancel=True)
        except anyio.get_cancelled_exc_class():
            # The thread only returns when its command does: end it, or the attempt outlives its limit.
            with anyio.CancelScope(shield=True), suppress(SandboxError):
                await run_sync(self.held.interrupt)
            raise


def close_all() -> None:
    """Close sandboxes that an interrupted run left open; with none open, do nothing."""
    for held in list(_open):
        held.close()
        _open.discard(held)


def _user_unsupported(user: str | None) -> Exception:
    return SandboxUserUnsupportedError(f"the sandbox runs everything as `agent`, not as {user!r}")


def _exec_result(result: CommandResult) -> ExecResult[str]:
    # A killed command has no exit code of its own; shells say 137.
    code = 137 if result.exit_code is None else result.exit_code
    return ExecResult(
        success=code == 0,
        returncode=code,
        stdout=result.stdout.decode(errors="replace"),
        stderr=result.stderr.decode(errors="replace"),
    )


def _absolute(path: str) -> str:
    return str(PurePosixPath("/workspace") / path)


def _as_os_error(error: SandboxFileError) -> Exception:
    message = str(error)
    if "larger than" in message:
        return OutputLimitExceededError(message, None)
    return IsADirectoryError(message) if "not a regular file" in message else FileNotFoundError(message)
