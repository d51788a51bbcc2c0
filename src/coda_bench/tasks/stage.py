"""The tasks stage: notebooks and laid-out communities become examined notebooks, tasks and a funnel, all in files.

Below OUT: `examined/<notebook>.json` (one a notebook; what is there and up to date is not done again), `dropped.jsonl`,
`funnel.json`; in the release: `coda_bench.json`, `coda_bench_hard.json`, `provenance.jsonl`.
"""

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from coda_bench.errors import CodaBenchError
from coda_bench.layout import Release
from coda_bench.records.environment import load_profiles
from coda_bench.records.proof import Examined
from coda_bench.records.storage import read_json, write_atomically
from coda_bench.tasks.examine import Benches, Source, examine, inputs_sha256
from coda_bench.tasks.funnel import FUNNEL, funnel_of
from coda_bench.tasks.make import Caps, Community, Draft, Made, make, to_provenance, to_task

EXAMINED, DROPPED = "examined", "dropped.jsonl"
Say = Callable[[str], None]


def make_tasks(
    sources: Sequence[Source],
    titles: Mapping[str, str],
    release: Path,
    out: Path,
    benches: Benches,
    *,
    caps: Caps | None = None,
    at_once: int = 2,
    say: Say = lambda _: None,
) -> Made:
    """Examine notebooks, make tasks of what is proven, and write them into a release.

    Args:
        sources: notebooks with their communities.
        titles: of notebooks, by name.
        release: holds `communities/<community>/`; the task files are written to it.
        out: where the stage keeps what it found.
        benches: the environments to run in.
        caps: how many tasks a notebook and a data set may give.
        at_once: notebooks, and then reference programs, at a time.
        say: told how far it is.

    Raises:
        BadInput: a community's profile cannot be read.
        SandboxError: this machine cannot run notebooks.
    """
    examined = examine_all(sources, out, benches, at_once=at_once, say=say)
    names = sorted({one.community for one in examined if one.community and one.proofs})
    communities = {name: _community(release, name) for name in names}
    made = make(
        examined,
        communities,
        titles,
        (benches.own, *benches.others),
        caps=caps,
        at_once=at_once,
        progress=lambda done, total: say(f"reference programs {done}/{total}"),
    )
    write_release(made.drafts, release)
    lines = sorted(one.model_dump_json() for one in made.dropped)
    write_atomically(out / DROPPED, "".join(f"{line}\n" for line in lines))
    funnel = funnel_of(examined, made)
    write_atomically(out / FUNNEL, funnel.model_dump_json(indent=2) + "\n")
    return made


def examine_all(
    sources: Sequence[Source], out: Path, benches: Benches, *, at_once: int = 2, say: Say = lambda _: None
) -> list[Examined]:
    """Examine notebooks, some at a time; those that are up to date are read from `out`. In the order of `sources`."""
    found = {one.name: known for one in sources if (known := _known(one, out, benches)) is not None}
    waiting = [one for one in sources if one.name not in found]
    started = time.monotonic()
    with ThreadPoolExecutor(at_once) as pool:
        running = {pool.submit(examine, one, benches): one for one in waiting}
        try:
            for done, future in enumerate(as_completed(running), 1):
                source = running[future]
                found[source.name] = future.result()
                write_atomically(_path(out, source.name), found[source.name].model_dump_json(indent=1) + "\n")
                left_s = (time.monotonic() - started) / done * (len(waiting) - done)
                say(f"notebooks {len(found)}/{len(sources)}, about {left_s:.0f} s left")
        finally:
            pool.shutdown(cancel_futures=True)
    return [found[one.name] for one in sources]


def _path(out: Path, notebook: str) -> Path:
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", notebook).strip("-.")[-80:]
    return out / EXAMINED / f"{readable}-{hashlib.sha256(notebook.encode()).hexdigest()[:8]}.json"


def _known(source: Source, out: Path, benches: Benches) -> Examined | None:
    """Return what came of a notebook before, if nothing that decides it has changed."""
    path = _path(out, source.name)
    if not path.is_file():
        return None
    try:
        known = Examined.from_stored(read_json(path), where=str(path))
    except CodaBenchError:
        return None
    return known if known.inputs_sha256 == inputs_sha256(source, benches) else None


def _community(release: Path, name: str) -> Community:
    folder = release / "communities" / name
    profiles = {one.path: one for one in load_profiles(folder / "profile.jsonl")}
    return Community(name, folder / "full_community", profiles)


def write_release(drafts: Iterable[Draft], release: Path) -> None:
    """Write the task files of a release; ids are places in the order given. No Hard task, no Hard file."""
    numbered = list(enumerate(drafts))
    tasks = [to_task(draft, number).to_row() for number, draft in numbered]
    hard = [to_task(draft, number) for number, draft in enumerate(draft for _, draft in numbered if draft.is_hard)]
    _write_rows(Release(release).task_file, tasks)
    hard_file = Release(release).hard_file
    if hard:
        _write_rows(hard_file, [task.to_row() for task in hard])
    else:
        hard_file.unlink(missing_ok=True)
    lines = [to_provenance(draft, number).model_dump_json() for number, draft in numbered]
    write_atomically(Release(release).provenance_file, "".join(f"{line}\n" for line in lines))


def _write_rows(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    write_atomically(path, json.dumps(rows, ensure_ascii=False, indent=2) + "\n")
