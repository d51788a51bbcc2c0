"""The built demo release, and the build itself."""

import csv
import io
import json
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import PurePosixPath

import pytest

from coda_bench import load_tasks
from coda_bench.cli.demo_release import build_demo_release
from coda_bench.construct.communities.find import find_communities
from coda_bench.construct.communities.stored import read_members
from coda_bench.construct.cooccurrence import build_graph
from coda_bench.construct.corpus.folder import read_folder
from coda_bench.demo.build import BUILD_FILE
from coda_bench.demo.catalog import load_catalog
from coda_bench.demo.corpus import write_corpus
from coda_bench.demo.homes import HomedTask
from coda_bench.demo.proof import prove_golds
from coda_bench.demo.tasks import load_demo_tasks
from coda_bench.errors import BadInput, GoldMismatch
from coda_bench.layout import IGNORED_NAMES, file_sha256
from coda_bench.records.environment import Environment, load_profiles
from coda_bench.records.targets import Provenance
from coda_bench.records.task import map_by_question
from coda_bench.sandbox.analysis_env import find

pytestmark = pytest.mark.xdist_group("demo")

FORMATS = {".csv", ".json", ".parquet", ".xlsx", ".sqlite", ".db", ".dta", ".txt", ".jpg", ".png", ".pdf"}
PACKED = {".bz2", ".gz", ".zip"}


@pytest.fixture(scope="module")
def communities(release):
    """The names of all communities of the release."""
    return sorted(path.name for path in (release.root / "communities").iterdir())


@pytest.fixture(scope="module")
def files(release, communities):
    """Every data file as (community, path below the community), without Kaggle metadata."""
    return [
        (community, PurePosixPath(file.path))
        for community in communities
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


def test_manifests_tell_the_bytes_on_disk(release, communities):
    """Sizes and hashes of all files are those of the manifest, and nothing else lies there."""
    for community in communities:
        root = release.community_directory(community)
        manifest = {file.path: file for file in release.manifest(community)}
        found = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
        assert set(found) == set(manifest)
        for name, path in found.items():
            assert (path.stat().st_size, file_sha256(path)) == (manifest[name].bytes, manifest[name].sha256)


def contents(root):
    files = [path for path in root.rglob("*") if not path.is_dir()]
    return {path.relative_to(root).as_posix(): file_sha256(path) for path in files}


def test_the_release_holds_nothing_of_the_machine_it_was_built_on(release, communities):
    """Neither the places where it was built nor how its files were put there."""
    expected = {"communities", "coda_bench.json", "coda_bench_hard.json", "provenance.jsonl", "LICENSES.md", BUILD_FILE}
    assert {path.name for path in release.root.iterdir()} == expected
    kept = {"full_community", "manifest.jsonl", "profile.jsonl", "findings.jsonl", "environment.json"}
    for community in communities:
        folder = release.root / "communities" / community
        assert {path.name for path in folder.iterdir()} == kept
        assert str(release.root.parent) not in "".join(path.read_text() for path in folder.glob("*.json*"))


def test_every_file_has_its_profile(release, communities):
    """In the order of the manifest, with the same size and hash."""
    for community in communities:
        profiles = load_profiles(release.root / "communities" / community / "profile.jsonl")
        told = {one.path: (one.bytes, one.sha256) for one in profiles}
        assert told == {file.path: (file.bytes, file.sha256) for file in release.manifest(community)}


def environment_of(release, community):
    path = release.root / "communities" / community / "environment.json"
    return Environment.from_stored(json.loads(path.read_text()), where=str(path))


def test_the_noise_is_measured_by_the_targets_of_the_tasks(release, communities):
    """Every community knows how many tasks it has, and how many different files they need."""
    tasks, targets = release.tasks(), release.targets()
    for community in communities:
        ours = [task.instance_id for task in tasks if task.release_community == community]
        signal = environment_of(release, community).signal
        if ours:
            wanted = {path for number in ours for path in targets[number]}
            assert (signal.n_tasks, signal.n_targets) == (len(ours), len(wanted))
            assert signal.missing_targets == ()


def test_a_community_is_more_than_the_targets_of_any_of_its_tasks(release, files):
    """Opening everything can be right for no task."""
    sizes = Counter(community for community, _ in files)
    targets = release.targets()
    for task in release.tasks():
        assert len(targets[task.instance_id]) < sizes[task.release_community]


def test_communities_are_those_that_construction_finds(release, communities, tmp_path):
    """Every community of two or more data sets that the stages find in the same corpus, by the same name."""
    root = write_and_build(tmp_path)
    members = read_members(root / "communities")
    assert sorted(members) == communities
    assert len(communities) == 17  # as docs/guide/demo.md says
    for community, datasets in members.items():
        slugs = sorted(path.name for path in release.community_directory(community).iterdir())
        assert slugs == sorted(dataset.rpartition("/")[2] for dataset in datasets)


def write_and_build(tmp_path):
    """Write the corpus and find its communities, stage by stage."""
    write_corpus(tmp_path / "corpus")
    read_folder(tmp_path / "corpus", tmp_path / "built" / "corpus")
    build_graph(tmp_path / "built" / "corpus", tmp_path / "built" / "graph")
    find_communities(tmp_path / "built" / "graph", tmp_path / "built" / "corpus", tmp_path / "built" / "communities")
    return tmp_path / "built"


def test_data_that_belong_together_lie_together(release):
    """By what they are about: penguins with penguins, weather with weather, airports with flights."""
    home = {path.name: path.parts[-3] for path in release.root.glob("communities/*/full_community/*")}
    for together in (
        ("palmer-station-penguins", "penguin-size-measurements", "iris-flower-measurements"),
        ("climate-and-sun", "weather-stations", "west-coast-weather"),
        ("airline-route-map", "new-york-departures-2013", "us-airfields"),
        ("titanic-on-board", "titanic-passenger-list"),
        ("cps-wage-surveys", "married-women-at-work", "causal-labour-samples"),
    ):
        assert len({home[slug] for slug in together}) == 1


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
    home = {path.name: path.parts[-3] for path in release.root.glob("communities/*/full_community/*")}
    rows = [
        f"| {home[one.slug]} | {one.slug} | {catalog.licence_of(one)} | "
        for one in catalog.datasets
        if one.slug in home
    ]
    assert len(rows) == len(home) >= 50
    assert all(row in card for row in rows)
    assert len([line for line in card.splitlines() if line.startswith("| c")]) == len(rows) + 1


def test_an_up_to_date_release_is_left_alone(release):
    """Building again says so and touches no file."""
    before = release.task_file.stat().st_mtime_ns
    lines = []
    again = build_demo_release(release.root, progress=lines.append, by_hand=True)
    assert again.root == release.root
    assert lines == [f"{release.root} is up to date"]
    assert release.task_file.stat().st_mtime_ns == before


def test_a_directory_that_is_no_demo_release_is_refused(tmp_path):
    """The build never replaces somebody's files."""
    keepsake = tmp_path / "mine" / "thesis.txt"
    keepsake.parent.mkdir()
    keepsake.write_text("years of work")
    with pytest.raises(BadInput, match="is not a demo release"):
        build_demo_release(keepsake.parent, by_hand=True)
    assert keepsake.read_text() == "years of work"


BUILD = """
import sys
from functools import partial
from pathlib import Path
from coda_bench.cli.demo_release import build_demo_release
build_demo_release(Path(sys.argv[1]), progress=partial(print, flush=True), by_hand=True)
"""


def kill_build(out, at):
    """Start a build and kill it when it says where it is."""
    find("current")
    with subprocess.Popen([sys.executable, "-c", BUILD, out], stdout=subprocess.PIPE) as build:
        for line in build.stdout:
            if at in line:
                build.kill()
    assert build.returncode == -signal.SIGKILL


@pytest.mark.parametrize("at", [b"data sets 20/", b"profiles 12/"])
def test_a_killed_build_leaves_nothing_under_the_name(tmp_path, at):
    """The release appears whole or not at all."""
    kill_build(tmp_path / "demo", at)
    assert not (tmp_path / "demo").exists()


def test_a_killed_build_leaves_the_release_of_before(release, tmp_path):
    """One that is out of date is replaced at the end of a build, not at its beginning."""
    shutil.copytree(release.root, tmp_path / "demo")
    (tmp_path / "demo" / "LICENSES.md").write_text("of before")
    before = contents(tmp_path / "demo")
    kill_build(tmp_path / "demo", b"construct: environments")
    assert contents(tmp_path / "demo") == before


def one_task(**changes):
    tasks = load_demo_tasks(["places"])
    task = next(task for task in tasks if task.program == "share_of_rainy_days")
    return task.model_copy(update=changes)


def homed(tasks, release):
    """Set tasks where the release has their data."""
    home = {path.name: path.parts[-3] for path in release.root.glob("communities/*/full_community/*")}
    return [HomedTask(number, task, home[task.datasets[0]]) for number, task in enumerate(tasks)]


def prove(task, release):
    prove_golds(homed([task], release), release.root / "communities", find("current"), progress=lambda _line: None)


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
    tasks = homed([one_task(program=name, answer="1%") for name in ("first", "second")], release)
    with pytest.raises(GoldMismatch, match=r"(?s)places/first: .*places/second: "):
        prove_golds(tasks, release.root / "communities", find("current"), progress=lambda _line: None)


@pytest.mark.slow
def test_golds_hold_under_the_older_generation(release):
    """No gold depends on the version of a library."""
    tasks = homed(load_demo_tasks(load_catalog().themes), release)
    prove_golds(tasks, release.root / "communities", find("older"), progress=lambda _line: None)


def test_a_damaged_release_is_built_anew_with_the_same_bytes(release, tmp_path):
    """A file that changed after the build is noticed, leftovers of killed builds are removed, and builds repeat."""
    out = tmp_path / "demo"
    shutil.copytree(release.root, out)
    manifest = min(out.glob("communities/*/manifest.jsonl"))
    manifest.write_bytes(manifest.read_bytes()[:-10])
    (tmp_path / ".demo.building-4194305").mkdir()
    build_demo_release(out, by_hand=True)
    assert contents(out) == contents(release.root)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["demo"]
