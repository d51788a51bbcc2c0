"""Archives that are not what they should be are refused whole, with a reason, and leave nothing behind."""

import gzip
import io
import sys
import tarfile
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coda_bench.archives.extract import extract
from coda_bench.archives.headers import BadArchive

ROOT = "data/c/full_community"
FINE = f"{ROOT}/set/a.csv"


@pytest.fixture(params=["package", "program"], autouse=True)
def decompressor(request, monkeypatch):
    """Every case is tried with the package zstandard, and with the program that serves where it is missing."""
    if request.param == "program":
        monkeypatch.setitem(sys.modules, "zstandard", None)
    else:
        pytest.importorskip("zstandard")


def refused(archive, entry, folder, words):
    """Check that nothing is kept, and that the reason is given."""
    with pytest.raises(BadArchive) as caught:
        extract(archive, entry, folder)
    assert words in str(caught.value)
    assert str(archive) in str(caught.value)
    assert sorted(path.name for path in folder.iterdir()) == [".c.lock"]


NAMES = {
    "absolute path": ("/etc/cron.d/x", "not a relative path"),
    "dots upwards": (f"{ROOT}/../../../x", "leads out of the archive"),
    "dots in the middle": (f"{ROOT}/a/../b", "leads out of the archive"),
    "outside the community": ("data/other/full_community/x", "outside data/c/"),
    "beside full_community": ("data/c/x", "outside data/c/full_community/"),
    "file in place of the root": ("data/c", "a file where a folder belongs"),
    "name too long": (f"{ROOT}/{'x' * 256}", "more than 255 bytes"),
    "path too long": (f"{ROOT}/" + "/".join(["x" * 200] * 16), "too long or too deep"),
    "path too deep": (f"{ROOT}/" + "/".join("x" * 70), "too long or too deep"),
    "name that is not UTF-8": (f"{ROOT}/\udcff.csv", "not UTF-8"),
}


@pytest.mark.parametrize("name", NAMES)
def test_names_that_lead_elsewhere(make_archive, file, tmp_path, name):
    """Absolute, upward, foreign, overlong and undecodable names."""
    bad, words = NAMES[name]
    member, content = file(FINE)
    other, more = file(bad)
    if "\udcff" in bad:
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT, errors="surrogateescape") as tar:
            tar.addfile(member, io.BytesIO(content))
            tar.addfile(other, io.BytesIO(more))
        archive, entry = make_archive(raw=buffer.getvalue())
    else:
        archive, entry = make_archive([(member, content), (other, more)])
    refused(archive, entry, tmp_path / "communities", words)


KINDS = {
    "symbolic link out": (tarfile.SYMTYPE, "/etc/passwd", "a symbolic link to '/etc/passwd'"),
    "symbolic link within": (tarfile.SYMTYPE, "a.csv", "a symbolic link to 'a.csv'"),
    "hard link out": (tarfile.LNKTYPE, "/etc/shadow", "a hard link to"),
    "hard link within": (tarfile.LNKTYPE, FINE, "a hard link to"),
    "character device": (tarfile.CHRTYPE, "", "a character device"),
    "block device": (tarfile.BLKTYPE, "", "a block device"),
    "pipe": (tarfile.FIFOTYPE, "", "a pipe"),
    "contiguous file": (tarfile.CONTTYPE, "", "unknown kind"),
    "member of an unknown kind": (b"Z", "", "unknown kind"),
}


@pytest.mark.parametrize("name", KINDS)
def test_members_that_are_no_files(make_archive, file, special, tmp_path, name):
    """Links of all kinds, devices, pipes and unknown types."""
    kind, target, words = KINDS[name]
    archive, entry = make_archive([file(FINE), special(f"{ROOT}/x", kind, target)])
    refused(archive, entry, tmp_path / "communities", words)


def test_a_link_that_a_later_member_would_write_through(make_archive, file, special, tmp_path):
    """The link itself is refused; the file outside stays as it is."""
    outside = tmp_path / "outside"
    outside.mkdir()
    members = [special(f"{ROOT}/d", tarfile.SYMTYPE, str(outside)), file(f"{ROOT}/d/x.csv")]
    archive, entry = make_archive(members)
    refused(archive, entry, tmp_path / "communities", "a symbolic link to")
    assert list(outside.iterdir()) == []


PAIRS = {
    "by case": (f"{ROOT}/A.csv", f"{ROOT}/a.csv", "collides with"),
    "by Unicode form": (f"{ROOT}/caf\u00e9.csv", f"{ROOT}/cafe\u0301.csv", "collides with"),
    "of folders by case": (f"{ROOT}/Set/a.csv", f"{ROOT}/set/b.csv", "collides with"),
    "twice the same": (FINE, FINE, "stands twice"),
    "a file and a folder": (f"{ROOT}/x", f"{ROOT}/x/y.csv", "is a file and a folder"),
}


@pytest.mark.parametrize("name", PAIRS)
def test_names_that_collide(make_archive, file, tmp_path, name):
    """Names that some file system or reader would take for one."""
    one, other, words = PAIRS[name]
    archive, entry = make_archive([file(one), file(other)])
    refused(archive, entry, tmp_path / "communities", words)


@pytest.mark.parametrize("mode", [0o4755, 0o2755, 0o1777])
def test_special_permission_bits(make_archive, file, tmp_path, mode):
    """Setuid, setgid and sticky."""
    archive, entry = make_archive([file(FINE, mode=mode)])
    refused(archive, entry, tmp_path / "communities", "setuid, setgid or sticky bit")


def test_a_bomb_by_ratio(make_archive, tmp_path):
    """More than a gibibyte of zeros in a few kilobytes: stopped by its declared size, before it is written."""
    member = tarfile.TarInfo(FINE)
    member.size = 3 << 30
    header = member.tobuf(tarfile.PAX_FORMAT)
    archive, entry = make_archive(raw=header + bytes(1 << 20))
    refused(archive, entry, tmp_path / "communities", "the files together have more than")


def test_a_bomb_of_known_size(make_archive, file, tmp_path):
    """Where the manifest knows the size, one byte more is too many."""
    archive, entry = make_archive([file(FINE)], extracted_bytes=7)
    refused(archive, entry, tmp_path / "communities", "more than 7 bytes")


def test_fewer_files_than_the_manifest_says(make_archive, file, tmp_path):
    """A shortened archive with a fitting hash is still noticed."""
    archive, entry = make_archive([file(FINE)], n_files=2)
    refused(archive, entry, tmp_path / "communities", "1 files, the manifest says 2")


def header(name, size=0, kind=b"0"):
    """One header block."""
    member = tarfile.TarInfo(name)
    member.size, member.type = size, kind
    return member.tobuf(tarfile.GNU_FORMAT)


def sealed(block):
    """A header block with the checksum it should have."""
    total = sum(block[:148]) + 8 * 32 + sum(block[156:512])
    return block[:148] + b"%06o\0 " % total + block[156:]


def extended(*records, kind=b"x"):
    """An extended header that says so of the next member."""
    content = b"".join(records)
    return header("x", len(content), kind) + content + bytes(-len(content) % 512)


END = bytes(1024)
FILE = header(FINE, 512) + b"x" * 512
RAW = {
    "huge extended header": (header("x", 1 << 33, b"x") + bytes(2048), "an extended header of 8589934592 bytes"),
    "huge long name": (header("x", 1 << 33, b"L") + bytes(2048), "an extended header of"),
    "chain of extended headers": (extended(b"20 comment=aaaaaaaa\n") * 3000 + END, "two extended headers"),
    "digits without end": (extended(b"1" * 65_536) + END, "a broken extended header"),
    "record longer than its header": (extended(b"99 path=x\n") + END, "a broken extended header"),
    "record without a sign": (extended(b"7 path\n") + END, "a broken extended header"),
    "size in letters": (extended(b"9 size=1x\n") + FILE + END, "a broken extended header"),
    "size below zero": (extended(b"11 size=-5\n") + FILE + END, "a size of '-5'"),
    "size of many digits": (extended(b"39 size=" + b"9" * 30 + b"\n") + FILE + END, "a size of '9999"),
    "size beyond all disks": (sealed(header(FINE)[:124] + b"\x80" + b"\x7f" * 11 + header(FINE)[136:]), "more than"),
    "name replaced by an upward one": (extended(b"22 path=../../../evil\n") + FILE + END, "leads out"),
    "names of all replaced": (extended(b"15 path=/etc/x\n", kind=b"g") + FILE + END, "a global header"),
    "name with a zero byte": (extended(b"13 path=a\0bc\n") + FILE + END, "a zero byte"),
    "long name upward": (header("x", 7, b"L") + b"../../x".ljust(512, b"\0") + FILE + END, "leads out"),
    "extended header of nothing": (extended(b"11 mtime=1\n") + END, "broken header"),
    "sparse map without end": (header(FINE, 0, b"S") + b"\1" * 51_200 + END, "a sparse file"),
    "sparse by extended header": (extended(b"22 GNU.sparse.major=1\n") + FILE + END, "a sparse file"),
    "folder with bytes": (header(f"{ROOT}/d", 512, b"5") + b"x" * 512 + END, "a folder of 512 bytes"),
    "no tar at all": (b"just text, no archive " * 100, "not a tar archive"),
    "empty": (b"", "ends in the middle"),
    "only zeros": (bytes(10240), "no data/c/full_community/"),
    "zeros without end": (FILE + bytes(64 << 20), "follows the end"),
    "ends within a file": (header(FINE, 5000) + b"x" * 1000, "ends in the middle"),
    "ends within a filling": (header(FINE, 5) + b"x" * 5, "ends in the middle"),
    "ends without a mark": (FILE, "ends in the middle"),
    "broken second header": (FILE + b"\xff" * 512 + END, "broken header"),
    "something behind the end": (FILE + END + b"more", "follows the end"),
    "negative size": (sealed(header(FINE)[:124] + b"\xff" * 12 + header(FINE)[136:]), "broken header"),
    "full_community is a file": (header(ROOT, 1) + b"x".ljust(512, b"\0") + END, "no data/c/full_community/"),
}


@pytest.mark.parametrize("name", RAW)
def test_broken_tar_streams(make_archive, tmp_path, name):
    """Headers that lie, streams that end early or go on too long."""
    raw, words = RAW[name]
    archive, entry = make_archive(raw=raw)
    refused(archive, entry, tmp_path / "communities", words)


def flipped(sound):
    """The frame with one byte changed in its middle."""
    middle = len(sound) // 2
    return sound[:middle] + bytes([sound[middle] ^ 0xFF]) + sound[middle + 1 :]


WINDOW_OF_2_GIB = b"\x28\xb5\x2f\xfd\x00\xa8"
FRAMES = {
    "another format": (lambda _: b"PK\x03\x04 not zstd", "does not begin like one"),
    "gzip by the name of zstd": (gzip.compress, "does not begin like one"),
    "nothing": (lambda _: b"", "does not begin like one"),
    "truncated": (lambda sound: sound[:-20], "refused"),
    "corrupt": (flipped, "refused"),
    "garbage behind": (lambda sound: sound + b"garbage", "refused"),
    "window of 2 GiB": (lambda _: WINDOW_OF_2_GIB + b"\x09\0\0x", "a window of more than 128 MiB"),
    "dictionary of its own": (lambda sound: sound[:4] + b"\x01\x58\x07" + sound[6:], "refused"),
}


@pytest.mark.parametrize("name", FRAMES)
def test_broken_frames(make_archive, file, tmp_path, name):
    """Other formats, truncated and corrupt frames, and those that ask for gigabytes of memory."""
    archive, _ = make_archive([file(FINE, b"text " * 100_000)])
    spoil, words = FRAMES[name]
    archive, entry = make_archive(compressed=spoil(archive.read_bytes()))
    refused(archive, entry, tmp_path / "communities", words)


def test_a_wrong_hash_or_size(make_archive, file, tmp_path):
    """What was written meanwhile is removed again."""
    archive, entry = make_archive([file(FINE)], sha256="0" * 64)
    refused(archive, entry, tmp_path / "communities", "the manifest says 0000")
    archive, entry = make_archive([file(FINE)], size_bytes=5)
    refused(archive, entry, tmp_path / "communities", "the manifest says 5")


def test_several_frames_are_one_archive(make_archive, compress, tmp_path):
    """One after the other, with a frame to skip before and between."""
    raw = header(FINE, 512) + b"x" * 512 + END
    skipped = b"\x50\x2a\x4d\x18\x04\0\0\0note"
    archive, entry = make_archive(compressed=skipped + compress(raw[:700]) + skipped + compress(raw[700:]))
    assert extract(archive, entry, tmp_path / "communities").n_files == 1


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_spoilt_tar_stream_is_refused_or_harmless(make_archive, data):
    """Any few bytes changed anywhere: an error of ours or a community, never a traceback or a file elsewhere."""
    raw = bytearray(extended(b"25 path=" + FINE[:14].encode() + b"/b\n") + FILE + header(f"{ROOT}/e", 3) + END)
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    for at in range(0, len(raw) - 511, 512):
        if data.draw(st.booleans()) and raw[at + 257 : at + 262] == b"ustar":
            raw[at : at + 512] = sealed(bytes(raw[at : at + 512]))
    archive, entry = make_archive(raw=bytes(raw))
    with tempfile.TemporaryDirectory() as folder:
        with suppress(BadArchive):
            extract(archive, entry, Path(folder) / "communities", force=True)
        assert {path.name for path in Path(folder).iterdir()} == {"communities"}
        assert {path.name for path in (Path(folder) / "communities").iterdir()} <= {".c.lock", "c"}
