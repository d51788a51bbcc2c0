"""Communities laid out on disk: what is taken, how it is placed, what is reported, and how it goes on after a cut."""

import json
import os
import shutil
import socket
import unicodedata
from pathlib import Path

import pytest

from coda_bench.construct.environment.lay_out import lay_out
from coda_bench.construct.environment.place import Placer
from coda_bench.construct.environment.walk import folder_names, walk
from coda_bench.errors import BadInput
from coda_bench.layout import Release
from coda_bench.records.environment import load_layout_findings, load_profiles

CSV = "a,b\n1,2\n3,4\n"


def names(folder):
    """Return the community paths of a manifest."""
    return [json.loads(line)["path"] for line in (folder / "manifest.jsonl").read_text().splitlines()]


def found_classes(folder):
    """Return the classes of the findings of a community, with the places."""
    return {one.kind: one.where for one in load_layout_findings(folder / "findings.jsonl")}


def test_a_community_lies_where_a_release_looks_for_it(dataset, tmp_path):
    """The manifest's rows are those that releases read: path, bytes, sha256."""
    members = {"ann/iris": dataset("iris", {"iris.csv": CSV, "dataset-metadata.json": "{}"})}
    members["bob/tips"] = dataset("tips", {"source/tips.csv": CSV})
    found = lay_out(members, tmp_path / "out", "c1")
    (tmp_path / "out" / "coda_bench.json").write_text("[]")
    files = Release.open(tmp_path / "out").manifest("c1")
    assert [(file.path, file.bytes) for file in files] == [
        ("iris/dataset-metadata.json", 2),
        ("iris/iris.csv", 12),
        ("tips/source/tips.csv", 12),
    ]
    assert (found.n_files, found.n_datasets, found.n_bytes, found.n_metadata_files) == (3, 2, 26, 1)
    laid = tmp_path / "out" / "communities" / "c1" / "full_community" / "tips" / "source" / "tips.csv"
    assert laid.read_text() == CSV


def test_nothing_is_copied_where_it_can_be_shared(dataset, tmp_path):
    """On one file system the file is the source itself, or shares its blocks."""
    root = dataset("iris", {"iris.csv": CSV})
    lay_out({"iris": root}, tmp_path / "out", "c1")
    placed = json.loads((tmp_path / "out/communities/c1/laid_out.json").read_text())["placed"]
    assert placed in ({"link": 1}, {"reflink": 1})


def test_content_that_must_be_copied_is_copied_once(dataset, tmp_path):
    """Where no link to a source may be made, a second file of the same bytes is a link to the first copy."""
    root = dataset("iris", {"a.csv": CSV, "b.csv": CSV, "c.csv": "other"})
    lay_out({"iris": root}, tmp_path / "out", "c1", may_link=False)
    placed = json.loads((tmp_path / "out/communities/c1/laid_out.json").read_text())["placed"]
    assert placed in ({"copy": 2, "same": 1}, {"reflink": 3})


def test_a_file_that_not_all_may_read_is_copied_so_that_agents_can(dataset, tmp_path):
    """Agents are another user; setuid bits do not come along either."""
    root = dataset("iris", {"private.csv": CSV, "setuid.csv": "x"})
    (root / "private.csv").chmod(0o600)
    (root / "setuid.csv").chmod(0o4755)
    lay_out({"iris": root}, tmp_path / "out", "c1")
    for path in (tmp_path / "out/communities/c1/full_community/iris").iterdir():
        assert path.stat().st_mode & 0o7004 == 0o004


HARD_NAMES = [
    "with blanks .csv",
    "new\nline.csv",
    "emoji 🦀.csv",
    "-rf.csv",
    "--help",
    "quote'\".csv",
    "percent%20?#.csv",
    "*.csv",
    "ü.csv",
    ".hidden",
    "x" * 251 + ".csv",
    "$(touch pwned).csv",
    "[1].csv",
    "back\\slash.csv",
]


def test_files_of_any_name_are_laid_out_and_profiled(dataset, tmp_path):
    """Blanks, line breaks, dashes, emoji, 255 bytes, what shells and globs take for their own."""
    root = dataset("iris", dict.fromkeys(HARD_NAMES, CSV))
    found = lay_out({"iris": root}, tmp_path / "out", "c1")
    folder = tmp_path / "out/communities/c1"
    assert sorted(names(folder)) == sorted(f"iris/{name}" for name in HARD_NAMES)
    assert found.formats["csv"].files == len(HARD_NAMES)
    assert all((folder / "full_community" / name).read_text() == CSV for name in names(folder))
    assert found.findings == {"awkward_name": 2}


def test_names_that_are_not_utf8_are_reported_and_the_rest_is_built(dataset, tmp_path):
    """No record could name them."""
    root = dataset("iris", {"good.csv": CSV})
    Path(os.fsdecode(os.fsencode(root) + b"/bad\xff.csv")).write_text("x")
    lay_out({"iris": root}, tmp_path / "out", "c1")
    folder = tmp_path / "out/communities/c1"
    assert names(folder) == ["iris/good.csv"]
    assert found_classes(folder) == {"name_not_utf8": "iris/bad\\udcff.csv"}


def test_bad_files_are_laid_out_with_their_problems(dataset, tmp_path):
    """Empty, broken and undecodable ones are in the environment: agents meet such files too."""
    files = {
        "empty.csv": b"",
        "broken.zip": b"PK\x03\x04nothing",
        "broken.xlsx": b"PK\x03\x04",
        "odd.txt": b"\x81\x8d\x90 x",
    }
    found = lay_out({"iris": dataset("iris", files | {"good.csv": CSV})}, tmp_path / "out", "c1")
    assert found.n_files == 5
    problems = {
        one.path: [p.kind for p in one.problems] for one in load_profiles(tmp_path / "out/communities/c1/profile.jsonl")
    }
    assert problems["iris/empty.csv"] == ["empty_file"]
    assert problems["iris/broken.zip"] == problems["iris/broken.xlsx"] == ["broken"]
    assert problems["iris/good.csv"] == []


@pytest.fixture
def linked(dataset, tmp_path):
    """A data set with links of all kinds, and what they point at outside."""
    root = dataset("iris", {"good.csv": CSV, "sub/inner.csv": "x"})
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.csv").write_text("secret")
    (root / "inside.csv").symlink_to("good.csv")
    (root / "inside_folder").symlink_to("sub")
    (root / "out.csv").symlink_to(outside / "secret.csv")
    (root / "out_folder").symlink_to(outside)
    (root / "up.csv").symlink_to("../../outside/secret.csv")
    (root / "nowhere.csv").symlink_to("gone")
    (root / "loop").symlink_to("loop")
    (root / "sub" / "above").symlink_to("..")
    return root


def test_links_inside_become_files_and_links_out_are_not_followed(linked, tmp_path):
    """Nothing outside of the data set's folder is read; what is left out is said."""
    lay_out({"iris": linked}, tmp_path / "out", "c1")
    folder = tmp_path / "out/communities/c1"
    assert names(folder) == ["iris/good.csv", "iris/inside.csv", "iris/inside_folder/inner.csv", "iris/sub/inner.csv"]
    assert not any(path.is_symlink() for path in folder.rglob("*"))
    assert "secret" not in "".join(path.read_text() for path in folder.rglob("*.csv"))
    reported = [(one.kind, one.where) for one in load_layout_findings(folder / "findings.jsonl")]
    assert sorted(reported) == [
        ("broken_link", "iris/loop"),
        ("broken_link", "iris/nowhere.csv"),
        ("link_inside", "iris/inside.csv"),
        ("link_loop", "iris/inside_folder/above"),
        ("link_loop", "iris/sub/above"),
        ("link_out", "iris/out.csv"),
        ("link_out", "iris/out_folder"),
        ("link_out", "iris/up.csv"),
    ]


def test_links_that_multiply_come_to_an_end(dataset):
    """Two links a level to the next: each path is walked, none twice over itself."""
    files = {f"{n}/x.csv": "x" for n in range(6)}
    root = dataset("iris", files)
    for n in range(5):
        (root / str(n) / "l").symlink_to(f"../{n + 1}")
        (root / str(n) / "r").symlink_to(f"../{n + 1}")
    sources, _ = walk({"iris": root})
    assert len(sources) == sum(2 ** (6 - n) - 1 for n in range(6))


def test_pipes_sockets_and_devices_are_reported_not_opened(dataset, tmp_path):
    """Opening a pipe that nobody writes would wait for ever."""
    root = dataset("iris", {"good.csv": CSV})
    os.mkfifo(root / "pipe.csv")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(root / "s.csv"))
        lay_out({"iris": root}, tmp_path / "out", "c1")
    folder = tmp_path / "out/communities/c1"
    assert names(folder) == ["iris/good.csv"]
    assert [one.kind for one in load_layout_findings(folder / "findings.jsonl")] == ["special_file"] * 2


def test_a_missing_data_set_is_a_finding_and_the_rest_is_built(dataset, tmp_path):
    """A community of which nothing is there is refused."""
    members = {"iris": dataset("iris", {"good.csv": CSV}), "gone": tmp_path / "gone", "hollow": dataset("hollow", {})}
    found = lay_out(members, tmp_path / "out", "c1")
    assert found.findings == {"missing_dataset": 1, "no_files": 1}
    with pytest.raises(BadInput, match="no file to lay out"):
        lay_out({"gone": tmp_path / "gone"}, tmp_path / "out", "c2")
    assert not (tmp_path / "out/communities/c2").exists()


def test_data_sets_of_one_name_lie_apart():
    """Owners keep them apart, also where only case differs; the others keep their plain slug."""
    folders, findings = folder_names(["ann/iris", "bob/Iris", "ann/tips"])
    assert folders == {"ann/iris": "ann--iris", "bob/Iris": "bob--Iris", "ann/tips": "tips"}
    assert [one.kind for one in findings] == ["slug_collision"] * 2


@pytest.mark.parametrize("name", ["..", "a/..", ".", "", "a/" + "x" * 256])
def test_an_id_that_is_no_folder_name_is_refused(name):
    """It would lead elsewhere."""
    with pytest.raises(BadInput, match="cannot be a folder's"):
        folder_names([name])


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden", "x\n"])
def test_a_community_of_no_plain_name_is_refused(dataset, tmp_path, name):
    """It becomes a folder."""
    with pytest.raises(BadInput, match="not a plain directory name"):
        lay_out({"iris": dataset("iris", {"a.csv": CSV})}, tmp_path / "out", name)


def test_names_that_differ_in_case_or_unicode_form_only_are_reported(dataset, tmp_path):
    """Both are laid out; no archive could hold both."""
    composed, decomposed = (unicodedata.normalize(form, "é.csv") for form in ("NFC", "NFD"))
    root = dataset("iris", {"A/x.csv": CSV, "a/x.csv": CSV, composed: CSV, decomposed: CSV})
    found = lay_out({"iris": root}, tmp_path / "out", "c1")
    assert found.n_files == 4
    assert found.findings == {"name_collision": 3}  # the folders, the files in them, the two forms


def files_of(folder):
    """Return the bytes of the records that must not depend on machine or order."""
    return [
        (folder / name).read_bytes()
        for name in ("manifest.jsonl", "profile.jsonl", "findings.jsonl", "environment.json")
    ]


def test_the_same_input_gives_the_same_bytes(dataset, tmp_path):
    """From another place, in another order of members, with another number of processes."""
    files = {f"{n}.csv": CSV * (n + 1) for n in range(9)} | {"x.json": '{"a": 1}'}
    members = {"b": dataset("b", files), "a": dataset("a", files)}
    lay_out(members, tmp_path / "one", "c1", n_workers=1)
    shutil.copytree(tmp_path / "corpus", tmp_path / "elsewhere")
    moved = {name: tmp_path / "elsewhere" / name for name in sorted(members)}
    lay_out(moved, tmp_path / "two", "c1", n_workers=3, may_link=False)
    assert files_of(tmp_path / "one/communities/c1") == files_of(tmp_path / "two/communities/c1")


class Cut(Exception):
    """The run is cut here."""


def cut_after(n):
    """Return a progress that ends the run after so many files."""

    def report(done):
        if done.n_files >= n:
            raise Cut

    return report


def test_an_interrupted_run_goes_on_where_it_stopped(dataset, tmp_path):
    """What was profiled is not read again, and there is no community before all of it is there."""
    root = dataset("iris", {f"{n}.csv": CSV for n in range(8)})
    with pytest.raises(Cut):
        lay_out({"iris": root}, tmp_path / "out", "c1", progress=cut_after(5))
    assert not (tmp_path / "out/communities/c1").exists()
    seen = []
    lay_out({"iris": root}, tmp_path / "out", "c1", progress=seen.append)
    assert seen[0].n_files == 5
    assert seen[-1].n_files == seen[-1].n_files_all == 8
    assert [path.name for path in (tmp_path / "out/communities").iterdir() if path.is_dir()] == ["c1"]


def test_a_journal_torn_by_a_kill_costs_its_last_line_only(dataset, tmp_path):
    """And a file written since is read again."""
    root = dataset("iris", {f"{n}.csv": CSV for n in range(8)})
    with pytest.raises(Cut):
        lay_out({"iris": root}, tmp_path / "out", "c1", progress=cut_after(8))
    journal = tmp_path / "out/communities/.c1.partial/journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-30])
    (root / "0.csv").write_text("new,content\n1,2\n")
    seen = []
    lay_out({"iris": root}, tmp_path / "out", "c1", n_workers=1, progress=seen.append)
    assert 6 <= seen[0].n_files <= 7
    assert (tmp_path / "out/communities/c1/full_community/iris/0.csv").read_text() == "new,content\n1,2\n"


def test_a_complete_community_is_not_done_again(dataset, tmp_path):
    """Nothing is read; when a source changes, or a file is gone, it is done anew."""
    root = dataset("iris", {"a.csv": CSV, "b.csv": CSV})
    seen = []
    lay_out({"iris": root}, tmp_path / "out", "c1")
    lay_out({"iris": root}, tmp_path / "out", "c1", progress=seen.append)
    assert seen == []
    (tmp_path / "out/communities/c1/full_community/iris/a.csv").unlink()
    lay_out({"iris": root}, tmp_path / "out", "c1", progress=seen.append)
    assert seen
    (root / "b.csv").unlink()
    found = lay_out({"iris": root}, tmp_path / "out", "c1")
    assert found.n_files == 1


def test_a_folder_from_elsewhere_is_left_alone(dataset, tmp_path):
    """It may come from an archive."""
    (tmp_path / "out/communities/c1/full_community").mkdir(parents=True)
    with pytest.raises(BadInput, match="from elsewhere"):
        lay_out({"iris": dataset("iris", {"a.csv": CSV})}, tmp_path / "out", "c1")


def test_a_source_that_is_written_meanwhile_is_refused(dataset, tmp_path):
    """Its hash would be that of other bytes."""
    root = dataset("iris", {"a.csv": CSV})
    sources, _ = walk({"iris": root})
    (root / "a.csv").write_text("other bytes, other size")
    with pytest.raises(BadInput, match="written while"):
        Placer().place(sources[0], "0" * 64, tmp_path / "a.csv")


def test_what_cannot_be_read_is_reported_and_counted(dataset, tmp_path):
    """A file that goes between listing and reading; the others are there."""
    root = dataset("iris", {"a.csv": CSV, "b.csv": CSV})
    lay_out({"iris": root}, tmp_path / "out", "c1", progress=lambda _: (root / "b.csv").unlink(missing_ok=True))
    folder = tmp_path / "out/communities/c1"
    assert names(folder) == ["iris/a.csv"]
    assert found_classes(folder) == {"unreadable_file": "iris/b.csv"}
