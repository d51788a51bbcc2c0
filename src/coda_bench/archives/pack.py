"""From a community on disk to an archive: the same files give the same bytes, whoever packs them and when."""

import hashlib
import os
import shutil
import stat
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from coda_bench.archives.headers import Member
from coda_bench.archives.lock import locked
from coda_bench.archives.members import MemberRules
from coda_bench.archives.stream import BLOCK
from coda_bench.errors import BadInput, MissingExtra
from coda_bench.records.archive import ArchiveEntry

LEVEL = 10
"""zstd level: text shrinks by a tenth more than at 3 and little more above; it takes about two minutes for 2 GB."""


def pack(
    community: Path,
    archives: Path,
    *,
    name: str | None = None,
    level: int = LEVEL,
    progress: Callable[[int], None] = lambda _: None,
) -> ArchiveEntry:
    """Write `<archives>/<name>.tar.zst` from `<community>/full_community/` and return its entry.

    Members are sorted by name, without owner, time and permission bits of this machine; one thread
    compresses, so that the bytes do not depend on the number of cores. Another version of zstd may give
    other bytes for the same files.

    Args:
        community: folder that holds `full_community/`.
        archives: where to write.
        name: of the community; that of its folder by default.
        level: of zstd; another level gives other bytes.
        progress: called with the number of file bytes packed so far.

    Raises:
        BadInput: the folder is not a community, or holds links, devices or colliding names.
        MissingExtra: neither the zstd program nor the package is there.
    """
    root = community / "full_community"
    if not root.is_dir():
        raise BadInput(f"{community}: not a community (no full_community/ in it)")
    community_id = name or community.resolve().name
    rules = MemberRules(f"data/{community_id}", most_bytes=1 << 62)
    archives.mkdir(parents=True, exist_ok=True)
    target = archives / f"{community_id}.tar.zst"
    with locked(target.with_name(f".{target.name}.lock")):
        _write(_members(root, community_id, rules), target, level, progress)
    with target.open("rb") as stream:
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    return ArchiveEntry(
        community_id=community_id,
        archive_path=f"archives/{target.name}",
        size_bytes=target.stat().st_size,
        sha256=sha256,
        archive_root=f"data/{community_id}",
        extracted_bytes=rules.n_bytes,
        n_files=rules.n_files,
    )


def _write(
    members: Iterator[tuple[tarfile.TarInfo, Path]], target: Path, level: int, progress: Callable[[int], None]
) -> None:
    """Write beside the target and rename; what a killed pack left goes first."""
    partial = target.with_name(f".{target.name}.packing")
    partial.unlink(missing_ok=True)
    try:
        with partial.open("xb") as out:
            _compress(members, out, level, progress)
            os.fsync(out.fileno())
        partial.chmod(0o644)
        partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _members(root: Path, community_id: str, rules: MemberRules) -> Iterator[tuple[tarfile.TarInfo, Path]]:
    """Yield what goes into the archive, sorted by its name there; everything is judged as on extraction."""
    paths = [root, *root.rglob("*")]
    named = {f"data/{community_id}/full_community/{path.relative_to(root)}".removesuffix("/."): path for path in paths}
    for name in sorted(named):
        path = named[name]
        try:
            found = _judged(name, path)
            rules.place(found)
        except BadInput as error:
            raise BadInput(f"{path}: cannot be packed: {error}") from error
        member = tarfile.TarInfo(name)
        member.size, member.mode = found.size, 0o644
        if found.kind == "folder":
            member.type, member.mode = tarfile.DIRTYPE, 0o755
        yield member, path


def _judged(name: str, path: Path) -> Member:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return Member(name, "symbolic link", target=str(path.readlink()))
    if stat.S_ISDIR(mode):
        return Member(name, "folder")
    if stat.S_ISREG(mode):
        return Member(name, "file", size=path.lstat().st_size)
    return Member(name, "device, pipe or socket")


def _compress(
    members: Iterator[tuple[tarfile.TarInfo, Path]], out: IO[bytes], level: int, progress: Callable[[int], None]
) -> None:
    program = shutil.which("zstd")
    if program is None:
        raise MissingExtra("packing needs the zstd program; install zstd")
    command = [program, f"-{level}", "--single-thread", "-cq"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.PIPE) as child:  # noqa: S603 the machine's own program
        if child.stdin is None or child.stderr is None:  # two pipes were asked for
            raise BadInput("zstd has no pipes")
        try:
            with suppress(BrokenPipeError), child.stdin as into:  # its exit status says why it ended early
                _write_tar(members, into, progress)
        except BaseException:
            child.kill()
            raise
        message = child.stderr.read().decode(errors="replace").strip()
        if child.wait() != 0:
            raise BadInput(f"{out.name}: zstd failed, is the disk full? It says: {message or 'nothing'}")


def _write_tar(
    members: Iterator[tuple[tarfile.TarInfo, Path]], into: IO[bytes], progress: Callable[[int], None]
) -> None:
    n_bytes = 0
    with tarfile.open(fileobj=into, mode="w|", format=tarfile.PAX_FORMAT, bufsize=BLOCK) as tar:
        for member, path in members:
            if member.isreg():
                _add(tar, member, path)
            else:
                tar.addfile(member)
            n_bytes += member.size
            progress(n_bytes)


def _add(tar: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> None:
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as stream:  # noqa: PTH123 a handle
        try:
            tar.addfile(member, stream)
        except OSError as error:
            if error.errno is not None:
                raise
            raise BadInput(f"{path}: shrank while it was packed; pack again when nothing writes to it") from error
        if stream.read(1):
            raise BadInput(f"{path}: grew while it was packed; pack again when nothing writes to it")
