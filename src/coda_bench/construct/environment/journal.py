"""What an interrupted run has profiled: read back, so that no file is read twice."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from coda_bench.construct.environment.profiling.limits import Limits
from coda_bench.construct.environment.walk import SourceFile
from coda_bench.errors import BadInput
from coda_bench.records.environment import FileProfile

_UNSURE = {"too_slow", "crashed", "out_of_memory"}
"""Problems that may come of a busy machine: such a file is read again."""


class Journal:
    """One line a profiled file, with the state of the file when it was read."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self._path = path
        self._limits = limits.model_dump_json()

    def known(self, sources: Iterable[SourceFile]) -> dict[str, FileProfile]:
        """Return the profiles of files that were not written since; a torn last line is skipped."""
        wanted = {source.name: source for source in sources}
        found: dict[str, FileProfile] = {}
        if not self._path.is_file():
            return found
        for line in self._path.read_bytes().splitlines():
            try:
                row = json.loads(line)
                profile = FileProfile.from_stored(row["profile"], where=str(self._path))
                source = wanted.get(profile.path)
                is_same = source is not None and row["key"] == self._key(source)
            except (ValueError, KeyError, TypeError, BadInput):
                continue
            if is_same and not _UNSURE & {one.kind for one in profile.problems}:
                found[profile.path] = profile
        return found

    @contextmanager
    def writing(self) -> Iterator[Callable[[SourceFile, FileProfile], None]]:
        """Open the journal; yield what adds a profile to it."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write("\n")  # ends a line that a kill tore

            def add(source: SourceFile, profile: FileProfile) -> None:
                row = {"key": self._key(source), "profile": profile.model_dump(mode="json", by_alias=True)}
                stream.write(json.dumps(row) + "\n")
                stream.flush()

            yield add

    def _key(self, source: SourceFile) -> list[str]:
        return [str(source.path), json.dumps(source.state), self._limits]
