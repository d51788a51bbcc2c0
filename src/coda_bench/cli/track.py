"""`coda-bench track`: any command under the tracker."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from coda_bench.cli.console import errors, guarded, print_json
from coda_bench.errors import BadInput, SandboxFileError
from coda_bench.records.access import FileAccess
from coda_bench.records.run import LIMIT_PRESETS
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import find
from coda_bench.sandbox.tracking.host import track_on_host
from coda_bench.sandbox.tracking.predictions import access_metadata, record_access

_RESULT_FILE = "/workspace/result.txt"
_INSIDE = "/agent"
_SHOWN_FILES = 20


@guarded
def track(
    command: Annotated[list[str], typer.Argument(help="The command and its arguments, after --.", metavar="COMMAND…")],
    data: Annotated[Path, typer.Option(help="Directory whose files are watched; /data in the sandbox.")],
    *,
    into: Annotated[Path | None, typer.Option(help="Predictions file to record files_accessed in.")] = None,
    instance: Annotated[int | None, typer.Option(help="Instance id of the prediction to record it in.")] = None,
    isolated: Annotated[
        bool, typer.Option("--isolated/--no-isolated", help="In the sandbox, or on this machine as it is.")
    ] = True,
    files: Annotated[
        Path | None, typer.Option(help="File or directory that the sandbox shows read-only below /agent.")
    ] = None,
    environment: Annotated[str, typer.Option(help="Analysis environment: current or older.")] = "current",
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON; output goes to errors.")] = False,
) -> None:
    """Run any command and report which files of a directory it opened; the exit code is the command's.

    In the sandbox there is no network and nothing of this machine but the data, at /data, and --files, below /agent.
    With --no-isolated the command has everything it usually has, and only its view of the data is watched.
    """
    _check(data, into, instance, files, isolated=isolated)
    with _output_to_errors(wanted=as_json):
        if isolated:
            code, access, answer = _in_sandbox(command, data, files, environment)
        else:
            code, access = track_on_host(command, data)
            answer = None
    fields = access_metadata(access, isolated=isolated)
    if as_json:
        print_json({"exit_code": code, **fields, "listed": list(access.listed)})
    else:
        _report(access, isolated=isolated)
    if into is not None and instance is not None:
        record_access(into, instance, fields, answer=answer)
    raise typer.Exit(code)


def _check(data: Path, into: Path | None, instance: int | None, files: Path | None, *, isolated: bool) -> None:
    if not data.is_dir():
        raise BadInput(f"{data}: no such directory")
    if (into is None) != (instance is None):
        raise BadInput("--into and --instance belong together: say which line of which file")
    if files is None:
        return
    if not isolated:
        raise BadInput("--files is for the sandbox; with --no-isolated the command sees all files anyway")
    shown, watched = files.resolve(), data.resolve()
    if not shown.exists():
        raise BadInput(f"{files}: no such file or directory")
    if shown.is_relative_to(watched) or watched.is_relative_to(shown):
        raise BadInput(f"{files}: shares files with {data}, which could then be read unseen")


def _in_sandbox(
    command: list[str], data: Path, files: Path | None, environment: str
) -> tuple[int, FileAccess, str | None]:
    readonly = ((files, _INSIDE if files.is_dir() else f"{_INSIDE}/{files.resolve().name}"),) if files else ()
    spec = SandboxSpec(data=data, environment=find(environment), limits=LIMIT_PRESETS["paper"], readonly=readonly)
    with Sandbox.start(spec) as sandbox:
        code = sandbox.attach(command)
        try:
            answer = sandbox.read(_RESULT_FILE).decode(errors="replace").strip()
        except SandboxFileError:
            answer = None
        return code, sandbox.file_access(), answer


@contextmanager
def _output_to_errors(*, wanted: bool) -> Iterator[None]:
    """Send what the command prints to standard error, so that the report alone is on standard output."""
    if not wanted:
        yield
        return
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def _report(access: FileAccess, *, isolated: bool) -> None:
    how = "in the sandbox" if isolated else "on this machine, not isolated"
    errors.print(f"files opened: {len(access.opened)} ({how}, seen by {access.tracker})", markup=False)
    for path in access.opened[:_SHOWN_FILES]:
        errors.print(f"  {path}", markup=False)
    if len(access.opened) > _SHOWN_FILES:
        errors.print(f"  … and {len(access.opened) - _SHOWN_FILES} more; --json lists all", markup=False)
    if not access.complete:
        errors.print("not known completely: events were lost, or the command left processes running", style="yellow")
