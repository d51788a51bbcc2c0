"""Discovery accuracy: which files an attempt opened and used, against the files its answer follows from.

Three rules stand beside each other (paper section 3 gives a formula and a sentence that differ):
`da_solution` used = targets (the formula), `da_superset` targets among the opened (the sentence, and
the protocol document's rule), `da_touched` opened = targets.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from coda_bench.layout import community_path, comparison_key, counts_for_discovery
from coda_bench.records.prediction import Prediction

ContentClasses = Mapping[str, str]
"""Community path, or its comparison key, to the sha256 of the file."""


_DATA = "data/"


class Discovery(NamedTuple):
    """The verdicts on one task."""

    solution: bool
    superset: bool
    touched: bool
    precision: float
    recall: float
    unmapped: tuple[str, ...] = ()


NOTHING_OPENED = Discovery(solution=False, superset=False, touched=False, precision=0.0, recall=0.0)
"""What a missing prediction scores."""


class _Place(NamedTuple):
    """A reported path within its community."""

    path: str
    key: str
    """What it shares with its other spellings."""
    counts: bool


# A run names the same few thousand files over and over.
@lru_cache(maxsize=1 << 18)
def _place(raw: str, community: str) -> _Place | None:
    path = community_path(raw, community=community)
    is_directory = raw.rstrip().endswith("/")
    return _Place(path, comparison_key(path), counts_for_discovery(path) and not is_directory) if path else None


class TargetSet:
    """The targets of one task, in the terms in which opened files are compared with them."""

    def __init__(self, paths: Iterable[str], community: str, classes: ContentClasses | None = None) -> None:
        """Map the paths as written into the community; those that fall outside make the set unusable."""
        self._community = community
        self._classes = classes or {}
        places = [_place(path, community) for path in paths]
        counting = [place for place in places if place and place.counts]
        self._paths = {place.path for place in counting}
        self._by_key: dict[str, set[str]] = {}
        for place in counting:
            self._by_key.setdefault(place.key, set()).add(place.path)
        self._targets = {self._identity(place) for place in counting}
        self.is_usable = bool(counting) and None not in places

    def _identity(self, place: _Place) -> str:
        """Return what two names of one file, or two copies of it, share.

        The content hash where a manifest gives it; else the target that the path spells, exactly or, when
        only one target can be meant, up to the spelling that `comparison_key` forgives. A path that names
        nothing known is tried again below its leading `data/`, as written by an agent that started in `/`.
        """
        found = self._known(place)
        if found is None and place.path.startswith(_DATA):
            below = _place(place.path.removeprefix(_DATA), self._community)
            found = self._known(below) if below else None
        return found or place.path

    def _known(self, place: _Place) -> str | None:
        if self._classes and (content := self._classes.get(place.path) or self._classes.get(place.key)):
            return content
        if place.path in self._paths:
            return place.path
        alike = self._by_key.get(place.key, ())
        return next(iter(alike)) if len(alike) == 1 else None

    def _is_folder(self, path: str) -> bool:
        """Whether a path that names no known file names a folder of known files: a listing, whatever its spelling."""
        if path in self._paths or path in self._classes:
            return False
        inside = f"{path}/"
        return any(known.startswith(inside) for known in (*self._paths, *self._classes))

    def identities(self, raw_paths: Iterable[str]) -> tuple[set[str], list[str]]:
        """Return the files that reported paths name, and the reported paths that lie outside the community."""
        found: set[str] = set()
        unmapped: list[str] = []
        for raw in raw_paths:
            place = _place(raw, self._community)
            if place is None:
                unmapped.append(raw)
            elif place.counts and not self._is_folder(place.path):
                found.add(self._identity(place))
        return found, unmapped

    def judge(self, opened_paths: Iterable[str], used_paths: Iterable[str]) -> Discovery:
        """Compare the files opened and used by an attempt with the targets."""
        opened, outside = self.identities(opened_paths)
        used, outside_too = (opened, []) if used_paths is opened_paths else self.identities(used_paths)
        opened |= used  # what was used was opened, whether or not it was reported so
        hits = len(opened & self._targets)
        return Discovery(
            solution=used == self._targets,
            superset=self._targets <= opened,
            touched=opened == self._targets,
            precision=hits / len(opened) if opened else 0.0,
            recall=hits / len(self._targets),
            unmapped=tuple(dict.fromkeys(outside + outside_too)),
        )


def discover(prediction: Prediction, targets: TargetSet) -> Discovery | None:
    """Judge one prediction's file access, or return None when it was not measured.

    Not measured: no `files_accessed` in the metadata, or a tracker that said it lost events. Without
    `files_used`, the files accessed stand for the files used.
    """
    reported = prediction.metadata
    if reported.files_accessed is None or reported.file_access_complete is False:
        return None
    used = reported.files_accessed if reported.files_used is None else reported.files_used
    return targets.judge(reported.files_accessed, used)
