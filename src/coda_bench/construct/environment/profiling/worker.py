"""A process that profiles files one after the other: a line of JSON in, a line of JSON out.

It reads untrusted files, so it holds limits on its memory, its files and its time, speaks JSON and not pickles, and
is thrown away when it fails. Started as `python -m coda_bench.construct.environment.profiling.worker`.
"""

import json
import os
import resource
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

from coda_bench.construct.environment.profiling.limits import Limits
from coda_bench.construct.environment.profiling.profile import Means, profile_file, unread
from coda_bench.construct.environment.profiling.reading import Unreadable

_SLACK_SECONDS = 30.0
"""The parent kills a late worker; this one ends by itself when the parent is gone."""


def main() -> None:
    """Answer requests until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    quiet = os.open(os.devnull, os.O_RDWR)
    for handle in (1, 2):
        os.dup2(quiet, handle)  # nothing that a library prints may get between the answers
    for line in sys.stdin:
        answers.write(json.dumps(answer(json.loads(line)), ensure_ascii=True) + "\n")
        answers.flush()


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Profile one file; return its profile, or why it cannot even be hashed."""
    limits = Limits.model_validate(request["limits"])
    path, name = Path(request["path"]), str(request["name"])
    scratch = Path(request["scratch"])
    temp = scratch / "file"
    shutil.rmtree(temp, ignore_errors=True)
    temp.mkdir(parents=True)
    _bound(limits, float(request["seconds"]))
    try:
        if request.get("unread"):
            kind, message = request["unread"]
            profile = unread(path, name=name, kind=kind, message=message)
        else:
            means = Means(limits, temp, scratch, int(request["threads"]))
            profile = profile_file(path, name=name, means=means)
    except (OSError, Unreadable) as error:
        return {"error": getattr(error, "strerror", None) or str(error)}
    except Exception as error:  # noqa: BLE001 a file can make a library raise anything; the file is named, the run goes on
        return {"failed": f"{type(error).__name__}: {error}"[:300]}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        shutil.rmtree(temp, ignore_errors=True)
    return {"profile": profile.model_dump(mode="json", by_alias=True)}


def _bound(limits: Limits, seconds: float) -> None:
    for kind, most in (
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_FSIZE, limits.unpacked_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        bounded = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (bounded, hard))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, seconds + _SLACK_SECONDS)


if __name__ == "__main__":
    main()
