"""Resolve: from the paths that a reference program names to files of its community.

Programs of the public release name files in four ways: `<slug>/source/<file>` with underscores for hyphens, private
paths of the pipeline that made them (`…/private_dataset/<slug>/<file>`, `…/<slug>/source/<file>`), Kaggle's
(`../input/<slug>/<file>`), and the bare name. They are spelt as the release has them: `<slug>/source/<file>`.
"""

import fnmatch
import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from coda_bench.layout import comparison_key, counts_for_discovery
from coda_bench.records.targets import DataFile, ResolvedTargets, TargetFile, TargetStatus
from coda_bench.tasks.targets.reads import Read, Reads, reads_of

_PRIVATE = re.compile(r".*/(?:(?:private_dataset|full_community)/|(?=[^/]+/source/[^/]+$))")
_KAGGLE = re.compile(r"(?:.*/)?(?:kaggle/|\.\./)input/(?:datasets/[^/]+/)?")
_LOCAL = re.compile(r"^(?:\./|/?data/|/workspace/data/|/data/)+")
_PREFERENCE = ("release", "private", "kaggle", "absolute", "bare")


class Named(NamedTuple):
    """One path in the release's spelling, and how the program spells it."""

    path: str
    form: str
    """`release`, `private`, `kaggle`, `absolute` or `bare`."""
    read: Read


def spelt(read: Read) -> Named:
    """Spell a path as the release does."""
    text = read.text.replace("\\", "/")
    for pattern, form in ((_PRIVATE, "private"), (_KAGGLE, "kaggle")):
        found = pattern.match(text)
        if found:
            return Named(_with_source(text[found.end() :]), form, read)
    if text.startswith(("/", "~")) or re.match(r"^[A-Za-z]:/", text):
        inner = _LOCAL.sub("", text)
        form = "release" if inner != text and "/" in inner else "absolute"
        return Named(_with_source(inner) if form == "release" else posixpath.basename(text), form, read)
    text = posixpath.normpath(_LOCAL.sub("", text)).lstrip("./")
    return Named(_with_source(text) if "/" in text else text, "release" if "/" in text else "bare", read)


def _with_source(path: str) -> str:
    slug, _, rest = posixpath.normpath(path).partition("/")
    return path if not rest or rest.startswith("source/") else f"{slug}/source/{rest}"


def resolve(instance_id: int, source: str, manifest: Sequence[DataFile] | None = None) -> ResolvedTargets:
    """Return the files that a reference program reads, as far as its text says.

    Args:
        instance_id: the task's.
        source: the program.
        manifest: the files of its community, where it is at hand: paths that are not in it are no targets.
    """
    reads = reads_of(source)
    named = [one for one in map(spelt, reads.found) if counts_for_discovery(one.path)]
    chosen = _one_of_each(named)
    if manifest is not None:
        return _found(instance_id, chosen, reads, Spellings(manifest))
    known = [one for one in chosen if one.form != "absolute"]
    if not known:
        return _unresolved(instance_id, _reason(reads.obstacles, parses=reads.parses))
    also = [f"also by {', '.join(reads.obstacles)}"] if reads.obstacles else []
    why = "; ".join([*filter(None, [_remark(chosen, named)]), *also])
    status = TargetStatus.RESOLVED if reads.parses else TargetStatus.TEXT
    targets = tuple(TargetFile(path=path) for path in sorted({one.path for one in known}))
    return ResolvedTargets(instance_id=instance_id, target_files=targets, status=status, why=why)


def _one_of_each(named: Sequence[Named]) -> list[Named]:
    """Keep one of the spellings of each file.

    Alternatives have one name: tried one after the other, the same file in the places where it may lie. Two files of
    one name in two data sets, both read in any case, are two.
    """
    groups: dict[str, list[Named]] = {}
    for one in named:
        groups.setdefault(posixpath.basename(one.path).casefold(), []).append(one)
    kept = []
    for group in groups.values():
        certain = [one for one in group if not one.read.is_fallback and one.form not in {"bare", "absolute"}]
        distinct = {comparison_key(one.path): one for one in certain}
        if len(distinct) > 1:
            kept += list(distinct.values())
        else:
            kept.append(min(group, key=lambda one: (one.read.is_fallback, _PREFERENCE.index(one.form))))
    return kept


def _remark(chosen: Sequence[Named], named: Sequence[Named]) -> str:
    others = sorted({one.read.text for one in named} - {one.read.text for one in chosen})
    forms = sorted({one.form for one in chosen} - {"release"})
    remarks = [f"named by {' and '.join(forms)} paths"] if forms else []
    remarks += [f"alternatives: {', '.join(others)}"] if others else []
    return "; ".join(remarks)[:500]


def _reason(obstacles: Sequence[str], *, parses: bool) -> str:
    if obstacles:
        return f"its text names no file: {', '.join(obstacles)}"
    return "its text names no file" if parses else "it does not parse, and no path stands in quotes in it"


def _unresolved(instance_id: int, why: str) -> ResolvedTargets:
    return ResolvedTargets(instance_id=instance_id, target_files=(), status=TargetStatus.UNRESOLVED, why=why)


def _found(instance_id: int, chosen: Sequence[Named], reads: Reads, spellings: "Spellings") -> ResolvedTargets:
    """Look paths up in a community."""
    named = [spelt(read) for read in reads.found]
    targets: dict[str, DataFile] = {}
    missing = list[str]()
    for one in chosen:
        alike = [other for other in named if _basename(other) == _basename(one)]
        target = next((file for spelling in [one, *alike] if (file := spellings.file_of(spelling.read))), None)
        if target is None:
            missing.append(one.read.text)
        else:
            targets[target.path] = target
    targets |= {file.path: file for pattern in reads.patterns for file in spellings.matching(pattern)}
    why = f"not in the community: {', '.join(missing)}" if missing else _remark(chosen, named)
    if not targets:
        return _unresolved(instance_id, why if missing else _reason(reads.obstacles, parses=reads.parses))
    status = TargetStatus.RESOLVED if reads.parses else TargetStatus.TEXT
    return ResolvedTargets(instance_id=instance_id, target_files=_as_targets(targets), status=status, why=why)


def _basename(one: Named) -> str:
    return posixpath.basename(one.path).casefold()


def _as_targets(files: Mapping[str, DataFile]) -> tuple[TargetFile, ...]:
    return tuple(TargetFile(path=path, sha256=file.sha256, bytes=file.bytes) for path, file in sorted(files.items()))


class Spellings:
    """The files of a community by what programs call them."""

    def __init__(self, manifest: Sequence[DataFile]) -> None:
        self._files = manifest
        self._by_key: dict[str, list[DataFile]] = {}
        self._by_name: dict[str, list[DataFile]] = {}
        for file in manifest:
            self._by_key.setdefault(comparison_key(file.path), []).append(file)
            self._by_name.setdefault(posixpath.basename(file.path).casefold(), []).append(file)

    def file_of(self, read: Read) -> DataFile | None:
        """Return the file that a path means: as spelt, by comparison key, or by a name that only one file has."""
        path = spelt(read).path
        files = self._by_key.get(comparison_key(path), [])
        if files:
            return next((file for file in files if file.path == path), files[0])
        alike = self._by_name.get(posixpath.basename(path).casefold(), [])
        return alike[0] if len({file.sha256 for file in alike}) == 1 else None

    def matching(self, pattern: Read) -> list[DataFile]:
        """Return the files that a path with stars means."""
        key = comparison_key(spelt(pattern).path)
        return [file for file in self._files if fnmatch.fnmatchcase(comparison_key(file.path), key)]
