"""A release as a task of the engine: one sample an attempt; golds are the samples' targets, on the host only."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState
from inspect_ai.util import SandboxEnvironmentSpec

from coda_bench.answers.verdict import judge
from coda_bench.errors import BadInput
from coda_bench.layout import Release
from coda_bench.records.record import Record
from coda_bench.records.run import Backend, Limits, Setting
from coda_bench.records.task import Task as BenchmarkTask
from coda_bench.run.agents.agent import AgentTask
from coda_bench.run.engine.provider import SandboxConfig
from coda_bench.run.engine.solving import describe, gather, gather_at_cleanup, solve_with
from coda_bench.run.journal import Key
from coda_bench.run.prompt import task_prompt


class TaskOptions(Record):
    """What of a run's settings shapes a task."""

    setting: Setting = Setting.COMMUNITY
    limits: Limits = Limits()
    environment: str = "current"
    sandbox: Backend | None = None
    message_limit: int | None = None
    token_limit: int | None = None


def agent_tasks(
    release: Release, tasks: Sequence[BenchmarkTask], options: TaskOptions, *, with_reference: bool
) -> dict[int, AgentTask]:
    """Return what the agent is told, by instance id.

    Raises:
        BadInput: the oracle setting, and the targets of a task are not known.
    """
    paths = _oracle_paths(release, tasks) if options.setting is Setting.ORACLE else {}
    return {
        task.instance_id: AgentTask(
            instance_id=task.instance_id,
            question=task.question,
            guideline=task.answer_guidelines,
            prompt=task_prompt(
                task.question,
                task.answer_guidelines,
                setting=options.setting,
                files=paths.get(task.instance_id, ()),
                time_s=options.limits.time_s,
            ),
            setting=options.setting,
            files=paths.get(task.instance_id, ()),
            time_s=options.limits.time_s,
            reference_code=task.reference_code if with_reference else None,
        )
        for task in tasks
    }


def _oracle_paths(release: Release, tasks: Sequence[BenchmarkTask]) -> dict[int, tuple[str, ...]]:
    targets = release.targets()
    unknown = [task.instance_id for task in tasks if task.instance_id not in targets]
    if unknown:
        raise BadInput(
            f"oracle setting: the target files of {len(unknown)} tasks are not known (first: {unknown[:10]}); "
            f"choose others with --instances, or add them to {release.provenance_file}"
        )
    return {task.instance_id: tuple(f"/data/{path}" for path in targets[task.instance_id]) for task in tasks}


def build_task(
    release: Release,
    agent: object,
    keys: Sequence[Key],
    options: TaskOptions,
    *,
    with_reference: bool = False,
    extras: Mapping[str, Any] | None = None,
) -> Task:
    """Make the engine's task.

    Args:
        release: where questions and data come from.
        agent: from `choose_agent`.
        keys: the attempts to make, in order.
        options: limits, setting and environment.
        with_reference: whether the agent is given reference programs; only the `reference` agent is.
        extras: further arguments for the engine's `Task`, such as a scorer.

    Raises:
        BadInput: a task or its community is not in the release.
    """
    by_id = {task.instance_id: task for task in release.tasks()}
    tasks = [by_id[instance] for instance in dict.fromkeys(instance for instance, _ in keys)]
    told = agent_tasks(release, tasks, options, with_reference=with_reference)
    configs = {task.instance_id: _sandbox(release, task, agent, options) for task in tasks}
    samples = [_sample(by_id[key[0]], key, told[key[0]], configs[key[0]]) for key in keys]
    return Task(
        dataset=MemoryDataset(samples, name=release.root.name),
        setup=describe({instance: task.prompt for instance, task in told.items()}),
        solver=solve_with(agent, told),
        cleanup=gather_at_cleanup,
        time_limit=math.ceil(options.limits.time_s),
        message_limit=options.message_limit,
        token_limit=options.token_limit,
        fail_on_error=False,
        name="coda",
        **(extras or {}),
    )


def sample_id(key: Key) -> int | str:
    """Return the id of an attempt's sample.

    Epochs beyond the first are samples of their own, because a continued run may need the second epoch of
    one task and the third of another, which the engine's own epochs cannot express.
    """
    instance, epoch = key
    return instance if epoch == 1 else f"{instance}-epoch-{epoch}"


def _sandbox(release: Release, task: BenchmarkTask, agent: object, options: TaskOptions) -> SandboxConfig:
    data = None if options.setting is Setting.NO_DATA else str(release.community_directory(task.release_community))
    readonly: tuple[tuple[Path, str], ...] = getattr(agent, "readonly", ())
    return SandboxConfig(
        data=data,
        environment=options.environment,
        limits=options.limits,
        sandbox=options.sandbox,
        readonly=tuple((str(host), inside) for host, inside in readonly),
    )


def _sample(task: BenchmarkTask, key: Key, told: AgentTask, config: SandboxConfig) -> Sample:
    return Sample(
        input=told.prompt,
        target=task.answer,
        id=sample_id(key),
        metadata={
            "instance_id": key[0],
            "epoch": key[1],
            "community": task.release_community,
            "question": task.question,
            "guideline": task.answer_guidelines,
        },
        sandbox=SandboxEnvironmentSpec("coda_bench", config),
    )


@scorer(metrics=[accuracy(), stderr()])
def execution_accuracy() -> Scorer:
    """Score EA in the engine's own logs; DA needs target files and comes from `coda-bench evaluate`."""

    async def score(state: TaskState, target: Target) -> Score:
        found = await gather(state)
        verdict = judge(found.answer, target.text, state.metadata["guideline"], question=state.metadata["question"])
        return Score(value=verdict.ea, answer=found.answer, explanation=verdict.reason.value)

    return score
