"""Stored files: whole or not at all, and faults named by place."""

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coda_bench.errors import BadInput, UnknownFormat
from coda_bench.records.record import StoredRecord
from coda_bench.records.storage import append_line, read_json, read_json_lines, write_atomically


def test_a_file_is_replaced_in_one_step(tmp_path):
    """Nothing but the new content, nothing left beside it."""
    path = tmp_path / "new" / "file.json"
    for content in ("one", b"two"):
        write_atomically(path, content)
    assert path.read_text() == "two"
    assert list(path.parent.iterdir()) == [path]


def test_a_failed_write_leaves_the_old_file(tmp_path):
    """And no temporary file."""
    path = tmp_path / "file"
    write_atomically(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "\ud800")
    directory = tmp_path / "directory"
    directory.mkdir()
    with pytest.raises(OSError, match="directory"):
        write_atomically(directory, "new")
    assert path.read_text() == "old"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["directory", "file"]


def test_a_device_or_pipe_is_never_replaced(tmp_path):
    """A rename onto `/dev/stdout` would take it from the whole machine."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    link = tmp_path / "link"
    link.symlink_to(pipe)
    for path in (pipe, link):
        with pytest.raises(OSError, match="not a regular file"):
            write_atomically(path, "new")
    assert pipe.is_fifo()
    assert link.is_symlink()


def test_a_link_stays_and_its_file_is_replaced(tmp_path):
    """Also when that file does not exist yet."""
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "file")
    for content in ("one", "two"):
        write_atomically(link, content)
    assert link.is_symlink()
    assert (tmp_path / "file").read_text() == "two"


def test_an_endless_device_is_not_read():
    """It would fill the memory."""
    for read in (read_json, lambda path: list(read_json_lines(path))):
        with pytest.raises(BadInput, match="no regular file"):
            read(Path("/dev/zero"))


def test_a_written_file_is_readable_by_others(tmp_path):
    """Not the private mode of a temporary file."""
    path = tmp_path / "file"
    write_atomically(path, "x")
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_torn_last_line_does_not_swallow_the_next(tmp_path):
    """What a kill in the middle of an append leaves behind."""
    path = tmp_path / "journal"
    append_line(path, '{"a": 1}')
    with path.open("ab") as stream:
        stream.write(b'{"a": ')
    append_line(path, '{"a": 2}')
    assert path.read_bytes() == b'{"a": 1}\n{"a": \n{"a": 2}\n'


@given(st.lists(st.text(st.characters(exclude_characters="\n\r", codec="utf-8"), min_size=1, max_size=20), max_size=4))
def test_appended_lines_come_back(lines):
    """In order, each on its own."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "journal"
        for line in lines:
            append_line(path, json.dumps(line))
        assert [row for _, row in read_json_lines(path)] == lines if lines else not path.exists()


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff", b"[" * 100_000, b"9" * 5000, b'{"a": "\xff"}', b'{"a": 1, "a": 2}', b'["\\ud800"]'],
    ids=lambda content: repr(content[:9]),
)
def test_what_is_not_json_is_bad_input(tmp_path, content):
    """Also nested too deeply, with an integer beyond what Python reads, or readable in two ways or none."""
    path = tmp_path / "file.json"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=r"file\.json"):
        read_json(path)


def test_missing_files_and_directories_are_bad_input(tmp_path):
    """The reason of the operating system is kept."""
    for path, reason in ((tmp_path / "none", "No such file"), (tmp_path, "directory")):
        with pytest.raises(BadInput, match=reason):
            read_json(path)
        with pytest.raises(BadInput, match=reason):
            list(read_json_lines(path))


def test_lines_come_with_their_numbers(tmp_path):
    """Blank lines are skipped and counted."""
    path = tmp_path / "file.jsonl"
    path.write_bytes(b'{"a": 1}\n\n2\n')
    assert list(read_json_lines(path)) == [(1, {"a": 1}), (3, 2)]


@pytest.mark.parametrize("content", [b"x\n", b"\xff\n", b"[" * 100_000, b"9" * 5000])
def test_a_line_that_is_not_json_is_named_by_number(tmp_path, content):
    """Counting from one."""
    path = tmp_path / "file.jsonl"
    path.write_bytes(b"1\n" + content)
    with pytest.raises(BadInput, match=r"file\.jsonl:2: not a JSON line"):
        list(read_json_lines(path))


class Note(StoredRecord):
    """A stored record for the tests."""

    text: str


@pytest.mark.parametrize("row", [{"text": "x"}, {"format_version": 2, "text": "x"}, {"format_version": "1"}, [], None])
def test_unknown_format_versions_are_refused_before_anything_else(row):
    """Missing, newer or of another type."""
    with pytest.raises(UnknownFormat, match="here: format version"):
        Note.from_stored(row, where="here")


def test_a_stored_record_names_its_faulty_field():
    """And refuses fields it does not know."""
    assert Note.from_stored({"format_version": 1, "text": "x"}, where="here").text == "x"
    with pytest.raises(BadInput, match="here: text: Field required"):
        Note.from_stored({"format_version": 1}, where="here")
    with pytest.raises(BadInput, match="here: txt: Extra inputs"):
        Note.from_stored({"format_version": 1, "text": "x", "txt": ""}, where="here")
