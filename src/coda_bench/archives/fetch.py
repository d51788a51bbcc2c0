"""Downloads of a release at a pinned revision: resumed after a cut, and nothing used before its hash is right.

Source of the addresses: the resolve interface of the Hugging Face hub,
`<base>/datasets/<repository>/resolve/<revision>/<path>`; a mirror serves the same files below one address.
"""

import errno
import functools
import hashlib
import json
import shutil
import time
import urllib.parse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from coda_bench.archives.lock import locked
from coda_bench.errors import BadInput, MissingExtra
from coda_bench.records.archive import ArchiveEntry
from coda_bench.records.storage import read_json, write_atomically

if TYPE_CHECKING:
    import httpx

HUB = "https://huggingface.co"
REPOSITORY = "RUC-DataLab/CoDA-Bench"
METADATA = ("coda_bench.json", "coda_bench_hard.json", "archives_manifest.json")
LARGEST_METADATA_BYTES = 256 << 20
ATTEMPTS = 6
LONGEST_PAUSE_S = 60.0
_RESERVE_BYTES = 256 << 20
_TRY_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
_PARTIAL_CONTENT, _RANGE_NOT_SATISFIABLE = 206, 416

Progress = Callable[[int], None]


class _Cut(Exception):
    """The transfer ended early or the server is busy; it may be tried again after a pause."""

    def __init__(self, message: str, pause_s: float | None = None) -> None:
        super().__init__(message)
        self.pause_s = pause_s


class _Goal(NamedTuple):
    """One file to get from one address."""

    url: str
    partial: Path
    most_bytes: int
    progress: Progress
    is_first: bool
    """Whether the address is the first place's: only that one gets the token."""


@dataclass(frozen=True)
class Place:
    """Where a release lies: a revision of a repository on the hub, or the address of a mirror."""

    base: str

    @classmethod
    def on_hub(cls, revision: str, *, repository: str = REPOSITORY, hub: str = HUB) -> "Place":
        """Return a revision of a repository: a tag, or better a commit, which never changes."""
        quoted = urllib.parse.quote(revision, safe="")  # refs/pr/1 is one word to the hub
        return cls(f"{hub.rstrip('/')}/datasets/{repository}/resolve/{quoted}")

    def url(self, path: str) -> str:
        """Return the address of one file."""
        return f"{self.base.rstrip('/')}/{path}"


class Fetcher:
    """Fetches files of one release from the first place that has them.

    Args:
        places: tried in order.
        token: sent as a bearer token to the first place's host only; redirects to others do not get it.
        timeout_s: longest silence of a server.
        pause: waits between attempts; takes seconds.
    """

    def __init__(
        self,
        places: Sequence[Place],
        *,
        token: str | None = None,
        timeout_s: float = 60.0,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        if not places or not all(place.base.startswith(("http://", "https://")) for place in places):
            raise BadInput("an address must begin with http:// or https://")
        self._places = places
        self._token = token
        self._timeout_s = timeout_s
        self._pause = pause

    def fetch_archive(self, entry: ArchiveEntry, root: Path, *, progress: Progress = lambda _: None) -> Path:
        """Download one archive to its place below `root`, unless it is there already and sound.

        Two processes that want the same one wait for each other.

        Raises:
            BadInput: it cannot be had, the disk is too small, or its size or hash is wrong.
            MissingExtra: the HTTP client is not installed.
        """
        target = root / entry.archive_path
        target.parent.mkdir(parents=True, exist_ok=True)
        with locked(target.with_name(f".{target.name}.lock")):
            if not (target.is_file() and target.stat().st_size == entry.size_bytes and _sha256(target) == entry.sha256):
                self._download(entry, target, progress)
        return target

    def _download(self, entry: ArchiveEntry, target: Path, progress: Progress) -> None:
        partial = target.with_name(f".{target.name}.part")
        if partial.is_symlink() or (partial.is_file() and partial.stat().st_size > entry.size_bytes):
            _forget(partial)
        self._check_space(entry, partial)
        self._from_any(entry.archive_path, partial, entry.size_bytes, progress, functools.partial(_check_whole, entry))
        partial.replace(target)
        _forget(partial)

    def fetch_metadata(self, name: str, root: Path) -> Path:
        """Download a small file of the release, replacing an older one in one step."""
        root.mkdir(parents=True, exist_ok=True)
        partial = root / f".{name}.part"
        _forget(partial)
        self._from_any(name, partial, LARGEST_METADATA_BYTES, lambda _: None, lambda _: None)
        partial.replace(root / name)
        _forget(partial)
        return root / name

    @staticmethod
    def _check_space(entry: ArchiveEntry, partial: Path) -> None:
        have = partial.stat().st_size if partial.is_file() else 0
        needed = entry.size_bytes - have + (entry.extracted_bytes or entry.size_bytes) + _RESERVE_BYTES
        free = shutil.disk_usage(partial.parent).free
        if free < needed:
            raise BadInput(
                f"{partial.parent}: {free >> 20} MiB free, {entry.community_id} needs {needed >> 20} MiB"
                " for its archive and its files: make room"
            )

    def _from_any(
        self, path: str, partial: Path, most_bytes: int, progress: Progress, check: Callable[[Path], None]
    ) -> None:
        """Try one place after the other until one has the file, and it is the right one."""
        failures = []
        for place in self._places:
            try:
                is_first = place is self._places[0]
                self._from_place(_Goal(place.url(path), partial, most_bytes, progress, is_first))
                check(partial)
            except BadInput as error:
                failures.append(str(error))
            else:
                return
        raise BadInput("; ".join(failures))

    def _from_place(self, goal: _Goal) -> None:
        """Download from one address, continuing after cuts; what arrived is kept between attempts."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                self._transfer(goal)
            except _Cut as cut:
                if attempt == ATTEMPTS:
                    raise BadInput(f"{goal.url}: {cut} ({ATTEMPTS} attempts); run again to continue") from cut
                self._pause(min(LONGEST_PAUSE_S, cut.pause_s if cut.pause_s is not None else 2.0**attempt))
            except OSError as error:
                if error.errno in {errno.ENOSPC, errno.EDQUOT}:
                    raise BadInput(f"{goal.partial.parent}: the disk is full; make room and run again") from error
                raise
            else:
                return

    def _transfer(self, goal: _Goal) -> None:
        httpx = _httpx()
        have, tag = _state(goal.partial, goal.url)
        headers = {"Accept-Encoding": "identity"}
        if have and tag:
            headers |= {"Range": f"bytes={have}-", "If-Range": tag}
        if self._token and goal.is_first:
            headers["Authorization"] = f"Bearer {self._token}"
        try:
            with httpx.Client(follow_redirects=True, timeout=self._timeout_s) as client:  # noqa: SIM117 two lines read better
                with client.stream("GET", goal.url, headers=headers) as answer:
                    if answer.status_code == _RANGE_NOT_SATISFIABLE and have == goal.most_bytes:
                        return
                    _check_status(answer, goal)
                    _receive(answer, goal, have)
        except httpx.HTTPError as error:
            raise _Cut(f"{type(error).__name__}: {error}") from error


def _check_whole(entry: ArchiveEntry, fetched: Path) -> None:
    """Compare with the manifest; what differs is removed, for it cannot be continued."""
    size, found = fetched.stat().st_size, _sha256(fetched)
    if size != entry.size_bytes or found != entry.sha256:
        _forget(fetched)
        raise BadInput(
            f"{entry.archive_path}: {size} bytes with sha256 {found}; the manifest says {entry.size_bytes} bytes"
            f" with {entry.sha256}. It was removed: fetch again, or from another place"
        )


def _check_status(answer: "httpx.Response", goal: _Goal) -> None:
    status, url = answer.status_code, goal.url
    if status == _RANGE_NOT_SATISFIABLE:
        _forget(goal.partial)
        raise _Cut("the server has less than was fetched before", 0.0)
    if status in _TRY_AGAIN:
        asked = answer.headers.get("Retry-After", "")
        raise _Cut(f"the server answers {status}", float(asked) if asked.isdigit() else None)
    if status in {401, 403}:
        raise BadInput(
            f"{url}: the server answers {status}; set HF_TOKEN, and accept the terms on the hub if it has some"
        )
    if not answer.is_success:
        raise BadInput(f"{url}: the server answers {status}; is the revision right, and does it have this file?")


def _receive(answer: "httpx.Response", goal: _Goal, have: int) -> None:
    """Append the body, or begin anew where the server sends all of it."""
    goes_on = answer.status_code == _PARTIAL_CONTENT
    if goes_on and not answer.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
        _forget(goal.partial)
        raise _Cut("the server continues at another place than asked for", 0.0)
    n_bytes = have if goes_on else 0
    tag = answer.headers.get("ETag", "")
    write_atomically(_note(goal.partial), json.dumps({"url": goal.url, "etag": "" if tag.startswith("W/") else tag}))
    with goal.partial.open("ab" if goes_on else "wb") as out:
        for block in answer.iter_raw():
            n_bytes += len(block)
            if n_bytes > goal.most_bytes:
                raise BadInput(f"{goal.url}: more than the {goal.most_bytes} bytes it should have")
            out.write(block)
            goal.progress(n_bytes)


def _state(partial: Path, url: str) -> tuple[int, str]:
    """Return how much is here, and the tag by which the server knows whether it still fits."""
    note = _note(partial)
    if not (partial.is_file() and note.is_file()):
        return 0, ""
    try:
        known: Any = read_json(note)
    except BadInput:  # nobody's work but a note's: begin anew
        return 0, ""
    same = isinstance(known, dict) and known.get("url") == url
    return (partial.stat().st_size, str(known.get("etag", ""))) if same else (0, "")


def _note(partial: Path) -> Path:
    return partial.with_name(f"{partial.name}.json")


def _forget(partial: Path) -> None:
    partial.unlink(missing_ok=True)
    _note(partial).unlink(missing_ok=True)


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _httpx() -> Any:
    try:
        import httpx  # noqa: PLC0415 optional
    except ImportError:
        raise MissingExtra("downloading needs an HTTP client: pip install 'coda-bench[data]'") from None
    return httpx
