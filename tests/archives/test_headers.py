"""Headers that the standard library writes are read as they were meant, in every dialect."""

import io
import tarfile

from hypothesis import given
from hypothesis import strategies as st

from coda_bench.archives.headers import next_member, padding
from coda_bench.archives.stream import Forward

NAMES = st.text(st.characters(exclude_characters="\0/", exclude_categories=["Cs"]), min_size=1, max_size=90)
SIZES = st.integers(0, 1 << 50)


@given(
    path=st.lists(NAMES, min_size=1, max_size=6).map("/".join),
    size=SIZES,
    is_folder=st.booleans(),
    dialect=st.sampled_from([tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]),
)
def test_what_was_written_is_read(path, size, is_folder, dialect):
    """Names of any length and letters, sizes beyond 8 GiB, files and folders."""
    member = tarfile.TarInfo(path)
    member.size, member.type = size, tarfile.DIRTYPE if is_folder else tarfile.REGTYPE
    raw = member.tobuf(dialect, "utf-8", "surrogateescape") + bytes(512)
    stream = Forward(io.BytesIO(raw), len(raw))
    found = next_member(stream)
    assert (found.name, found.size, found.kind) == (path, size, "folder" if is_folder else "file")
    assert next_member(stream) is None


def test_a_filling_ends_at_a_whole_block():
    """By hand: 0, 1, 512 and 513 bytes."""
    assert [padding(size) for size in (0, 1, 512, 513)] == [0, 511, 0, 511]
