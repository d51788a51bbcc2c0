"""Packing and extracting sound communities: the same files, the same bytes, once for all."""

import os
import shutil
import subprocess
import sys

import pytest

from coda_bench.archives.extract import extract
from coda_bench.archives.pack import pack
from coda_bench.errors import BadInput
from coda_bench.layout import Release
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
    assert list((tmp_path / "archives").iterdir()) == []


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


def test_what_a_killed_extraction_left_is_removed(community, tmp_path):
    """The next extraction cleans up and starts again."""
    entry = pack(community, tmp_path / "archives")
    left = tmp_path / "communities" / ".c.partial-killed" / "full_community"
    left.mkdir(parents=True)
    (left / "half").write_text("x")
    extract(tmp_path / "archives" / "c.tar.zst", entry, tmp_path / "communities")
    assert sorted(path.name for path in (tmp_path / "communities").iterdir()) == [".c.lock", "c"]


def test_the_library_takes_over_where_there_is_no_program(community, tmp_path, monkeypatch):
    """Without a zstd program on the path the package decompresses, with the same result."""
    pytest.importorskip("zstandard")
    entry = pack(community, tmp_path / "archives")
    monkeypatch.setenv("PATH", str(tmp_path))
    found = extract(tmp_path / "archives" / "c.tar.zst", entry, tmp_path / "communities")
    assert found.n_files == 6


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
