"""From a community on disk to an archive: the same files give the same bytes, whoever packs them and when."""

import hashlib
import shutil
import subprocess
import tarfile
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

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
    with tempfile.NamedTemporaryFile(dir=archives, prefix=f".{target.name}.", delete=False) as out:
        partial = Path(out.name)
        try:
            _compress(_members(root, community_id, rules), out, level, progress)
            out.flush()
            partial.chmod(0o644)
            partial.replace(target)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
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


def _members(root: Path, community_id: str, rules: MemberRules) -> Iterator[tuple[tarfile.TarInfo, Path]]:
    """Yield what goes into the archive, sorted by its name there; everything is judged as on extraction."""
    paths = [root, *root.rglob("*")]
    named = {f"data/{community_id}/full_community/{path.relative_to(root)}".removesuffix("/."): path for path in paths}
    for name in sorted(named):
        member = _member(name, named[name])
        try:
            rules.place(member)
        except BadInput as error:
            raise BadInput(f"{named[name]}: cannot be packed: {error}") from error
        yield member, named[name]


def _member(name: str, path: Path) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    status = path.lstat()
    if path.is_symlink():
        member.type, member.linkname = tarfile.SYMTYPE, str(path.readlink())
    elif path.is_dir():
        member.type, member.mode = tarfile.DIRTYPE, 0o755
    elif path.is_file():
        member.size, member.mode = status.st_size, 0o644
    else:
        member.type = tarfile.FIFOTYPE
    return member


def _compress(
    members: Iterator[tuple[tarfile.TarInfo, Path]], out: IO[bytes], level: int, progress: Callable[[int], None]
) -> None:
    program = shutil.which("zstd")
    if program is None:
        raise MissingExtra("packing needs the zstd program; install zstd")
    command = [program, f"-{level}", "--single-thread", "-cq"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:  # noqa: S603 the machine's own program
        if child.stdin is None or child.stdout is None:  # two pipes were asked for
            raise BadInput("zstd has no pipes")
        copier = threading.Thread(target=shutil.copyfileobj, args=(child.stdout, out, BLOCK))
        copier.start()
        try:
            _write_tar(members, child.stdin, progress)
            child.stdin.close()
            copier.join()
        except BaseException:
            child.kill()
            copier.join()
            raise
        if child.wait() != 0:
            raise BadInput("zstd failed; is the disk full?")


def _write_tar(
    members: Iterator[tuple[tarfile.TarInfo, Path]], into: IO[bytes], progress: Callable[[int], None]
) -> None:
    n_bytes = 0
    with tarfile.open(fileobj=into, mode="w|", format=tarfile.PAX_FORMAT, bufsize=BLOCK) as tar:
        for member, path in members:
            if member.isreg():
                with path.open("rb") as stream:
                    tar.addfile(member, stream)
            else:
                tar.addfile(member)
            n_bytes += member.size
            progress(n_bytes)
