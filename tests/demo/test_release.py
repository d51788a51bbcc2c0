"""The built demo release, and the build itself."""

import csv
import io
import json
import re
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import PurePosixPath

import pytest

from coda_bench import load_tasks
from coda_bench.demo.build import BUILD_FILE, build_release
from coda_bench.demo.catalog import load_catalog
from coda_bench.demo.communities import write_communities
from coda_bench.demo.proof import prove_golds
from coda_bench.demo.tasks import load_demo_tasks
from coda_bench.errors import BadInput, GoldMismatch
from coda_bench.layout import IGNORED_NAMES, file_sha256
from coda_bench.records.targets import Provenance
from coda_bench.records.task import map_by_question
from coda_bench.sandbox.analysis_env import find

pytestmark = pytest.mark.xdist_group("demo")

FORMATS = {".csv", ".json", ".parquet", ".xlsx", ".sqlite", ".db", ".dta", ".txt", ".jpg", ".png", ".pdf"}
PACKED = {".bz2", ".gz", ".zip"}


@pytest.fixture(scope="module")
def files(release):
    """Every data file as (community, path below the community), without Kaggle metadata."""
    return [
        (community, PurePosixPath(file.path))
        for community in load_catalog().communities
        for file in release.manifest(community)
        if PurePosixPath(file.path).name not in IGNORED_NAMES
    ]


def test_there_are_enough_files_of_enough_formats(files):
    """At least 300 files in at least two communities, in every promised format."""
    assert len(files) >= 300
    assert len({community for community, _ in files}) >= 2
    suffixes = {path.suffix for _, path in files}
    assert suffixes >= FORMATS | PACKED


def test_every_file_lies_in_a_slug_like_dataset_folder(release, files):
    """Folders look like published data sets and carry their metadata."""
    for community, path in files:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", path.parts[0])
        metadata = release.community_directory(community) / path.parts[0] / "dataset-metadata.json"
        assert json.loads(metadata.read_text())["licenses"][0]["name"]


def test_natural_look_alikes_are_kept(release, files):
    """Files that share a name or a header with another lie in the same community."""
    names = Counter((community, path.name) for community, path in files)
    shared_names = {name for (_, name), count in names.items() if count > 1}
    assert shared_names >= {"penguins.csv", "iris.csv", "airports.csv", "fair.csv"}
    headers = defaultdict(list)
    for community, path in files:
        if path.suffix == ".csv":
            with (release.community_directory(community) / path).open(encoding="utf-8-sig") as stream:
                first = next(csv.reader(io.StringIO(stream.readline())))
            headers[community, tuple(sorted(name.strip().lower() for name in first))].append(path)
    assert sum(len(group) > 1 for group in headers.values()) >= 7


def test_manifests_tell_the_bytes_on_disk(release):
    """Sizes and hashes of all files are those of the manifest, and nothing else lies there."""
    for community in load_catalog().communities:
        root = release.community_directory(community)
        manifest = {file.path: file for file in release.manifest(community)}
        found = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
        assert set(found) == set(manifest)
        for name, path in found.items():
            assert (path.stat().st_size, file_sha256(path)) == (manifest[name].bytes, manifest[name].sha256)


def test_the_data_repeat_byte_for_byte(release, tmp_path):
    """Writing the communities again gives the same manifests."""
    write_communities(load_catalog(), tmp_path, progress=lambda _line: None)
    for community in load_catalog().communities:
        again = (tmp_path / "communities" / community / "manifest.jsonl").read_bytes()
        assert again == release.manifest_file(community).read_bytes()


def test_task_files_load_and_the_hard_ones_are_numbered_anew(release):
    """The Hard file is a subset with ids of its own, mapped by question."""
    tasks, hard = load_tasks(release.task_file), load_tasks(release.hard_file)
    assert [task.instance_id for task in tasks] == list(range(len(tasks)))
    assert [task.instance_id for task in hard] == list(range(len(hard)))
    lines = {row.instance_id: row.effective_lines for row in provenance(release)}
    targets = release.targets()
    mapped = map_by_question(hard, tasks)
    expected = {i for i in lines if lines[i] > 30 and len(targets[i]) >= 2}
    assert set(mapped.values()) == expected
    assert len(hard) >= 8


def provenance(release):
    lines = release.provenance_file.read_text().splitlines()
    return [Provenance.from_stored(json.loads(line), where="provenance.jsonl") for line in lines]


def test_provenance_names_targets_as_the_manifest_has_them(release):
    """Every target is a file of the task's community, with its hash, and tells in words how the gold follows."""
    tasks = {task.instance_id: task for task in release.tasks()}
    for row in provenance(release):
        manifest = {file.path: file for file in release.manifest(tasks[row.instance_id].release_community)}
        for target in row.target_files:
            assert (target.sha256, target.bytes) == (manifest[target.path].sha256, manifest[target.path].bytes)
        assert row.derivation
        assert row.environment_lock == find("current").lock_sha256


def test_no_target_has_a_copy(release):
    """A target's bytes lie in one place, so that there is one right file."""
    for task in release.tasks():
        manifest = release.manifest(task.release_community)
        copies = Counter(file.sha256 for file in manifest)
        by_path = {file.path: file.sha256 for file in manifest}
        assert all(copies[by_path[target]] == 1 for target in release.targets()[task.instance_id])


def test_no_gold_stands_in_a_file_about_the_data(release):
    """Metadata, descriptions and licences hold no answer as a whole."""
    texts = [path.read_text() for path in release.root.rglob("dataset-metadata.json")]
    for task in release.tasks():
        pattern = re.compile(rf"(?<![\w.]){re.escape(task.answer)}(?![\w.])")
        assert not any(pattern.search(text) for text in texts)


def test_the_data_card_has_a_line_for_every_dataset(release):
    """Licence and source of every data set are stated in the release."""
    card = (release.root / "LICENSES.md").read_text()
    catalog = load_catalog()
    for dataset in catalog.datasets:
        assert f"| {dataset.slug} | {catalog.licence_of(dataset)} | " in card


def test_an_up_to_date_release_is_left_alone(release):
    """Building again says so and touches no file."""
    before = release.task_file.stat().st_mtime_ns
    lines = []
    again = build_release(release.root, progress=lines.append)
    assert again.root == release.root
    assert lines == [f"{release.root} is up to date"]
    assert release.task_file.stat().st_mtime_ns == before


def test_a_directory_that_is_no_demo_release_is_refused(tmp_path):
    """The build never replaces somebody's files."""
    keepsake = tmp_path / "mine" / "thesis.txt"
    keepsake.parent.mkdir()
    keepsake.write_text("years of work")
    with pytest.raises(BadInput, match="is not a demo release"):
        build_release(keepsake.parent)
    assert keepsake.read_text() == "years of work"


BUILD = """
import sys
from functools import partial
from pathlib import Path
from coda_bench.demo.build import build_release
build_release(Path(sys.argv[1]), progress=partial(print, flush=True))
"""


def test_a_killed_build_leaves_nothing_under_the_name(tmp_path):
    """The release appears whole or not at all."""
    find("current")
    with subprocess.Popen([sys.executable, "-c", BUILD, tmp_path / "demo"], stdout=subprocess.PIPE) as build:
        for line in build.stdout:
            if b"data sets 20/" in line:
                build.kill()
    assert build.returncode == -signal.SIGKILL
    assert not (tmp_path / "demo").exists()


def one_task(**changes):
    tasks = load_demo_tasks(["places"])
    task = next(task for task in tasks if task.program == "share_of_rainy_days")
    return task.model_copy(update=changes)


def prove(task, release):
    prove_golds([task], release.root / "communities", find("current"), progress=lambda _line: None)


def test_a_wrong_gold_is_reported_with_both_values(release):
    """The message names the task, what was computed and what is checked in."""
    with pytest.raises(GoldMismatch, match=r"places/share_of_rainy_days: .*computed '17\.73%'.*'18\.00%'"):
        prove(one_task(answer="18.00%"), release)


def test_a_target_that_is_not_opened_is_reported(release):
    """Golds prove their target files, too."""
    targets = (*one_task().targets, "west-coast-weather/sf-temps.csv")
    with pytest.raises(GoldMismatch, match=r"opened \['west-coast-weather/seattle-weather\.csv'\], targets are"):
        prove(one_task(targets=targets), release)


def test_a_program_that_fails_is_reported_with_its_trouble(release):
    """The message ends with what the program said last."""
    code = "open('/data/west-coast-weather/sea.csv')"
    with pytest.raises(GoldMismatch, match=r"(?s)exit code 1: .*FileNotFoundError.*sea\.csv"):
        prove(one_task(code=code), release)


def test_all_disagreements_are_reported_at_once(release):
    """One build tells of every wrong gold."""
    tasks = [one_task(program=name, answer="1%") for name in ("first", "second")]
    with pytest.raises(GoldMismatch, match=r"(?s)places/first: .*places/second: "):
        prove_golds(tasks, release.root / "communities", find("current"), progress=lambda _line: None)


@pytest.mark.slow
def test_golds_hold_under_the_older_generation(release):
    """No gold depends on the version of a library."""
    tasks = load_demo_tasks(load_catalog().communities)
    prove_golds(tasks, release.root / "communities", find("older"), progress=lambda _line: None)


@pytest.mark.slow
def test_a_damaged_release_is_built_anew(tmp_path):
    """A file that changed after the build is noticed, and leftovers of killed builds are removed."""
    out = tmp_path / "demo"
    release = build_release(out)
    manifest = release.manifest_file("nature")
    whole = manifest.read_bytes()
    manifest.write_bytes(whole[:-10])
    (tmp_path / ".demo.building-4194305").mkdir()
    build_release(out)
    assert manifest.read_bytes() == whole
    assert (out / BUILD_FILE).is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["demo"]
