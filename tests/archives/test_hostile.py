"""Archives that are not what they should be are refused whole, with a reason, and leave nothing behind."""

import io
import subprocess
import tarfile

import pytest

from coda_bench.archives.extract import extract
from coda_bench.archives.members import BadArchive

ROOT = "data/c/full_community"
FINE = f"{ROOT}/set/a.csv"


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
    "symbolic link out": (tarfile.SYMTYPE, "/etc/passwd", "a link to '/etc/passwd'"),
    "symbolic link within": (tarfile.SYMTYPE, "a.csv", "a link to 'a.csv'"),
    "hard link out": (tarfile.LNKTYPE, "/etc/shadow", "a link to"),
    "hard link within": (tarfile.LNKTYPE, FINE, "a link to"),
    "character device": (tarfile.CHRTYPE, "", "a device, pipe or unknown kind"),
    "block device": (tarfile.BLKTYPE, "", "a device, pipe or unknown kind"),
    "pipe": (tarfile.FIFOTYPE, "", "a device, pipe or unknown kind"),
    "contiguous of an unknown kind": (b"Z", "", "a device, pipe or unknown kind"),
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
    refused(archive, entry, tmp_path / "communities", "a link to")
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


def test_a_sparse_header(make_archive, tmp_path):
    """A sparse file claims a size that the archive does not hold."""
    member = tarfile.TarInfo(FINE)
    member.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": str(1 << 40)}
    raw = member.tobuf(tarfile.PAX_FORMAT)
    archive, entry = make_archive(raw=raw + bytes(10240))
    with pytest.raises(BadArchive):
        extract(archive, entry, tmp_path / "communities")
    assert not (tmp_path / "communities" / "c").exists()


def header(name, size, kind=b"0"):
    member = tarfile.TarInfo(name)
    member.size, member.type = size, kind
    return member.tobuf(tarfile.GNU_FORMAT)


RAW = {
    "huge extended header": (header("x", 1 << 33, b"x") + bytes(2048), "a header of"),
    "huge long name": (header("x", 1 << 33, b"L") + bytes(2048), "a header of"),
    "no tar at all": (b"just text, no archive " * 100, "not a sound tar archive"),
    "empty": (b"", "not a sound tar archive"),
    "only zeros": (bytes(10240), "no data/c/full_community/"),
    "ends within a file": (header(FINE, 5000) + b"x" * 1000, "ends in the middle"),
    "ends without a mark": (header(FINE, 512) + b"x" * 512, "ends in a broken header"),
    "broken second header": (header(FINE, 512) + b"x" * 512 + b"\xff" * 512 + bytes(1024), "broken header"),
    "something behind the end": (header(FINE, 512) + b"x" * 512 + bytes(1024) + b"more", "follows the end"),
    "negative size": (header(FINE, 0)[:124] + b"\xff" * 12 + header(FINE, 0)[136:], "not a sound tar archive"),
}


@pytest.mark.parametrize("name", RAW)
def test_broken_tar_streams(make_archive, tmp_path, name):
    """Headers that lie, streams that end early or go on too long."""
    raw, words = RAW[name]
    archive, entry = make_archive(raw=raw)
    refused(archive, entry, tmp_path / "communities", words)


def test_broken_frames(make_archive, file, tmp_path):
    """No zstd, a truncated frame, a corrupt one, garbage behind it."""
    archive, _ = make_archive([file(FINE, b"text " * 100_000)])
    sound = archive.read_bytes()
    flipped = bytearray(sound)
    flipped[len(flipped) // 2] ^= 0xFF
    for compressed in (b"PK\x03\x04 not zstd", sound[:-20], bytes(flipped), sound + b"garbage"):
        archive, entry = make_archive(compressed=compressed)
        refused(archive, entry, tmp_path / "communities", "refused")


def test_a_wrong_hash_or_size(make_archive, file, tmp_path):
    """What was written meanwhile is removed again."""
    archive, entry = make_archive([file(FINE)], sha256="0" * 64)
    refused(archive, entry, tmp_path / "communities", "the manifest says 0000")
    archive, entry = make_archive([file(FINE)], size_bytes=5)
    refused(archive, entry, tmp_path / "communities", "the manifest says 5")


def test_concatenated_frames_are_sound(make_archive, file, tmp_path):
    """Several frames one after the other are one archive."""
    archive, _ = make_archive([file(FINE)])
    raw = subprocess.run(["zstd", "-dc"], input=archive.read_bytes(), capture_output=True, check=True).stdout
    halves = [raw[:700], raw[700:]]
    frames = [subprocess.run(["zstd", "-cq"], input=half, capture_output=True, check=True).stdout for half in halves]
    archive, entry = make_archive(compressed=b"".join(frames))
    assert extract(archive, entry, tmp_path / "communities").n_files == 1
