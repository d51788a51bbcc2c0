"""Every way to read a file is seen, and nothing is that does not read one, with either tracker."""

import pytest

from tracker.cases import LOOKS, RAW_READS, READS
from tracker.ground import Outcome, run


def test_there_are_enough_cases():
    """At least fifty ways to read and fifteen ways not to."""
    assert len(READS) >= 50
    assert len(LOOKS) >= 15
    assert len({(case.argv[0], case.name) for case in (*READS, *LOOKS)}) == len(READS) + len(LOOKS)


@pytest.mark.parametrize("case", READS, ids=lambda case: case.name)
def test_reading_is_seen(watched, reads, case):
    """The file is recorded, its neighbour is not; what cannot be seen is refused."""
    if case in RAW_READS and reads is None:
        pytest.skip("no C compiler with a static library here")
    found = run(case, watched)
    assert found.outcome in {Outcome.SEEN, Outcome.REFUSED}, found


@pytest.mark.parametrize("case", LOOKS, ids=lambda case: case.name)
def test_looking_is_not_counted(watched, case):
    """Names, sizes and refused openings are no reading."""
    found = run(case, watched)
    assert found.outcome is Outcome.NOT_COUNTED, found
