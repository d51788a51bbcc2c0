"""Files opened against targets, and where they stand in the picture."""

import json

import pytest

from coda_bench.analyse.evidence import read_evidence
from coda_bench.analyse.opened import OpenedFiles, look_alikes, opened_files
from coda_bench.analyse.positions import Bubble, Found, bubbles, with_room, zero_or_log


@pytest.fixture
def place(bench):
    """Return a function that places the attempts of one run."""

    def placed(*attempts):
        evidence = read_evidence([bench.write_run("a", attempts)], bench.write_release())
        return (*opened_files(evidence), evidence)

    bench.write_release()
    return placed


def test_targets_and_others_are_told_apart(bench, place):
    """Task 1 has two targets: one of them opened, beside two other files."""
    access = bench.access(["set1/table1.csv", "set3/table3.csv", "set4/table4.csv"], ["set3/table3.csv"])
    (found,), _, _ = place(bench.attempt(1, file_access=access))
    assert (found.opened, found.found, found.targets, found.used_targets) == (3, 1, 2, False)
    assert found.decoys == ("farms/set3/table3.csv", "farms/set4/table4.csv")
    assert found.used == ("farms/set3/table3.csv",)


def test_metadata_files_do_not_count(bench, place):
    """Kaggle's metadata file is neither target nor look-alike."""
    access = bench.access(["set0/table0.csv", "set0/dataset-metadata.json"])
    (found,), _, _ = place(bench.attempt(0, file_access=access))
    assert (found.opened, found.decoys) == (1, ())


def test_identical_copy_is_its_target(bench):
    """A file with the target's bytes under another name counts as the target."""
    release = bench.write_release()
    manifest = release / "communities" / "trade" / "manifest.jsonl"
    rows = [json.loads(line) for line in manifest.read_text().splitlines()]
    rows[9]["sha256"] = rows[0]["sha256"]
    manifest.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = bench.write_run("a", [bench.attempt(0, file_access=bench.access([rows[9]["path"]]))])
    (found,), _ = opened_files(read_evidence([run], release))
    assert (found.found, found.used_targets, found.decoys) == (1, True, ())


def test_sweep_counts_what_it_used(bench, place):
    """Of an attempt that opens a quarter of the community only the files it computed from are look-alikes."""
    access = bench.access(bench.files["trade"], ["set5/table5.csv"])
    (found,), _, _ = place(bench.attempt(0, file_access=access))
    assert (found.sweep, found.decoys, found.used) == (True, ("trade/set5/table5.csv",), ("trade/set5/table5.csv",))


def test_sweep_that_uses_everything_has_no_look_alikes(bench, place):
    """Reading everything in one go tells nothing about what looked right."""
    (found,), _, _ = place(bench.attempt(0, file_access=bench.access(bench.files["trade"])))
    assert found.sweep
    assert (found.opened, found.found, found.decoys) == (40, 1, ())


def test_unplaced_attempts_are_counted_by_reason(bench, place):
    """Lost sandboxes and incomplete tracking have no place; both are counted."""
    incomplete = bench.access(["set0/table0.csv"], complete=False)
    placed, unplaced, _ = place(
        bench.attempt(0, file_access=None), bench.attempt(1, file_access=incomplete), bench.attempt(2)
    )
    assert len(placed) == 1
    assert (unplaced["a"].without_access, unplaced["a"].incomplete) == (1, 1)


def test_look_alikes_by_attempts_then_use(bench, place):
    """Most opened first; among equals the one that was used."""
    access = bench.access(["set5/table5.csv", "set6/table6.csv", "set1/table1.csv"], ["set6/table6.csv"])
    other = bench.access(["set5/table5.csv"], [])
    placed, _, evidence = place(
        bench.attempt(0, file_access=access), bench.attempt(2, file_access=other), bench.attempt(4, file_access=other)
    )
    found = look_alikes(placed, evidence)
    assert [(file.path, file.opened, file.used) for file in found] == [
        ("trade/set5/table5.csv", 3, 0),
        ("trade/set6/table6.csv", 1, 1),
        ("trade/set1/table1.csv", 1, 0),
    ]
    assert found[0].tasks == (0, 2, 4)
    assert found[0].targets[0] == "set0/table0.csv"
    assert set(found[0].targets) == {"set0/table0.csv", "set2/table2.csv", "set4/table4.csv"}


def _attempt(opened: int, found: int, *, used: bool = False) -> OpenedFiles:
    return OpenedFiles(
        label="a",
        instance_id=0,
        epoch=1,
        opened=opened,
        targets=2,
        found=found,
        used_targets=used,
        decoys=(),
        sweep=False,
        used=(),
    )


def test_equal_attempts_share_a_place():
    """Bubbles count attempts; the most crowded comes first."""
    found = bubbles([_attempt(0, 0), _attempt(2, 2, used=True), _attempt(2, 2, used=True), _attempt(3, 1)])
    assert found == [
        Bubble(opened=2, found=Found.USED, attempts=2),
        Bubble(opened=0, found=Found.NONE, attempts=1),
        Bubble(opened=3, found=Found.SOME, attempts=1),
    ]


def test_neighbours_above_ten_share_a_place():
    """100 and 101 files stand at their geometric mean; ten and eleven stay apart."""
    (near,) = bubbles([_attempt(100, 2), _attempt(101, 2)])
    assert near.attempts == 2
    assert near.opened == pytest.approx(100.4988, abs=1e-4)
    assert len(bubbles([_attempt(10, 2), _attempt(11, 2)])) == 2


def test_no_file_stands_left_of_one():
    """The logarithmic axis has a place for zero."""
    assert zero_or_log(0) < zero_or_log(1) == 0 < zero_or_log(10) == 1


def test_numbers_do_not_touch():
    """Of neighbours at one height the first keeps its number; other heights do not matter."""
    one, near, above = (
        Bubble(opened=100, found=Found.ALL, attempts=9),
        Bubble(opened=120, found=Found.ALL, attempts=8),
        Bubble(opened=120, found=Found.USED, attempts=7),
    )
    assert with_room([one, near, above]) == [one, above]
