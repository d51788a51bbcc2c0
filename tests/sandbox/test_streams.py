"""Keeping head and tail."""

from hypothesis import given
from hypothesis import strategies as st

from coda_bench.sandbox.streams import Kept


@given(st.lists(st.binary(max_size=40)), st.integers(0, 60))
def test_head_and_tail_are_kept_whatever_the_pieces(parts, limit):
    """What is kept is the stream's start and end, the gap counted to the byte, however it arrives."""
    kept = Kept(limit)
    for part in parts:
        kept.add(part)
    whole = b"".join(parts)
    assert kept.dropped == max(0, len(whole) - limit)
    if kept.dropped:
        head, tail = (limit + 1) // 2, limit // 2
        gap = f"\n[... {kept.dropped} bytes dropped ...]\n".encode()
        assert kept.content() == whole[:head] + gap + whole[len(whole) - tail :]
    else:
        assert kept.content() == whole
