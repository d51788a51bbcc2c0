"""Archives of data sets: unpacked within limits, or refused."""

import io
import stat
import struct
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coda_bench.archives.headers import BadArchive
from coda_bench.construct.corpus.kaggle.unzip import LARGEST_DIRECTORY_BYTES, unzip
from construct.corpus.kaggle.site import zipped


def unpacked(tmp_path, content, most_bytes=1 << 20):
    archive, into = tmp_path / "a.zip", tmp_path / "into"
    archive.write_bytes(content)
    into.mkdir()
    return unzip(archive, into, most_bytes=most_bytes), into


def with_member(name, content=b"x", **attributes):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        member = zipfile.ZipInfo(name)
        for key, value in attributes.items():
            setattr(member, key, value)
        archive.writestr(member, content)
    return buffer.getvalue()


def test_files_and_folders_are_written(tmp_path):
    """Counted, with their bytes."""
    counted, into = unpacked(tmp_path, zipped({"a.csv": "x\n1\n", "deep/b.csv": "y\n", "empty/": ""}))
    assert counted == (2, 6)
    assert (into / "deep/b.csv").read_text() == "y\n"


@pytest.mark.parametrize("name", ["../up.csv", "/etc/up.csv", "a/../../up.csv"])
def test_a_member_that_leads_out_is_refused(tmp_path, name):
    """Whether upwards or absolute."""
    with pytest.raises(BadArchive, match=r"up\.csv"):
        unpacked(tmp_path, with_member(name))
    assert not list(tmp_path.rglob("up.csv"))


def test_a_link_is_refused(tmp_path):
    """Nothing below the folder may lead out of it later either."""
    content = with_member("a.csv", b"/etc/passwd", create_system=3, external_attr=(stat.S_IFLNK | 0o777) << 16)
    with pytest.raises(BadArchive, match="symbolic link"):
        unpacked(tmp_path, content)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_comes_twice_is_refused(tmp_path):
    """Also one that differs by case only."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.csv", "1")
        archive.writestr("A.csv", "2")
    with pytest.raises(BadArchive, match="collides"):
        unpacked(tmp_path, buffer.getvalue())


def test_more_bytes_than_allowed_are_refused_before_anything_is_written(tmp_path):
    """By what the list of members says."""
    with pytest.raises(BadArchive, match="together have more than 1000 bytes"):
        unpacked(tmp_path, zipped({"a.bin": bytes(2000)}), most_bytes=1000)
    assert list((tmp_path / "into").iterdir()) == []


def test_a_member_that_lies_about_its_size_is_refused(tmp_path):
    """It says 10 bytes and holds a million."""
    content = bytearray(zipped({"a.bin": bytes(1_000_000)}))
    at = content.rfind(b"PK\x01\x02")
    content[at + 24 : at + 28] = struct.pack("<I", 10)
    with pytest.raises(BadArchive):
        unpacked(tmp_path, bytes(content))
    assert sum(path.stat().st_size for path in (tmp_path / "into").rglob("*")) <= 10


def test_a_list_of_members_that_would_fill_the_memory_is_refused(tmp_path):
    """By the size that the end of the archive states, before it is read."""
    content = bytearray(zipped({"a.bin": b"x"}))
    at = content.rfind(b"PK\x05\x06")
    content[at + 12 : at + 16] = struct.pack("<I", LARGEST_DIRECTORY_BYTES + 1)
    with pytest.raises(BadArchive, match="list of members"):
        unpacked(tmp_path, bytes(content))


@pytest.mark.parametrize(
    "content",
    [b"", b"PK\x05\x06", b"a,b\n1,2\n" * 100, zipped({"a": "b"})[:-30]],
    ids=["nothing", "an end", "a table", "a beginning"],
)
def test_what_is_no_archive_is_refused(tmp_path, content):
    """A table, nothing at all, the end of one, the beginning of one."""
    with pytest.raises(BadArchive):
        unpacked(tmp_path, content)


def test_an_encrypted_member_is_refused(tmp_path):
    """There is nobody to ask for the password."""
    content = bytearray(zipped({"a.bin": b"x"}))
    content[content.rfind(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(BadArchive, match="encrypted"):
        unpacked(tmp_path, bytes(content))


def test_a_large_archive_in_the_longer_format_is_read(tmp_path):
    """More than 65,535 members need zip64, whose end says where the list is."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number in range(65_540):
            archive.writestr(f"{number}/", b"")
        archive.writestr("a.csv", b"x\n")
    counted, _ = unpacked(tmp_path, buffer.getvalue())
    assert counted == (1, 2)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_damage_is_refused_and_never_a_traceback(data, tmp_path_factory):
    """Any byte changed: unpacked all the same, or refused."""
    content = bytearray(zipped({"a.csv": "x,y\n1,2\n" * 20, "b/c.txt": "z" * 50}))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    folder = tmp_path_factory.mktemp("damage")
    try:
        unpacked(folder, bytes(content))
    except BadArchive:
        return
