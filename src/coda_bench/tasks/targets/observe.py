"""Observe: run a reference program over its community and see which files it opens.

Every path that the program names leads, inside the sandbox, to the file that it was resolved to: where the release has
other directories than the program was written for, links stand in their places.
"""

import posixpath
import shlex
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from coda_bench.layout import counts_for_discovery
from coda_bench.records.targets import DataFile, ResolvedTargets, TargetFile, TargetStatus
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import AnalysisEnvironment
from coda_bench.tasks.targets.reads import reads_of
from coda_bench.tasks.targets.resolve import Spellings

PROGRAM = "/workspace/reference.py"
_OURS = frozenset({"data", "proc", "workspace", "tmp", "opt", "usr", "dev", "etc", "bin", "lib", "lib64", "sbin"})


def observe(
    resolved: ResolvedTargets,
    source: str,
    data: Path,
    manifest: Sequence[DataFile],
    environment: AnalysisEnvironment,
    *,
    limit_s: float = 120.0,
) -> ResolvedTargets:
    """Run a program and compare what it opens with what its text says.

    A program that fails has opened what it opened until then; it is taken to agree when its text names nothing else.

    Args:
        resolved: what the text says.
        source: the program.
        data: the community's `full_community`.
        manifest: its files.
        environment: to run in.
        limit_s: seconds that the program may take.

    Raises:
        SandboxError: this machine cannot run it.
    """
    places = dict(_places(source, manifest))
    absolute = {path: target for path, target in places.items() if path.startswith("/")}
    with tempfile.TemporaryDirectory(prefix="coda-bench-links-") as name:
        shown = tuple(_linked(absolute, Path(name)))
        spec = SandboxSpec(data=data, environment=environment, readonly=shown)
        with Sandbox.start(spec) as sandbox:
            sandbox.write(PROGRAM, source.encode())
            script = _links({path: target for path, target in places.items() if path not in absolute})
            sandbox.execute(["/bin/sh", "-c", script], counted=False)
            done = sandbox.execute(["python3", PROGRAM], cwd="/workspace/here/below", timeout_s=limit_s)
    if done.access is None or not done.access.complete:
        return resolved.model_copy(update={"why": f"{resolved.why}; not watched".lstrip("; ")})
    opened = {path for path in done.access.opened if counts_for_discovery(path)}
    ended = "" if done.exit_code == 0 else f"; it ended by {done.ended_by} with exit code {done.exit_code}"
    return _compared(resolved, opened, manifest, ended)


def _compared(resolved: ResolvedTargets, opened: set[str], manifest: Sequence[DataFile], ended: str) -> ResolvedTargets:
    named = {target.path for target in resolved.target_files}
    if opened == named and named:
        return resolved.model_copy(update={"status": TargetStatus.SEEN, "why": f"{resolved.why}{ended}".lstrip("; ")})
    if ended:
        why = f"{resolved.why}{ended}, having opened {len(opened & named)} of its {len(named)} files".lstrip("; ")
        return resolved.model_copy(update={"why": why})
    known = {file.path: file for file in manifest}
    files = [known[path] for path in sorted(opened) if path in known]
    targets = tuple(TargetFile(path=file.path, sha256=file.sha256, bytes=file.bytes) for file in files)
    if not targets:
        return resolved.model_copy(update={"why": f"{resolved.why}; run, it opened no file".lstrip("; ")})
    status = TargetStatus.DISAGREES if named else TargetStatus.SEEN
    why = f"its text names {', '.join(sorted(named)) or 'no file'}"
    return resolved.model_copy(update={"target_files": targets, "status": status, "why": why})


def _places(source: str, manifest: Sequence[DataFile]) -> Iterator[tuple[str, str]]:
    """Yield each path that a program names with the path inside of the file that it means."""
    spellings = Spellings(manifest)
    reads = reads_of(source)
    for read in reads.found:
        file = spellings.file_of(read)
        if file is not None:
            yield read.text, f"/data/{file.path}"
    for pattern in reads.patterns:
        for file in spellings.matching(pattern):
            yield posixpath.join(posixpath.dirname(pattern.text), posixpath.basename(file.path)), f"/data/{file.path}"


def _linked(places: Mapping[str, str], folder: Path) -> Iterator[tuple[Path, str]]:
    """Make host folders of links for absolute paths; yield each with where it is shown."""
    for path, target in places.items():
        parts = [part for part in path.split("/") if part not in {"", ".", ".."}]
        if len(parts) > 1 and parts[0] not in _OURS:
            link = folder.joinpath(*parts)
            link.parent.mkdir(parents=True, exist_ok=True)
            if not link.is_symlink():
                link.symlink_to(target)
    yield from ((one, f"/{one.name}") for one in sorted(folder.iterdir()))


def _links(places: Mapping[str, str]) -> str:
    """Return a script that makes links for relative paths, as seen from two folders below `/workspace`."""
    lines = ["mkdir -p /workspace/here/below && cd /workspace/here/below || exit 1"]
    for path, target in places.items():
        folder = posixpath.dirname(path)
        lines += [f"mkdir -p -- {shlex.quote(folder)}"] if folder else []
        lines.append(f"[ -e {shlex.quote(path)} ] || ln -s -- {shlex.quote(target)} {shlex.quote(path)}")
    return "\n".join(lines)
