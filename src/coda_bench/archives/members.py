"""Which members of an archive are taken: plain files and folders below its root, each name once, within limits.

An archive is refused whole for the first member that is anything else; nothing is repaired.
"""

import stat
import unicodedata
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from coda_bench.archives.headers import BadArchive, Member

LONGEST_PART_BYTES = 255
LONGEST_PATH_BYTES = 3_000
DEEPEST = 64
MOST_NAMES = 1_000_000
"""Of files and folders, those that no member names included."""
MOST_NAME_BYTES = 256 << 20
"""Of all names together: they are remembered."""
_SPECIAL_BITS = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX


@dataclass
class MemberRules:
    """Judges members one after the other; remembers names, so that none comes twice or collides."""

    root: str
    """Folder inside the archive that becomes the community, such as `data/community_26`."""
    most_bytes: int
    """Bytes of all files together."""
    n_files: int = 0
    n_bytes: int = 0
    _known: dict[str, tuple[str, bool]] = field(default_factory=dict)
    """Spelling, and whether a folder, by the name without case and Unicode form."""
    _n_name_bytes: int = 0

    def place(self, member: Member) -> PurePosixPath | None:
        """Return where a member goes below the community, or None for a folder above it.

        Raises:
            BadArchive: the member is refused; the message says which rule it breaks.
        """
        path = self._path(member)
        self._check_kind(member)
        below = self._below_root(member, path)
        if below is None:
            return None
        self._check_name(below, is_folder=member.kind == "folder")
        if member.kind == "file":
            self._count(member)
        return below

    def _path(self, member: Member) -> PurePosixPath:
        name = member.name.removeprefix("./")
        try:
            encoded = name.encode("utf-8")
        except UnicodeEncodeError:
            raise BadArchive(f"{member.name!r}: the name is not UTF-8") from None
        if len(encoded) > LONGEST_PATH_BYTES or name.count("/") >= DEEPEST:
            raise BadArchive(f"{member.name[:80]!r}…: path too long or too deep")
        path = PurePosixPath(name)
        if not name or name.startswith("/") or "\0" in name:
            raise BadArchive(f"{member.name!r}: not a relative path")
        if ".." in path.parts:
            raise BadArchive(f"{member.name!r}: leads out of the archive")
        if any(len(part.encode()) > LONGEST_PART_BYTES for part in path.parts):
            raise BadArchive(f"{member.name[:80]!r}…: a name of more than {LONGEST_PART_BYTES} bytes")
        return path

    @staticmethod
    def _check_kind(member: Member) -> None:
        if member.kind.endswith("link"):
            raise BadArchive(f"{member.name!r}: a {member.kind} to {member.target!r}")
        if member.kind not in {"file", "folder"}:
            raise BadArchive(f"{member.name!r}: a {member.kind}")
        if member.mode & _SPECIAL_BITS:
            raise BadArchive(f"{member.name!r}: setuid, setgid or sticky bit")
        if member.kind == "folder" and member.size:
            raise BadArchive(f"{member.name!r}: a folder of {member.size} bytes")

    def _below_root(self, member: Member, path: PurePosixPath) -> PurePosixPath | None:
        root = PurePosixPath(self.root)
        if path == root or path in root.parents:
            if member.kind != "folder":
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
        # Case folding may undo the composed form, so it is composed again.
        key = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
        known = self._known.get(key)
        if known is None:
            self._remember(key, name, is_folder=is_folder)
        elif known[0] != name:
            raise BadArchive(f"{name!r}: collides with {known[0]!r} by case or Unicode form")
        elif not (known[1] and is_folder):
            raise BadArchive(f"{name!r}: {'stands twice' if is_member else 'is a file and a folder'}")

    def _remember(self, key: str, name: str, *, is_folder: bool) -> None:
        self._known[key] = name, is_folder
        self._n_name_bytes += len(name.encode())
        if len(self._known) > MOST_NAMES or self._n_name_bytes > MOST_NAME_BYTES:
            raise BadArchive(f"more than {MOST_NAMES:,} names, or {MOST_NAME_BYTES >> 20} MiB of them")

    def _count(self, member: Member) -> None:
        self.n_files += 1
        self.n_bytes += member.size
        if self.n_bytes > self.most_bytes:
            raise BadArchive(f"{member.name!r}: the files together have more than {self.most_bytes} bytes")
