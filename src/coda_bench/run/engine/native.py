"""The task as Inspect's own command line runs it: `inspect eval coda_bench/coda -T release=DIR -T agent=NAME`."""

from inspect_ai import Task, task

from coda_bench.errors import BadInput
from coda_bench.layout import Release
from coda_bench.records.run import LIMIT_PRESETS, Setting
from coda_bench.run.agents.choose import choose_agent
from coda_bench.run.agents.reference import Reference
from coda_bench.run.engine.task import TaskOptions, build_task, execution_accuracy
from coda_bench.run.plan import parse_instances


@task
def coda(
    release: str,
    agent: str = "react",
    *,
    agent_args: str = "",
    setting: str = "community",
    instances: str = "",
    preset: str = "paper",
    time_limit: float | None = None,
    environment: str = "current",
) -> Task:
    """Make the task; logs, limits, models and retries are then Inspect's own business.

    Args:
        release: the release directory.
        agent: a built-in name or `package.module:Class`.
        agent_args: its arguments, `name=value` separated by commas.
        setting: `community`, `oracle` or `no-data`.
        instances: ids and ranges, such as `1,2,5-9`; default: all.
        preset: limits, `paper` or `release`.
        time_limit: wall clock of an attempt in seconds.
        environment: generation of the analysis environment.
    """
    if preset not in LIMIT_PRESETS:
        raise BadInput(f"preset {preset!r}: choose one of {', '.join(LIMIT_PRESETS)}")
    limits = LIMIT_PRESETS[preset].model_copy(update={"time_s": time_limit} if time_limit else {})
    opened = Release.open(release)
    chosen = choose_agent(agent, dict(part.split("=", 1) for part in agent_args.split(",") if "=" in part))
    # Inspect reads `-T instances=1,2` as a list.
    text = ",".join(map(str, instances)) if isinstance(instances, list | tuple) else str(instances)
    wanted = parse_instances(text) if text else tuple(row.instance_id for row in opened.tasks())
    return build_task(
        opened,
        chosen,
        [(instance, 1) for instance in wanted],
        TaskOptions(setting=Setting(setting), limits=limits, environment=environment),
        with_reference=isinstance(chosen, Reference),
        extras={"scorer": execution_accuracy()},
    )
