"""The community that the cases read, and the running of a case in a real sandbox."""

import shlex
import shutil
import subprocess
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from coda_bench.records.access import TrackerKind
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import AnalysisEnvironment
from tracker.cases import KINDS, LOOKS, READS, ROWS, WRITE_KINDS, Case

HERE = Path(__file__).parent
TRACKERS = (TrackerKind.OVERLAY_INOTIFY, TrackerKind.SECCOMP_NOTIFY)


class Outcome(StrEnum):
    """What came of a case."""

    SEEN = "seen"
    REFUSED = "refused"
    NOT_COUNTED = "not counted"
    MISSED = "MISSED"
    TOO_MUCH = "COUNTED"
    FAILED = "FAILED"


class Found(NamedTuple):
    """One case, run."""

    outcome: Outcome
    opened: tuple[str, ...]
    detail: str


def folder_of(case: Case) -> str:
    """Return the name of a case's own folder."""
    group = "look" if case in LOOKS else case.argv[0].rpartition("/")[2]
    return "".join(letter if letter.isalnum() else "-" for letter in f"{group}-{case.name}")


def compile_reads(target: Path) -> bool:
    """Build the static C program; returns whether this machine can."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return False
    line = [compiler, "-static", "-O1", "-w", "-o", str(target), str(HERE / "reads.c")]
    return subprocess.run(line, capture_output=True, check=False).returncode == 0


def make_community(root: Path, environment: AnalysisEnvironment) -> None:
    """Write a folder for each case: a file of its kind, and a decoy."""
    with Sandbox.start(SandboxSpec(data=None, environment=environment)) as writer:
        result = writer.execute(["python3", "-c", WRITE_KINDS], timeout_s=120)
        assert result.exit_code == 0, result.stderr.decode()
        names = {"xlsx": "book.xlsx", "npy": "array.npy"}
        content = {kind: writer.read(f"/workspace/{names.get(kind, kind)}") for kind in KINDS}
    for case in (*READS, *LOOKS):
        folder = root / folder_of(case)
        folder.mkdir(parents=True)
        (folder / f"used.{case.kind}").write_bytes(content[case.kind])
        (folder / "decoy.csv").write_text(ROWS)


def start(root: Path, environment: AnalysisEnvironment, tracker: TrackerKind, program: Path | None) -> Sandbox:
    """Start a sandbox on the community, with the C program if there is one."""
    readonly = ((program, "/cases/reads"),) if program else ()
    return Sandbox.start(SandboxSpec(data=root, environment=environment, tracker=tracker, readonly=readonly))


def run(case: Case, sandbox: Sandbox) -> Found:
    """Run one case and judge what the tracker saw: the file, the whole file and nothing but the file."""
    folder = folder_of(case)
    path = f"{folder}/used.{case.kind}"
    argv = [_filled(word, f"/data/{path}", f"/data/{folder}") for word in case.argv]
    result = sandbox.execute(argv, timeout_s=120)
    access = result.access
    assert access is not None
    said = result.stderr.decode(errors="replace").strip().rpartition("\n")[2]
    return Found(_judge(case, path, access.opened, succeeded=result.exit_code == 0), access.opened, said)


def _filled(word: str, path: str, folder: str) -> str:
    if word == "F":
        return path
    separators = "'\" /(){}=:<>;,\n&|"
    marked = f" {word} "
    for name, value in (("F", path), ("D", folder)):
        for before in separators:
            for after in separators:
                marked = marked.replace(f"{before}{name}{after}", f"{before}{value}{after}")
    return marked[1:-1].replace("file:F?", f"file:{path}?")


def _judge(case: Case, path: str, opened: tuple[str, ...], *, succeeded: bool) -> Outcome:
    if case in LOOKS:
        return Outcome.TOO_MUCH if opened else Outcome.NOT_COUNTED if succeeded else Outcome.FAILED
    if opened == (path,) and succeeded:
        return Outcome.SEEN
    if not succeeded:
        return Outcome.REFUSED if case.may_be_refused and not opened else Outcome.FAILED
    return Outcome.TOO_MUCH if path in opened else Outcome.MISSED


def quoted(case: Case) -> str:
    """Return a case's command on one line."""
    return shlex.join(case.argv).replace("\n", "; ")
