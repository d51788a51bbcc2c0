"""`coda-bench environment`: the numbers of communities: files, formats, SNR, copies, look-alikes, noise."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from coda_bench.cli.console import EXIT_FINDINGS, console, errors, guarded, print_json, visible
from coda_bench.construct.environment.lay_out import Done, profile_in_place, remeasure, store_profiles
from coda_bench.construct.environment.lay_out import Progress as Report
from coda_bench.construct.environment.measures.measure import Tasks, measure
from coda_bench.construct.environment.profiling.limits import Limits
from coda_bench.construct.environment.spread import OnRay, Order, others
from coda_bench.errors import BadInput
from coda_bench.layout import Release
from coda_bench.records.environment import (
    Environment,
    FileProfile,
    LayoutFinding,
    Similarity,
    load_layout_findings,
    load_profiles,
)
from coda_bench.records.targets import load_targets

_MIB = 1 << 20


class _Place(NamedTuple):
    """Where a community lies."""

    name: str
    files: Path
    """`full_community/`, or the folder itself where there is none."""
    records: Path
    """Where its profiles lie, or would."""


@guarded
def environment(
    folder: Annotated[Path, typer.Argument(help="Release, community, or any folder of data sets.")],
    *,
    community: Annotated[list[str] | None, typer.Option("--community", help="Only this one; may be repeated.")] = None,
    targets: Annotated[
        Path | None, typer.Option(help="Targets file; by default the release's provenance.jsonl.")
    ] = None,
    embed: Annotated[
        bool, typer.Option("--embed", help="Compare files by a small embedding model too (extra `embed`).")
    ] = False,
    save: Annotated[
        bool, typer.Option("--save", help="Store profiles and numbers beside full_community/, for the next time.")
    ] = False,
    ray: Annotated[
        str | None, typer.Option(help="Profile on a Ray cluster, a community a machine; implies --save.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes that profile; one a processor.")] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="Time for one small file; larger ones have more.")] = 120.0,
    json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Show what communities hold: files, formats, SNR, copies, look-alikes, how close the noise is to the targets.

    Files without a stored profile are profiled first. All communities are read, also for one: the others are what
    its noise is compared with. docs/guide/environments.md says what each number is.

    Exit codes: 0 shown; 1 shown, and a file or a community could not be read; 2 nothing to show.
    """
    places = _places(folder)
    limits = Limits(seconds=seconds)
    failed: dict[str, str] = {}
    if ray:
        failed = _on_ray(ray, [one for one in places if not _stored(one)], limits, workers)
        places = [one for one in places if one.name not in failed]
    known = {one.name: _profiles(one, limits, workers, save=save) for one in places}
    tasks = _tasks(folder, targets)
    wanted = [one for one in places if not community or one.name in community]
    if not wanted:
        raise BadInput(f"{folder}: no community {', '.join(community or failed)} here that could be read")
    found = [_measured(one, known, tasks, embed=embed, save=save) for one in wanted]
    if json:
        print_json([one.model_dump(mode="json", by_alias=True) for one in found])
    else:
        _show(found)
    for name, reason in failed.items():
        errors.print(Text(visible(f"{name}: {reason}")))
    unread = [one for _, findings in known.values() for one in findings if one.severity == "error"]
    if failed or unread:
        raise typer.Exit(EXIT_FINDINGS)


def _places(folder: Path) -> list[_Place]:
    """Find the communities below a folder, whatever it is."""
    if not folder.is_dir():
        raise BadInput(f"{folder}: no such folder")
    if (folder / "full_community").is_dir():
        return [_Place(folder.resolve().name, folder / "full_community", folder)]
    for name in ("communities", "data", "."):
        below = sorted(one.parent for one in (folder / name).glob("*/full_community") if one.is_dir())
        if below:
            return [_Place(one.name, one / "full_community", one) for one in below if not one.name.startswith(".")]
    return [_Place(folder.resolve().name, folder, folder)]


def _stored(place: _Place) -> bool:
    return place.records != place.files and (place.records / "profile.jsonl").is_file()


def _profiles(
    place: _Place, limits: Limits, workers: int | None, *, save: bool
) -> tuple[Sequence[FileProfile], Sequence[LayoutFinding]]:
    if _stored(place):
        stored = place.records / "findings.jsonl"
        findings = list(load_layout_findings(stored)) if stored.is_file() else []
        return load_profiles(place.records / "profile.jsonl"), findings
    with progress_bar(place.name) as report:
        profiles, findings = profile_in_place(place.files, limits=limits, n_workers=workers, progress=report)
    if save:
        _check_saveable(place)
        store_profiles(place.records, profiles, findings)
    return profiles, findings


def _check_saveable(place: _Place) -> None:
    if place.records == place.files:
        raise BadInput(f"{place.files}: no full_community/ here, so no place beside it to save in; leave out --save")


@contextmanager
def progress_bar(name: str) -> Iterator[Report]:
    """Show on standard error how far a community is, with an estimate."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[files]}"), DownloadColumn())
    with Progress(
        *columns, TimeRemainingColumn(), console=errors, transient=True, disable=not errors.is_terminal
    ) as bar:
        task = bar.add_task(f"profile {visible(name)}", files="", total=None)

        def report(done: Done) -> None:
            files = f"{done.n_files:,}/{done.n_files_all:,} files"
            bar.update(task, completed=done.n_bytes, total=done.n_bytes_all, files=files)

        yield report


def _on_ray(address: str, places: Sequence[_Place], limits: Limits, workers: int | None) -> dict[str, str]:
    for place in places:
        _check_saveable(place)
    orders = [Order(one.name, {"": one.files.resolve()}, one.records.resolve(), limits, workers) for one in places]
    results = list(OnRay(address).carry_out(profile_and_store, orders)) if orders else []
    return {one.community: one.error for one in results if one.error is not None}


def profile_and_store(order: Order) -> None:
    """Profile one community where it lies and store what was found; runs on a cluster's machine."""
    (files,) = order.members.values()
    profiles, findings = profile_in_place(files, limits=order.limits, n_workers=order.n_workers)
    store_profiles(order.out, profiles, findings)


def _tasks(folder: Path, targets: Path | None) -> dict[str, Tasks]:
    """Return targets and golds by community, as far as the folder is a release or a targets file was named."""
    release = Release(folder)
    if not release.task_file.is_file():
        known = load_targets(targets) if targets else {}
        return {"": Tasks(targets=known)} if known else {}
    known = load_targets(targets) if targets else release.targets()
    found: dict[str, Tasks] = {}
    for task in release.tasks():
        ours = found.setdefault(task.release_community, Tasks({}, {}))
        found[task.release_community] = Tasks(
            {**ours.targets, **({task.instance_id: known[task.instance_id]} if task.instance_id in known else {})},
            {**ours.answers, task.instance_id: task.answer},
        )
    return found


def _measured(
    place: _Place,
    known: Mapping[str, tuple[Sequence[FileProfile], Sequence[LayoutFinding]]],
    tasks: Mapping[str, Tasks],
    *,
    embed: bool,
    save: bool,
) -> Environment:
    background = others({name: profiles for name, (profiles, _) in known.items()}, place.name)
    ours = tasks.get(place.name) or tasks.get("")
    if save and _stored(place):
        return remeasure(place.records, tasks=ours, background=background, embed=embed)
    profiles, findings = known[place.name]
    return measure(
        place.name,
        profiles,
        findings,
        tasks=ours or Tasks(),
        background=background,
        directory=place.files,
        embed=embed,
    )


def _show(found: Sequence[Environment]) -> None:
    console.print(_overview(found))
    for one in found if len(found) == 1 else ():
        for title, rows in _details(one).items():
            if rows:
                console.print(_table(title, rows))
    for one in found:
        for reason in one.unmeasured:
            errors.print(Text(visible(f"{one.community}: {reason}")))


def _overview(found: Sequence[Environment]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    names = "community|sets|files|MiB|SNR|copies|alike|AUC lex|AUC emb|problems"
    for place, name in enumerate(names.split("|")):
        table.add_column(name, justify="right" if place else "left", overflow="fold", no_wrap=place > 0)
    for one in found:
        table.add_row(*(Text(visible(cell)) for cell in _row(one)))
    return table


def _row(one: Environment) -> list[str]:
    look_alikes = "-" if one.look_alikes.share is None else f"{one.look_alikes.share:.3f}"
    return [
        one.community,
        f"{one.n_datasets:,}",
        f"{one.n_files:,}",
        f"{one.n_bytes / _MIB:,.1f}",
        "-" if one.signal.snr is None else f"{one.signal.snr:.4f}",
        f"{sum(len(copies.paths) for copies in one.copies):,}",
        look_alikes,
        _auc(one.similarities, "lexical"),
        _auc(one.similarities, "embedding"),
        f"{sum(one.problems.values()):,}",
    ]


def _auc(similarities: Sequence[Similarity], method: str) -> str:
    return next((f"{one.auc:.3f}" for one in similarities if one.method == method and one.scope == "all"), "-")


def _details(one: Environment) -> dict[str, list[tuple[str, str]]]:
    targets = [("found here", str(one.signal.n_targets))] if one.signal.n_tasks else []
    return {
        "targets": targets,
        "format": [(name, f"{n.files:,} files, {n.bytes / _MIB:,.1f} MiB") for name, n in one.formats.items()],
        "problem": [(name, f"{n:,} files") for name, n in one.problems.items()],
        "finding": [(name, f"{n:,}") for name, n in one.findings.items()],
        "same bytes": [(copies.paths[0], f"{len(copies.paths)} files") for copies in one.copies[:5]],
        "same header": [(header.paths[0], f"{len(header.paths)} files") for header in one.headers[:5]],
        "look-alike of a target": [(path, "") for path in one.look_alikes.examples],
        "noise": [(f"{s.method}, {s.scope}", _compared(s)) for s in one.similarities],
        "metadata": [(told.where, told.message) for told in one.metadata_findings],
        "target that is not here": [(path, "") for path in one.signal.missing_targets],
    }


def _compared(one: Similarity) -> str:
    means = f"mean similarity {one.mean_distractors:.3f}, of random files {one.mean_random:.3f}"
    return f"AUC {one.auc:.3f} against {one.anchors}; {means}"


def _table(title: str, rows: Sequence[tuple[str, str]]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(title, overflow="fold")
    table.add_column("")
    for name, value in rows:
        table.add_row(Text(visible(name)), Text(visible(value)))
    return table
