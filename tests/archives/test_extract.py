"""Packing and extracting sound communities: the same files, the same bytes, once for all."""

import os
import shutil
import signal
import subprocess
import sys

import pytest

from coda_bench.archives.extract import extract
from coda_bench.archives.pack import pack
from coda_bench.errors import BadInput, MissingExtra
from coda_bench.layout import Release, file_sha256
from coda_bench.records.archive import ArchiveEntry
from coda_bench.records.storage import read_json_lines

NAMES = [
    "set-a/a.csv",
    "set-a/b c.csv",
    "set-b/source/\u00fc\u2603.json",
    "-dash/x",
    "set-c/line\nbreak.txt",
    "x" * 255,
]


@pytest.fixture
def community(tmp_path):
    """A community with odd names, an empty file and an empty folder."""
    folder = tmp_path / "c"
    for number, name in enumerate(NAMES):
        path = folder / "full_community" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(f"{number},".encode() * number * 1000)
    (folder / "full_community" / "empty").mkdir()
    return folder


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_was_packed_comes_out_the_same(community, tmp_path):
    """Every name and byte, an empty folder too, with a manifest of hashes; files cannot be written."""
    entry = pack(community, tmp_path / "archives")
    found = extract(tmp_path / "archives" / "c.tar.zst", entry, tmp_path / "communities")
    out = tmp_path / "communities" / "c"
    assert files(out / "full_community") == files(community / "full_community")
    assert (out / "full_community" / "empty").is_dir()
    assert (
        (found.n_files, found.n_bytes)
        == (entry.n_files, entry.extracted_bytes)
        == (6, sum(map(len, files(community).values())))
    )
    rows = {row["path"]: row for _, row in read_json_lines(out / "manifest.jsonl")}
    assert set(rows) == set(NAMES)
    assert not any(path.stat().st_mode & 0o222 for path in (out / "full_community").rglob("*") if path.is_file())


def test_what_a_killed_pack_left_is_removed(community, tmp_path):
    """The next one begins anew; a link in its place is not written through."""
    (tmp_path / "archives").mkdir()
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "archives" / ".c.tar.zst.packing").symlink_to(victim)
    pack(community, tmp_path / "archives")
    assert victim.read_text() == "precious"
    assert sorted(path.name for path in (tmp_path / "archives").iterdir()) == [".c.tar.zst.lock", "c.tar.zst"]


def test_packing_twice_gives_the_same_bytes(community, tmp_path):
    """Whatever times, owners and permission bits the files have."""
    one = pack(community, tmp_path / "one")
    copy = tmp_path / "copy"
    shutil.copytree(community, copy)
    for path in copy.rglob("*"):
        os.utime(path, (0, 12345))
        path.chmod(0o700)
    other = pack(copy, tmp_path / "two", name="c")
    assert one == other
    assert (tmp_path / "one" / "c.tar.zst").read_bytes() == (tmp_path / "two" / "c.tar.zst").read_bytes()


@pytest.mark.parametrize("kind", ["link", "pipe", "collision"])
def test_what_no_archive_may_hold_is_not_packed(community, tmp_path, kind):
    """Links, pipes and colliding names; no archive is left."""
    folder = community / "full_community"
    if kind == "link":
        (folder / "l").symlink_to("/etc/passwd")
    elif kind == "pipe":
        os.mkfifo(folder / "p")
    else:
        (folder / "set-a" / "A.csv").write_text("x")
    with pytest.raises(BadInput, match="cannot be packed"):
        pack(community, tmp_path / "archives")
    assert [path.name for path in (tmp_path / "archives").iterdir()] == [".c.tar.zst.lock"]


def test_packing_onto_a_full_disk_is_said_and_leaves_nothing(tmp_path):
    """The program that compresses ends early; nothing hangs."""
    mount = tmp_path / "small"
    mount.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(mount)], check=False).returncode:
        pytest.skip("this user may not mount a small file system")
    try:
        folder = tmp_path / "c" / "full_community"
        folder.mkdir(parents=True)
        (folder / "random.bin").write_bytes(os.urandom(8 << 20))
        with pytest.raises(BadInput, match="No space left"):
            pack(tmp_path / "c", mount / "archives")
        assert [path.name for path in (mount / "archives").iterdir()] == [".c.tar.zst.lock"]
    finally:
        subprocess.run(["umount", str(mount)], check=True)


def test_an_extracted_community_is_not_extracted_again(community, tmp_path):
    """The same archive is known by its hash; `force` does it again; a foreign folder is left alone."""
    entry = pack(community, tmp_path / "archives")
    archive, out = tmp_path / "archives" / "c.tar.zst", tmp_path / "communities"
    extract(archive, entry, out)
    before = (out / "c" / "extracted.json").stat().st_ino
    extract(archive, entry, out)
    assert (out / "c" / "extracted.json").stat().st_ino == before
    extract(archive, entry, out, force=True)
    assert (out / "c" / "extracted.json").stat().st_ino != before
    (tmp_path / "other" / "c").mkdir(parents=True)
    with pytest.raises(BadInput, match="already there, from elsewhere"):
        extract(archive, entry, tmp_path / "other")


EXTRACT = """
import sys
from pathlib import Path
from coda_bench.archives.extract import extract
from coda_bench.records.archive import ArchiveEntry
entry = ArchiveEntry.model_validate_json(sys.argv[2])
print(extract(Path(sys.argv[1]), entry, Path(sys.argv[3])).n_files)
"""

EXTRACT_AND_DIE = """
import os, signal, sys
from pathlib import Path
from coda_bench.archives.extract import extract
from coda_bench.records.archive import ArchiveEntry
def die(n_bytes):
    os.kill(os.getpid(), signal.SIGKILL)
entry = ArchiveEntry.model_validate_json(sys.argv[2])
extract(Path(sys.argv[1]), entry, Path(sys.argv[3]), progress=die)
"""


def test_two_processes_extract_once(community, tmp_path):
    """The second waits for the first and finds its work."""
    entry = pack(community, tmp_path / "archives")
    archive, out = tmp_path / "archives" / "c.tar.zst", tmp_path / "communities"
    command = [sys.executable, "-c", EXTRACT, str(archive), entry.model_dump_json(), str(out)]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE) as one,
        subprocess.Popen(command, stdout=subprocess.PIPE) as other,
    ):
        assert [one.communicate(timeout=60)[0], other.communicate(timeout=60)[0]] == [b"6\n", b"6\n"]
    assert sorted(path.name for path in out.iterdir()) == [".c.lock", "c"]


def test_a_killed_extraction_leaves_no_community_and_the_next_one_clears_up(tmp_path):
    """SIGKILL in the middle: no community, no process; the next extraction removes the rest and succeeds."""
    source = tmp_path / "c" / "full_community"
    source.mkdir(parents=True)
    (source / "big.bin").write_bytes(os.urandom(1 << 20) * 64)
    entry = pack(tmp_path / "c", tmp_path / "archives", level=1)
    archive, out = tmp_path / "archives" / "c.tar.zst", tmp_path / "communities"
    with subprocess.Popen(
        [sys.executable, "-c", EXTRACT_AND_DIE, str(archive), entry.model_dump_json(), str(out)]
    ) as killed:
        assert killed.wait(60) == -signal.SIGKILL
    left = [path.name for path in out.iterdir() if path.name != ".c.lock"]
    assert len(left) == 1
    assert left[0].startswith(".c.partial-")
    assert extract(archive, entry, out).n_files == 1
    assert sorted(path.name for path in out.iterdir()) == [".c.lock", "c"]


def test_a_community_set_aside_by_a_killed_replacement_comes_back(community, tmp_path):
    """Killed between the two renames of `force`: the old community is put back, and known."""
    entry = pack(community, tmp_path / "archives")
    archive, out = tmp_path / "archives" / "c.tar.zst", tmp_path / "communities"
    extract(archive, entry, out)
    (out / "c").rename(out / ".c.partial-abcd1234-old")
    (out / ".c.partial-abcd1234").mkdir()
    archive.write_bytes(b"not needed")
    assert extract(archive, entry, out).n_files == 6
    assert sorted(path.name for path in out.iterdir()) == [".c.lock", "c"]


def test_a_refused_replacement_keeps_the_old_community(community, tmp_path):
    """`force` with a spoilt archive."""
    entry = pack(community, tmp_path / "archives")
    archive, out = tmp_path / "archives" / "c.tar.zst", tmp_path / "communities"
    extract(archive, entry, out)
    archive.write_bytes(archive.read_bytes()[:-30])
    with pytest.raises(BadInput, match="refused"):
        extract(archive, entry, out, force=True)
    assert files(out / "c" / "full_community") == files(community / "full_community")


def test_a_partial_folder_of_a_community_with_a_similar_name_is_left_alone(community, tmp_path):
    """Names come from a manifest that others write: `c` must not clear up after `c.partial-x`."""
    entry = pack(community, tmp_path / "archives")
    other = tmp_path / "communities" / ".c.partial-x.partial-abcd1234"
    other.mkdir(parents=True)
    extract(tmp_path / "archives" / "c.tar.zst", entry, tmp_path / "communities")
    assert other.is_dir()


def test_links_in_the_place_of_a_community_or_its_lock_are_not_followed(community, tmp_path):
    """Neither read, nor replaced, nor emptied."""
    entry = pack(community, tmp_path / "archives")
    archive, out = tmp_path / "archives" / "c.tar.zst", tmp_path / "communities"
    out.mkdir()
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (out / ".c.lock").symlink_to(victim)
    with pytest.raises(BadInput, match=r"\.c\.lock"):
        extract(archive, entry, out)
    (out / ".c.lock").unlink()
    (out / "c").symlink_to(tmp_path / "nowhere")
    with pytest.raises(BadInput, match="a link, which is not followed"):
        extract(archive, entry, out, force=True)
    assert victim.read_text() == "precious"


def test_folders_are_readable_whatever_the_users_mask(community, tmp_path):
    """A sandbox started by root reads them as somebody else."""
    entry = pack(community, tmp_path / "archives")
    before = os.umask(0o077)
    try:
        extract(tmp_path / "archives" / "c.tar.zst", entry, tmp_path / "communities")
    finally:
        os.umask(before)
    for path in [tmp_path / "communities" / "c", *(tmp_path / "communities" / "c").rglob("*")]:
        assert path.stat().st_mode & 0o444 == 0o444, path
        assert path.is_file() or path.stat().st_mode & 0o111 == 0o111, path


@pytest.mark.parametrize("dialect", ["gnu", "oldgnu", "pax", "posix", "ustar", "v7"])
def test_archives_of_other_programs_are_taken(tmp_path, dialect):
    """GNU tar in every dialect it writes, long and foreign names where the dialect has them."""
    folder = tmp_path / "data" / "c" / "full_community" / "set"
    folder.mkdir(parents=True)
    names = ["a.csv", *(["\u00e9" * 60, "x" * 150 + "/y.csv"] if dialect not in {"ustar", "v7"} else [])]
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(name)
    archive = tmp_path / "c.tar.zst"
    command = ["tar", "-C", str(tmp_path), f"--format={dialect}", "-I", "zstd", "-cf", str(archive), "data"]
    subprocess.run(command, check=True)
    entry = ArchiveEntry(
        community_id="c",
        archive_path="archives/c.tar.zst",
        size_bytes=archive.stat().st_size,
        sha256=file_sha256(archive),
    )
    extract(archive, entry, tmp_path / "communities")
    assert files(tmp_path / "communities" / "c" / "full_community" / "set") == files(folder)


def test_what_a_killed_extraction_left_is_removed(community, tmp_path):
    """The next extraction cleans up and starts again."""
    entry = pack(community, tmp_path / "archives")
    left = tmp_path / "communities" / ".c.partial-ki11ed_8" / "full_community"
    left.mkdir(parents=True)
    (left / "half").write_text("x")
    extract(tmp_path / "archives" / "c.tar.zst", entry, tmp_path / "communities")
    assert sorted(path.name for path in (tmp_path / "communities").iterdir()) == [".c.lock", "c"]


def test_the_program_serves_where_the_package_is_missing(community, tmp_path, monkeypatch):
    """With the same result; without either, the command that installs one is named."""
    entry = pack(community, tmp_path / "archives")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    found = extract(tmp_path / "archives" / "c.tar.zst", entry, tmp_path / "communities")
    assert found.n_files == 6
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingExtra, match=r"coda-bench\[data\]"):
        extract(tmp_path / "archives" / "c.tar.zst", entry, tmp_path / "elsewhere")


def test_a_full_disk_leaves_nothing(tmp_path):
    """Of unknown size, larger than a small file system: refused when it is full."""
    mount = tmp_path / "small"
    mount.mkdir()
    options = ["mount", "-t", "tmpfs", "-o", "size=300m", "tmpfs", str(mount)]
    if subprocess.run(options, capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount a small file system")
    try:
        source = tmp_path / "c" / "full_community"
        source.mkdir(parents=True)
        (source / "zeros.bin").write_bytes(bytes(400 << 20))
        entry = pack(tmp_path / "c", tmp_path / "archives").model_copy(update={"extracted_bytes": None})
        with pytest.raises(BadInput, match="the disk is full"):
            extract(tmp_path / "archives" / "c.tar.zst", entry, mount / "communities")
        assert [path.name for path in (mount / "communities").iterdir()] == [".c.lock"]
    finally:
        subprocess.run(["umount", str(mount)], check=True)


def test_the_extracted_community_is_a_releases(community, tmp_path):
    """It lies where a release looks for it."""
    entry = pack(community, tmp_path / "archives")
    extract(tmp_path / "archives" / "c.tar.zst", entry, tmp_path / "communities")
    release = Release(tmp_path)
    assert release.community_directory("c").is_dir()
    assert len(release.manifest("c")) == 6
