"""A release and run directories written as real files, small or large, for the tests of the report."""

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from coda_bench.cli.scoring import score_run
from coda_bench.layout import Release, file_sha256
from coda_bench.records.access import FileAccess
from coda_bench.records.attempt import Attempt, AttemptStatus, SandboxRecord, Usage
from coda_bench.records.prediction import Prediction
from coda_bench.records.run import RunConfig
from coda_bench.records.targets import DataFile, Provenance, TargetFile
from coda_bench.records.task import Task

SANDBOX = SandboxRecord(
    backend="bubblewrap 0.11.0",
    tracker="overlay_inotify",
    kernel="6.8.0",
    uid_outside=65534,
    environment="current",
    environment_lock="ab" * 32,
    limits={"time_s": 600.0, "memory_mb": 4096.0},
)


class Bench:
    """Writes a release of two communities and runs over it."""

    def __init__(self, root: Path, *, n_tasks: int = 6, files: int = 40) -> None:
        self.root = root
        self.release = root / "toy"
        self.tasks = [self._task(id_) for id_ in range(n_tasks)]
        self.files = {c: [f"set{i % 7}/table{i}.csv" for i in range(files)] for c in ("farms", "trade")}
        self.targets = {
            id_: self.files[t.release_community][id_ % files : id_ % files + 1 + id_ % 2]
            for id_, t in enumerate(self.tasks)
        }

    def _task(self, id_: int) -> Task:
        return Task(
            instance_id=id_,
            question=f"Question {id_}: what is the mean yield of plot {id_}?",
            answer=f"{id_}.5",
            answer_guidelines="A number with one decimal.",
            reference_code="print()",
            dataset="farm",
            notebook="n",
            release_community="farms" if id_ % 2 else "trade",
        )

    def write_release(self, *, hard: Iterable[int] = (1, 2), targets: bool = True, manifest: bool = True) -> Path:
        """Write task files, provenance and manifests; the data itself is not needed."""
        self.release.mkdir(parents=True, exist_ok=True)
        (self.release / "coda_bench.json").write_text(json.dumps([t.to_row() for t in self.tasks]))
        chosen = [self.tasks[id_].to_row() | {"instance_id": n} for n, id_ in enumerate(hard)]
        if chosen:
            (self.release / "coda_bench_hard.json").write_text(json.dumps(chosen))
        if targets:
            self._lines(self.release / "provenance.jsonl", [self._provenance(id_) for id_ in self.targets])
        for community, paths in self.files.items() if manifest else ():
            folder = self.release / "communities" / community
            (folder / "full_community").mkdir(parents=True, exist_ok=True)
            rows = [DataFile(path=p, bytes=10, sha256=sha256(p.encode()).hexdigest()) for p in paths]
            self._lines(folder / "manifest.jsonl", rows)
        return self.release

    def _provenance(self, id_: int) -> Provenance:
        return Provenance(
            instance_id=id_,
            target_files=tuple(TargetFile(path=path) for path in self.targets[id_]),
            effective_lines=12,
            derivation="mean of a column",
            environment_lock="ab" * 32,
        )

    @staticmethod
    def _lines(path: Path, records: Iterable[Any]) -> None:
        path.write_text("".join(record.model_dump_json() + "\n" for record in records))

    def attempt(self, id_: int, **fields: Any) -> Attempt:
        """Return a right attempt that opened exactly its targets, with the given fields changed."""
        usual: dict[str, Any] = {
            "instance_id": id_,
            "agent": "toy",
            "setting": "community",
            "status": AttemptStatus.ANSWERED,
            "answer": self.tasks[id_].answer,
            "file_access": self.access(self.targets[id_]),
            "sandbox": SANDBOX,
            "usage": Usage(cost_usd=0.0),
            "wall_seconds": 2.0,
            "started_at": f"2026-01-01T00:00:{id_ % 60:02}Z",
        }
        return Attempt(**(usual | fields))

    @staticmethod
    def access(opened: Iterable[str], used: Iterable[str] | None = None, *, complete: bool = True) -> FileAccess:
        """Return the file access of an attempt; everything opened was used unless said otherwise."""
        opened = tuple(opened)
        return FileAccess(
            tracker="overlay_inotify", complete=complete, opened=opened, used=opened if used is None else tuple(used)
        )

    def write_run(
        self,
        name: str,
        attempts: Iterable[Attempt],
        *,
        scores: bool = True,
        planned: Iterable[int] | None = None,
        **config: Any,
    ) -> Path:
        """Write a run directory; scores are the scorer's."""
        attempts = list(attempts)
        root = self.root / "runs" / name
        root.mkdir(parents=True)
        instances = tuple(planned if planned is not None else range(len(self.tasks)))
        usual: dict[str, Any] = {
            "release": str(self.release),
            "tasks_sha256": file_sha256(self.release / "coda_bench.json"),
            "data_sha256": None,
            "agent": name,
            "instances": instances,
        }
        (root / "run.json").write_text(RunConfig(**(usual | config)).model_dump_json())
        self._lines(root / "attempts.jsonl", attempts)
        self._lines(root / "predictions.jsonl", [self.prediction(a) for a in attempts if self.leaves_prediction(a)])
        if scores:
            score_run(root, Release.open(self.release))
        return root

    @staticmethod
    def leaves_prediction(attempt: Attempt) -> bool:
        """Whether a run writes the attempt to its predictions file: the machine's failures are missing there."""
        return attempt.epoch == 1 and (bool(attempt.answer) or not attempt.status.is_machine_failure)

    @staticmethod
    def prediction(attempt: Attempt) -> Prediction:
        """Return the line of the predictions file that an attempt leaves behind."""
        access = attempt.file_access
        metadata = (
            {}
            if access is None
            else {
                "files_accessed": list(access.opened),
                "files_used": list(access.used),
                "file_access_complete": access.complete,
            }
        )
        return Prediction.model_validate(
            {"instance_id": attempt.instance_id, "prediction": attempt.answer, "metadata": metadata}
        )


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A workbench with six tasks."""
    return Bench(tmp_path)


class Page(HTMLParser):
    """A parsed page: its elements in order, with attributes and the text inside them."""

    VOID = frozenset({"br", "col", "hr", "img", "meta"})

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[dict[str, Any]] = []
        self._open: list[dict[str, Any]] = []
        self.feed(html)
        self.close()
        assert not self._open, f"never closed: {[e['tag'] for e in self._open]}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element and, unless it is void, expect its end."""
        found = {"tag": tag, "text": "", **dict(attrs)}
        self.elements.append(found)
        if tag not in self.VOID:
            self._open.append(found)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element of SVG that is closed at once."""
        self.elements.append({"tag": tag, "text": "", **dict(attrs)})

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost element, which must be this one."""
        assert self._open.pop()["tag"] == tag

    def handle_data(self, data: str) -> None:
        """Add text to every element it stands in."""
        for element in self._open:
            element["text"] += data

    def all(self, tag: str, **attributes: str) -> list[dict[str, Any]]:
        """Return the elements with a tag and attributes; `class_` must be among the classes."""
        return [e for e in self.elements if e["tag"] == tag and self._matches(e, attributes)]

    @staticmethod
    def _matches(element: Mapping[str, Any], attributes: Mapping[str, str]) -> bool:
        classes = (element.get("class") or "").split()
        return all(v in classes if k == "class_" else element.get(k) == v for k, v in attributes.items())

    def text(self, id_: str) -> str:
        """Return the text of the element with an id."""
        return next(e["text"] for e in self.elements if e.get("id") == id_)


@pytest.fixture(scope="session")
def parse() -> type[Page]:
    """Return the parser of pages, which fails on elements that are not closed in order."""
    return Page
