"""RunConfig: everything needed to repeat a run, stored as `run.json` in its directory."""

from enum import StrEnum
from typing import Any

from pydantic import Field

from coda_bench.records.record import Record, StoredRecord


class Setting(StrEnum):
    """What the agent is told and given (paper section 5)."""

    COMMUNITY = "community"
    """The whole community, no hint: the benchmark proper."""
    ORACLE = "oracle"
    """The whole community, and the exact target paths in the prompt."""
    NO_DATA = "no-data"
    """The question alone, `/data` empty: what can be answered from memory."""


class Backend(StrEnum):
    """What keeps an attempt's commands from the rest of the machine."""

    BUBBLEWRAP = "bubblewrap"
    """Namespaces of this kernel, without an engine and without root."""
    DOCKER = "docker"
    PODMAN = "podman"


class Limits(Record):
    """Limits of one attempt; the defaults are the paper's (600 s, 4 GB, 2 CPUs)."""

    time_s: float = 600
    """Wall clock of the whole attempt."""
    memory_mb: int = 4096
    """Memory of the whole process tree."""
    cpus: int = 2
    processes: int = 256
    disk_mb: int = 1024
    """Size of the writable parts (`/workspace`, `/tmp`)."""
    output_kb: int = 1024
    """Kept of each stream of one command, half from its start and half from its end."""

    def as_record(self) -> dict[str, float]:
        """Return the limits by name with unit, for the attempt's record."""
        return {name: float(value) for name, value in self.model_dump().items()}


LIMIT_PRESETS = {"paper": Limits(), "release": Limits(memory_mb=8192)}
"""`paper`: section 5 of the paper. `release`: the published container's 8 GB."""


class RunConfig(StoredRecord):
    """The settings of a run; two runs with equal `identity` may share a directory."""

    release: str
    """Absolute path of the release directory."""
    tasks_sha256: str
    """sha256 of the task file's bytes."""
    data_sha256: str | None
    """sha256 over the manifests of the communities used; None when the release has no manifest."""
    agent: str
    agent_args: dict[str, Any] = Field(default_factory=dict)
    model: str | None = None
    model_args: dict[str, Any] = Field(default_factory=dict)
    temperature: float | None = None
    """None: the model's own default."""
    max_tokens: int | None = None
    """Most tokens of one answer of the model; None: its own default."""
    setting: Setting = Setting.COMMUNITY
    instances: tuple[int, ...] = ()
    """Instance ids of the run, in order."""
    epochs: int = 1
    limits: Limits = Limits()
    sandbox: Backend = Backend.BUBBLEWRAP
    message_limit: int | None = None
    token_limit: int | None = None
    environment: str = "current"
    environment_lock: str = ""
    seed: int = 0
    versions: dict[str, str] = Field(default_factory=dict)
    """coda_bench, inspect_ai, Python, kernel: recorded, not part of the identity."""

    def identity(self) -> dict[str, Any]:
        """Return what must agree for a run directory to be continued."""
        return self.model_dump(mode="json", exclude={"versions", "release", "format_version"})
