"""From a source to the file of a community: shared where the file system can, copied where it cannot."""

import contextlib
import errno
import fcntl
import hashlib
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from coda_bench.construct.environment.walk import SourceFile, state_of
from coda_bench.errors import BadInput

_CLONE = 0x40049409
"""FICLONE of linux/fs.h: two files that share their blocks until one is written."""
_BLOCK = 1 << 20
_SPECIAL = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX
_NOT_HERE = {errno.EXDEV, errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.EACCES, errno.EINVAL, errno.ENOTTY}
"""A file system's ways to say that it cannot share this file."""


@dataclass
class Placer:
    """Places files; content that had to be copied once is linked to that copy from then on."""

    may_link: bool = True
    """Whether a hard link to the source may stand for a copy."""
    counts: dict[str, int] = field(default_factory=dict)
    """Files by how they were placed: `reflink`, `link`, `copy`, `same` (a link to an earlier copy)."""
    _copies: dict[str, Path] = field(default_factory=dict)

    def place(self, source: SourceFile, sha256: str, target: Path) -> None:
        """Put a file in its place; a file that is there already, with the same bytes, stays.

        Raises:
            BadInput: the source was written since it was read.
            OSError: the file system refuses.
        """
        _check_unchanged(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_file() and not target.is_symlink() and self._is_done(source, sha256, target):
            self._copies.setdefault(sha256, target)
            return
        target.unlink(missing_ok=True)
        how = self._put(source, sha256, target)
        self.counts[how] = self.counts.get(how, 0) + 1
        _check_unchanged(source)

    @staticmethod
    def _is_done(source: SourceFile, sha256: str, target: Path) -> bool:
        return target.samefile(source.path) or (target.stat().st_size == source.n_bytes and _hash(target) == sha256)

    def _put(self, source: SourceFile, sha256: str, target: Path) -> str:
        if _reflink(source.path, target):
            return "reflink"
        if self.may_link and _is_plain(source.path) and _link(source.path, target):
            return "link"
        earlier = self._copies.get(sha256)
        if earlier is not None and _link(earlier, target):
            return "same"
        _copy(source, sha256, target)
        self._copies[sha256] = target
        return "copy"


def _check_unchanged(source: SourceFile) -> None:
    try:
        now = state_of(source.path.lstat())
    except OSError as error:
        raise BadInput(f"{source.path}: gone while it was laid out; run again") from error
    if now != source.state:
        raise BadInput(f"{source.path}: written while it was laid out; run again when nobody writes it")


def _hash(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _open(path: Path) -> int:
    return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)


def _is_plain(source: Path) -> bool:
    """Whether a file may be shared with its mode: readable for all, since agents are, and with no special bit."""
    return stat.S_IMODE(source.lstat().st_mode) & (_SPECIAL | stat.S_IROTH) == stat.S_IROTH


def _reflink(source: Path, target: Path) -> bool:
    reader = _open(source)
    try:
        with target.open("xb") as out:
            fcntl.ioctl(out.fileno(), _CLONE, reader)
    except OSError as error:
        target.unlink(missing_ok=True)
        if error.errno not in _NOT_HERE:
            raise
        return False
    finally:
        os.close(reader)
    return True


def _link(source: Path, target: Path) -> bool:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NOT_HERE:
            raise
        return False
    return True


def _copy(source: SourceFile, sha256: str, target: Path) -> None:
    """Copy under a name of its own and rename, so that a killed copy never passes for a whole one."""
    partial = target.parent / f".coda-bench-{os.getpid()}.part"
    digest = hashlib.sha256()
    try:
        with os.fdopen(_open(source.path), "rb", buffering=0) as stream, partial.open("wb") as out:
            while block := stream.read(_BLOCK):
                digest.update(block)
                out.write(block)
        if digest.hexdigest() != sha256:
            raise BadInput(f"{source.path}: written while it was laid out; run again when nobody writes it")
        partial.chmod(0o444)
        partial.replace(target)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()
