"""Settings of each run, and the machine's weaknesses that bear on the results."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from coda_bench.analyse.evidence import FinishedRun
from coda_bench.markup import Child, Markup, element, quoted, table
from coda_bench.records.attempt import SandboxRecord

LONG = 60
"""Characters above which a value gets a wide column."""
_SECRET = re.compile(r"key$|secret|passw|auth|credential|cookie|(^|[_-])token$", re.IGNORECASE)


def settings_section(runs: Sequence[FinishedRun]) -> Markup:
    """Return the settings that all runs share, those in which they differ, and the notes of their sandboxes."""
    by_run = {run.label: _settings(run) for run in runs}
    names = list(dict.fromkeys(name for settings in by_run.values() for name in settings))
    shared = [name for name in names if len({settings.get(name) for settings in by_run.values()}) == 1]
    different = [name for name in names if name not in shared]
    first = by_run[runs[0].label]
    return element(
        "section",
        element("h2", "Settings"),
        element("h3", "Shared by all runs" if len(runs) > 1 else "Of the run"),
        table(
            ["Setting", "Value"],
            [[name, _value(first.get(name))] for name in shared],
            label="Shared settings",
            class_="settings",
        ),
        _differences(by_run, different) if different else None,
        _notes(runs),
        id="settings",
    )


def _differences(by_run: Mapping[str, Mapping[str, str]], names: Sequence[str]) -> list[Markup]:
    rows = [[quoted(label, 60), *[_value(settings.get(name)) for name in names]] for label, settings in by_run.items()]
    return [
        element("h3", "Where they differ"),
        table(["Agent", *names], rows, label="Settings that differ", class_="settings"),
    ]


def _value(value: str | None) -> Child:
    return element("td", quoted(value, 300) if value else "·", class_="long" if len(value or "") > LONG else None)


def _settings(run: FinishedRun) -> dict[str, str]:
    config, limits = run.config, run.config.limits
    times = sorted(attempt.started_at for attempt in run.attempts if attempt.started_at)
    return {
        "run directory": run.directory,
        "agent": config.agent,
        "agent arguments": _pairs(config.agent_args),
        "model": config.model or "none",
        "model arguments": _pairs(config.model_args),
        "setting": config.setting.value,
        "tasks": f"{len(config.instances):,}",
        "epochs": str(config.epochs),
        "seed": str(config.seed),
        "time limit": f"{limits.time_s:g} s",
        "memory limit": f"{limits.memory_mb:,} MB",
        "CPUs": str(limits.cpus),
        "process limit": str(limits.processes),
        "disk limit": f"{limits.disk_mb:,} MB",
        "output limit": f"{limits.output_kb:,} kB a stream",
        "message limit": str(config.message_limit or "none"),
        "token limit": str(config.token_limit or "none"),
        **_sandboxes(run),
        "analysis environment": f"{config.environment}, lock {config.environment_lock or 'not recorded'}",
        "task file sha256": config.tasks_sha256,
        "data sha256": config.data_sha256 or "no manifest",
        "versions": _pairs(config.versions),
        "access source": (run.scores.access_source if run.scores else None) or "not recorded",
        "first attempt": times[0] if times else "none",
    }


def _sandboxes(run: FinishedRun) -> dict[str, str]:
    records = [attempt.sandbox for attempt in run.attempts if attempt.sandbox]
    return {
        "sandbox": _counted([record.backend for record in records]),
        "tracker": _counted([record.tracker for record in records]),
        "kernel": _counted([record.kernel for record in records]),
        "user outside": _counted([str(record.uid_outside) for record in records]),
        "limits as enforced": _counted([_enforced(record) for record in records]),
    }


def _enforced(record: SandboxRecord) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in record.limits.items())


def _counted(values: Sequence[str]) -> str:
    """Return the one value, or each with its number of attempts when they are mixed."""
    counts = Counter(values)
    if len(counts) == 1:
        return values[0]
    return "; ".join(f"{value} ({n:,} attempts)" for value, n in sorted(counts.items())) or "not recorded"


def _pairs(values: Mapping[str, object]) -> str:
    return ", ".join(f"{key} {_without_secrets(key, value)}" for key, value in sorted(values.items())) or "none"


def _without_secrets(name: str, value: object) -> str:
    """Return a setting's value, hidden where its name says that it opens a door."""
    if _SECRET.search(name):
        return "(hidden)"
    return f"({_pairs(value)})" if isinstance(value, Mapping) else str(value)


def _notes(runs: Sequence[FinishedRun]) -> Markup:
    notes = Counter(note for run in runs for a in run.attempts if a.sandbox for note in a.sandbox.notes)
    without = sum(attempt.sandbox is None for run in runs for attempt in run.attempts)
    items = [element("li", quoted(note, 400), f" ({n:,} attempts)") for note, n in sorted(notes.items())]
    if without:
        items.append(element("li", f"{without:,} attempts left no record of their sandbox."))
    body = element("ul", items) if items else element("p", "The sandboxes reported no weakness of the machine.")
    return element("div", element("h3", "Notes of the sandboxes"), body)
