"""The files of a data set as they are given: plain files below its folder; links and everything odd is reported."""

import os
import stat
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from coda_bench.errors import BadInput
from coda_bench.records.environment import LayoutFinding, Severity

DEEPEST = 64
MOST_ENTRIES = 2_000_000
"""Entries of one data set that are looked at; links to folders could make them endless."""
LONGEST_PATH_BYTES = 3_000


class SourceFile(NamedTuple):
    """A file to lay out."""

    path: Path
    """Where it really lies, no link in it."""
    name: str
    """Community path it gets."""
    n_bytes: int
    state: tuple[int, int, int]
    """Inode, size and time of change: the same as long as nobody writes the file."""


def state_of(found: os.stat_result) -> tuple[int, int, int]:
    """Return what tells whether a file was written since."""
    return found.st_ino, found.st_size, found.st_mtime_ns


def finding(where: str, kind: str, severity: Severity, message: str) -> LayoutFinding:
    """Build a finding whose texts can be stored as UTF-8."""
    place, text = (one.encode("utf-8", "backslashreplace").decode("utf-8") for one in (where, message))
    return LayoutFinding(where=place, kind=kind, severity=severity, message=text)


def folder_names(datasets: Iterable[str]) -> tuple[dict[str, str], list[LayoutFinding]]:
    """Return the folder of each data set inside the community: its slug, or owner and slug where two share one.

    Raises:
        BadInput: an id cannot be a folder's name.
    """
    ids = sorted(datasets)
    plain = {one: one.rsplit("/", 1)[-1] for one in ids}
    keys = [_same(name) for name in plain.values()]
    folders, findings = {}, []
    for one in ids:
        name = plain[one]
        if keys.count(_same(name)) > 1:
            name = one.replace("/", "--")
            findings.append(
                finding(one, "slug_collision", "note", f"several data sets are called so: laid out as {name}/")
            )
        if name in {"", ".", ".."} or "/" in name or "\0" in name or len(name.encode("utf-8", "replace")) > 255:  # noqa: PLR2004
            raise BadInput(f"data set {one!r}: its name cannot be a folder's")
        folders[one] = name
    if len(set(folders.values())) < len(ids):
        raise BadInput("two data sets would get one folder: rename one of them")
    return folders, findings


def _same(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def walk_in_place(root: Path) -> tuple[list[SourceFile], list[LayoutFinding]]:
    """Return the files of a community that is laid out already, named as they lie."""
    found = _Walk(root.name, "")
    found.into(root)
    return sorted(found.files, key=lambda file: file.name), [*found.findings, *collisions(f.name for f in found.files)]


def walk(members: Mapping[str, Path]) -> tuple[list[SourceFile], list[LayoutFinding]]:
    """Return the files of all data sets, sorted by community path, and what is odd about the input."""
    folders, findings = folder_names(members)
    files: list[SourceFile] = []
    for dataset, root in sorted(members.items()):
        found = _Walk(dataset, folders[dataset])
        found.into(root)
        files += found.files
        findings += found.findings
    findings += collisions(file.name for file in files)
    return sorted(files, key=lambda file: file.name), findings


@dataclass
class _Walk:
    """Walks one data set; what it cannot take becomes a finding."""

    dataset: str
    folder: str
    files: list[SourceFile] = field(default_factory=list)
    findings: list[LayoutFinding] = field(default_factory=list)
    n_entries: int = 0

    def into(self, root: Path) -> None:
        try:
            real = root.resolve(strict=True)
        except (OSError, RuntimeError):
            self._report(self.dataset, "missing_dataset", "error", f"{root}: no such folder")
            return
        if not real.is_dir():
            self._report(self.dataset, "missing_dataset", "error", f"{root}: no folder")
            return
        self._folder(real, real, self.folder, (real,))
        if not self.files:
            self._report(self.dataset, "no_files", "warning", "no file in it could be taken")

    def _report(self, where: str, kind: str, severity: Severity, message: str) -> None:
        self.findings.append(finding(where, kind, severity, message))

    def _folder(self, root: Path, folder: Path, name: str, above: tuple[Path, ...]) -> None:
        if len(above) > DEEPEST:
            self._report(name, "too_deep", "error", f"more than {DEEPEST} folders deep: not taken")
            return
        for entry in self._entries(folder, name):
            self.n_entries += 1
            if self.n_entries > MOST_ENTRIES:
                self._report(
                    self.dataset, "too_many_files", "error", f"more than {MOST_ENTRIES} entries: the rest is not taken"
                )
                return
            self._entry(root, entry, f"{name}/{entry.name}" if name else entry.name, above)

    def _entries(self, folder: Path, name: str) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=lambda entry: os.fsencode(entry.name))
        except OSError as error:
            self._report(name, "unreadable_folder", "error", f"cannot be listed ({error.strerror})")
            return
        yield from listed

    def _entry(self, root: Path, entry: os.DirEntry[str], name: str, above: tuple[Path, ...]) -> None:
        if not self._is_named_well(name):
            return
        path = Path(entry.path)
        try:
            if entry.is_symlink():
                self._link(root, path, name, above)
            elif entry.is_dir(follow_symlinks=False):
                self._folder(root, path, name, (*above, path))
            else:
                self._file(path, name)
        except OSError as error:
            self._report(name, "unreadable_file", "error", f"cannot be looked at ({error.strerror})")

    def _is_named_well(self, name: str) -> bool:
        try:
            raw = name.encode("utf-8")
        except UnicodeEncodeError:
            self._report(name, "name_not_utf8", "error", "its name is not UTF-8: not taken, no record could name it")
            return False
        if len(raw) > LONGEST_PATH_BYTES:
            self._report(name, "name_too_long", "error", f"a path of more than {LONGEST_PATH_BYTES} bytes: not taken")
            return False
        if "\\" in name or any(unicodedata.category(letter) == "Cc" for letter in name):
            self._report(name, "awkward_name", "note", "a backslash or control character in its name")
        return True

    def _link(self, root: Path, path: Path, name: str, above: tuple[Path, ...]) -> None:
        """Take what a link points at where that lies in the same data set; nothing outside is ever opened."""
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError):
            self._report(name, "broken_link", "error", "a link that leads nowhere: not taken")
            return
        if not real.is_relative_to(root):
            self._report(name, "link_out", "error", "a link out of the data set's folder: not followed")
        elif real in above:
            self._report(name, "link_loop", "error", "a link to a folder that it lies in: not followed")
        elif real.is_dir():
            self._folder(root, real, name, (*above, real))
        else:
            self._report(name, "link_inside", "note", "a link inside the data set: laid out as a file")
            self._file(real, name)

    def _file(self, path: Path, name: str) -> None:
        found = path.lstat()
        if stat.S_ISREG(found.st_mode):
            self.files.append(SourceFile(path, name, found.st_size, state_of(found)))
        else:
            self._report(name, "special_file", "error", "a device, pipe or socket: not taken")


def collisions(names: Iterable[str]) -> list[LayoutFinding]:
    """Report paths, and folders in them, that differ in case or Unicode form only: no archive can hold both."""
    spellings: dict[str, set[str]] = {}
    for name in names:
        parts = name.split("/")
        for depth in range(1, len(parts) + 1):
            part = "/".join(parts[:depth])
            spellings.setdefault(_same(part), set()).add(part)
    return [
        finding(min(ones), "name_collision", "warning", f"differ in case or Unicode form only: {sorted(ones)}")
        for _, ones in sorted(spellings.items())
        if len(ones) > 1
    ]
