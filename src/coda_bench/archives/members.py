"""Which members of an archive are taken: plain files and folders below its root, each name once, within limits.

An archive is refused whole for the first member that is anything else; nothing is repaired.
"""

import stat
import tarfile
import unicodedata
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from coda_bench.errors import BadInput

LONGEST_PART_BYTES = 255
LONGEST_PATH_BYTES = 3_000
DEEPEST = 64
MOST_MEMBERS = 2_000_000
_SPECIAL_BITS = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX


class BadArchive(BadInput):
    """An archive that is not what it should be; nothing of it was kept."""


@dataclass
class MemberRules:
    """Judges members one after the other; remembers names, so that none comes twice or collides."""

    root: str
    """Folder inside the archive that becomes the community, such as `data/community_26`."""
    most_bytes: int
    """Bytes of all files together."""
    n_files: int = 0
    n_bytes: int = 0
    _kinds: dict[str, bool] = field(default_factory=dict)
    _n_members: int = 0

    def place(self, member: tarfile.TarInfo) -> PurePosixPath | None:
        """Return where a member goes below the community, or None for a folder above it.

        Raises:
            BadArchive: the member is refused; the message says which rule it breaks.
        """
        self._n_members += 1
        if self._n_members > MOST_MEMBERS:
            raise BadArchive(f"more than {MOST_MEMBERS} members")
        path = self._path(member)
        self._check_kind(member)
        below = self._below_root(member, path)
        if below is None:
            return None
        self._check_name(below, is_folder=member.isdir())
        if not member.isdir():
            self._count(member)
        return below

    def _path(self, member: tarfile.TarInfo) -> PurePosixPath:
        name = member.name.removeprefix("./")
        try:
            encoded = name.encode("utf-8")
        except UnicodeEncodeError:
            raise BadArchive(f"{member.name!r}: the name is not UTF-8") from None
        path = PurePosixPath(name)
        if not name or name.startswith("/") or "\0" in name:
            raise BadArchive(f"{member.name!r}: not a relative path")
        if ".." in path.parts:
            raise BadArchive(f"{member.name!r}: leads out of the archive")
        if len(encoded) > LONGEST_PATH_BYTES or len(path.parts) > DEEPEST:
            raise BadArchive(f"{member.name[:80]!r}…: path too long or too deep")
        if any(len(part.encode()) > LONGEST_PART_BYTES for part in path.parts):
            raise BadArchive(f"{member.name[:80]!r}…: a name of more than {LONGEST_PART_BYTES} bytes")
        return path

    @staticmethod
    def _check_kind(member: tarfile.TarInfo) -> None:
        if member.islnk() or member.issym():
            raise BadArchive(f"{member.name!r}: a link to {member.linkname!r}")
        if member.issparse():
            raise BadArchive(f"{member.name!r}: a sparse file")
        if not (member.isreg() or member.isdir()):
            raise BadArchive(f"{member.name!r}: a device, pipe or unknown kind of member")
        if member.mode & _SPECIAL_BITS:
            raise BadArchive(f"{member.name!r}: setuid, setgid or sticky bit")
        if member.size < 0 or (member.isdir() and member.size):
            raise BadArchive(f"{member.name!r}: impossible size {member.size}")

    def _below_root(self, member: tarfile.TarInfo, path: PurePosixPath) -> PurePosixPath | None:
        root = PurePosixPath(self.root)
        if path == root or path in root.parents:
            if not member.isdir():
                raise BadArchive(f"{member.name!r}: a file where a folder belongs")
            return None
        if root not in path.parents:
            raise BadArchive(f"{member.name!r}: outside {self.root}/")
        below = path.relative_to(root)
        if below.parts[0] != "full_community":
            raise BadArchive(f"{member.name!r}: outside {self.root}/full_community/")
        return below

    def _check_name(self, below: PurePosixPath, *, is_folder: bool) -> None:
        """Refuse a second member of a name, also one that differs in case or Unicode form only."""
        for depth in range(1, len(below.parts)):
            self._claim("/".join(below.parts[:depth]), is_folder=True, is_member=False)
        self._claim("/".join(below.parts), is_folder=is_folder, is_member=True)

    def _claim(self, name: str, *, is_folder: bool, is_member: bool) -> None:
        key = unicodedata.normalize("NFC", name).casefold()
        known = self._kinds.get(key)
        if known is None:
            self._kinds[key] = is_folder
            self._spellings[key] = name
            return
        if self._spellings[key] != name:
            raise BadArchive(f"{name!r}: collides with {self._spellings[key]!r} by case or Unicode form")
        if not (known and is_folder):
            raise BadArchive(f"{name!r}: {'stands twice' if is_member else 'is a file and a folder'}")

    _spellings: dict[str, str] = field(default_factory=dict)

    def _count(self, member: tarfile.TarInfo) -> None:
        self.n_files += 1
        self.n_bytes += member.size
        if self.n_bytes > self.most_bytes:
            raise BadArchive(f"{member.name!r}: the files together have more than {self.most_bytes} bytes")
