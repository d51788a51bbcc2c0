"""`coda-bench data` as a user meets it: every subcommand and exit code, in a process of its own."""

import json
import os
import shutil
import signal
import subprocess
import sys

import pytest

from archives.hub import Hub

TASK = {
    "question": "How many?",
    "answer": "1",
    "answer_guidelines": "A number.",
    "reference_code": "print(1)",
    "dataset": "set",
    "notebook": "n",
}
COMMUNITIES = ("community_1", "community_2")


def start(*arguments, **environment):
    """Start the command."""
    return subprocess.Popen(
        [sys.executable, "-m", "coda_bench.cli", "data", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "200", **environment},
    )


def data(*arguments, code=0, **environment):
    """Run the command to its end; return what it printed on both streams."""
    process = start(*arguments, **environment)
    out, err = process.communicate(timeout=120)
    assert process.returncode == code, err
    assert "Traceback" not in err
    return out, err


@pytest.fixture(scope="session")
def packed(tmp_path_factory):
    """A release of two communities with their archives, made once."""
    root = tmp_path_factory.mktemp("packed") / "release"
    rows = [{"instance_id": id_, "release_community": name, **TASK} for id_, name in enumerate(COMMUNITIES)]
    for name in COMMUNITIES:
        folder = root / "communities" / name / "full_community" / "set"
        folder.mkdir(parents=True)
        (folder / "a.csv").write_text(f"a,b\n1,{name}\n" * 1000)
        (folder / "b.bin").write_bytes(os.urandom(200_000))
    (root / "coda_bench.json").write_text(json.dumps(rows))
    (root / "coda_bench_hard.json").write_text("[]")
    data("pack", "--release", root)
    return root


@pytest.fixture
def release(packed, tmp_path):
    """That release with archives and nothing extracted."""
    root = tmp_path / "release"
    shutil.copytree(packed, root)
    shutil.rmtree(root / "communities")
    return root


@pytest.fixture
def hub(packed):
    """A server that has that release."""
    found = Hub()
    found.files = {
        str(path.relative_to(packed)): path.read_bytes()
        for path in packed.rglob("*")
        if path.is_file() and "communities" not in path.parts
    }
    yield found
    found.close()


def fetch(hub, root, *more, **options):
    """Fetch from a hub that stands in for the real one by its environment variable."""
    return data("fetch", "--release", root, "--revision", "v1.0.1", *more, HF_ENDPOINT=hub.address, **options)


def test_the_whole_way_from_an_empty_folder(hub, packed, tmp_path):
    """Fetch one community, list, verify; the archive is gone once extracted, the other one was not asked for."""
    root = tmp_path / "new"
    out, _ = fetch(hub, root, "--community", "community_1", "--json")
    assert json.loads(out) == [{"community": "community_1", "extracted_to": str(root / "communities" / "community_1")}]
    found = root / "communities" / "community_1" / "full_community" / "set" / "a.csv"
    assert found.read_bytes() == (packed / found.relative_to(root)).read_bytes()
    assert not (root / "archives" / "community_1.tar.zst").exists()
    assert not any("community_2" in request["path"] for request in hub.requests)
    assert json.loads((root / "fetched.json").read_text())["revision"] == "v1.0.1"
    rows = {row["community"]: row for row in json.loads(data("list", "--release", root, "--json")[0])}
    assert (rows["community_1"]["extracted"], rows["community_2"]["extracted"]) == (True, False)
    assert rows["community_1"]["files"] == 2
    assert "as their manifests say" in data("verify", "--release", root, "--community", "community_1")[0]


def test_what_is_here_is_not_fetched_again(hub, tmp_path):
    """The second time only the small files are asked for."""
    fetch(hub, tmp_path)
    hub.requests.clear()
    out, _ = fetch(hub, tmp_path)
    assert all(name in out for name in COMMUNITIES)
    assert len(hub.requests) == 3


def test_archives_are_kept_on_request_and_where_they_lay_before(hub, packed, tmp_path):
    """What a user put there is not the command's to remove."""
    fetch(hub, tmp_path, "--community", "community_1", "--keep-archives")
    assert (tmp_path / "archives" / "community_1.tar.zst").is_file()
    shutil.copy(packed / "archives" / "community_2.tar.zst", tmp_path / "archives")
    fetch(hub, tmp_path)
    assert (tmp_path / "archives" / "community_2.tar.zst").is_file()


def test_only_the_small_files_or_a_mirror(hub, tmp_path):
    """`--metadata-only`, and `--url` in place of the hub."""
    fetch(hub, tmp_path, "--metadata-only")
    assert not (tmp_path / "communities").exists()
    data("fetch", "--release", tmp_path, "--url", f"{hub.address}/mirror", "--community", "community_2")
    assert hub.requests[-1]["path"] == "/mirror/archives/community_2.tar.zst"


def test_what_cannot_be_had_is_one_line_and_exit_code_2(hub, tmp_path):
    """No place, an unknown community, a file that is not there, a wrong hash."""
    assert "name a --revision of the hub" in data("fetch", "--release", tmp_path, code=2)[1]
    assert "0 archives in the manifest" in fetch(hub, tmp_path, "--community", "nobody", code=2)[1]
    hub.statuses = [404]
    assert "is the revision right" in fetch(hub, tmp_path, code=2)[1]
    hub.files["archives/community_1.tar.zst"] = hub.files["archives/community_1.tar.zst"][::-1]
    _, err = fetch(hub, tmp_path, "--community", "community_1", code=2)
    assert "the manifest says" in err
    assert len(err.strip().splitlines()) == 1
    assert not (tmp_path / "communities").exists()


def test_an_interrupted_fetch_goes_on_where_it_stopped(hub, tmp_path):
    """Ctrl-C in the middle of an archive: exit code 130, and the rest is asked for the next time."""
    hub.held_after = 150_000
    process = start(
        *("fetch", "--release", tmp_path, "--revision", "v1.0.1", "--community", "community_1"), HF_ENDPOINT=hub.address
    )
    assert hub.holding.wait(60)
    partial = tmp_path / "archives" / ".community_1.tar.zst.part"
    while not (partial.is_file() and partial.stat().st_size):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.strip() == "interrupted"
    arrived = partial.stat().st_size
    hub.held_after = None
    hub.let_go.set()
    hub.requests.clear()
    fetch(hub, tmp_path, "--community", "community_1")
    assert hub.requests[-1]["Range"] == f"bytes={arrived}-"


@pytest.mark.parametrize(("module", "command"), [("httpx", "fetch"), ("zstandard", "extract")])
def test_a_missing_package_is_named_with_the_command_that_installs_it(release, tmp_path, module, command):
    """`pip install 'coda-bench[data]'`, exit code 2; decompressing needs the package where there is no program."""
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / f"{module}.py").write_text("raise ImportError")
    path = os.pathsep.join([str(tmp_path / "hidden"), os.environ.get("PYTHONPATH", "")])
    more = ["--url", "http://127.0.0.1:9"] if command == "fetch" else []
    _, err = data(command, "--release", release, *more, code=2, PYTHONPATH=path, PATH=str(tmp_path))
    assert "pip install 'coda-bench[data]'" in err


def test_extract_extracts_once_and_again_by_force(release):
    """One extraction serves everybody; what it found is printed."""
    rows = json.loads(data("extract", "--release", release, "--json")[0])
    assert [(row["community"], row["files"]) for row in rows] == [("community_1", 2), ("community_2", 2)]
    record = release / "communities" / "community_1" / "extracted.json"
    before = record.stat().st_ino
    data("extract", "--release", release, "--community", "community_1")
    assert record.stat().st_ino == before
    data("extract", "--release", release, "--community", "community_1", "--force")
    assert record.stat().st_ino != before


def test_a_spoilt_or_missing_archive_is_refused_with_exit_code_2(release):
    """Nothing of it is kept; what was extracted before stays."""
    archive = release / "archives" / "community_1.tar.zst"
    archive.write_bytes(archive.read_bytes()[:-9])
    assert "nothing of it was kept" in data("extract", "--release", release, "--community", "community_1", code=2)[1]
    archive.unlink()
    assert "fetch it first" in data("extract", "--release", release, "--community", "community_1", code=2)[1]
    assert not (release / "communities" / "community_1").exists()
    assert "archives_manifest.json" in data("extract", "--release", release / "communities", code=2)[1]


def test_packing_again_gives_the_same_bytes_and_keeps_the_other_entries(packed, release):
    """Pack one community of an extracted release: the manifest stays as it was."""
    before = (release / "archives_manifest.json").read_bytes()
    archive = release / "archives" / "community_1.tar.zst"
    packed_bytes = archive.read_bytes()
    data("extract", "--release", release)
    archive.unlink()
    rows = json.loads(data("pack", "--release", release, "--community", "community_1", "--json")[0])
    assert [row["community_id"] for row in rows] == ["community_1"]
    assert archive.read_bytes() == packed_bytes == (packed / "archives" / "community_1.tar.zst").read_bytes()
    assert (release / "archives_manifest.json").read_bytes() == before


def test_what_may_not_be_packed_is_exit_code_2(release):
    """A link in a community, or a community that is not here."""
    assert "extract its archive first" in data("pack", "--release", release, code=2)[1]
    data("extract", "--release", release)
    (release / "communities" / "community_1" / "full_community" / "link").symlink_to("/etc/passwd")
    assert "a symbolic link to '/etc/passwd'" in data("pack", "--release", release, code=2)[1]


def test_verify_says_what_differs_with_exit_code_1(release):
    """Changed, missing and additional files, a community that is not here, a spoilt archive."""
    data("extract", "--release", release, "--community", "community_1")
    folder = release / "communities" / "community_1" / "full_community" / "set"
    (folder / "a.csv").chmod(0o644)
    (folder / "a.csv").write_bytes((folder / "a.csv").read_bytes()[::-1])
    (folder / "b.bin").unlink()
    (folder / "c.csv").write_text("x")
    archive = release / "archives" / "community_2.tar.zst"
    archive.write_bytes(archive.read_bytes()[::-1])
    out, _ = data("verify", "--release", release, "--json", code=1)
    assert sorted((row["path"], row["what"]) for row in json.loads(out)) == [
        ("archives/community_2.tar.zst", "sha256"),
        ("community_2", "missing"),
        ("set/a.csv", "sha256"),
        ("set/b.bin", "missing"),
        ("set/c.csv", "unexpected"),
    ]
    assert "unexpected" in data("verify", "--release", release, code=1)[0]


@pytest.mark.parametrize("command", ["verify", "list", "pack", "extract"])
def test_what_is_no_release_is_exit_code_2(tmp_path, command):
    """One line that names the folder."""
    _, err = data(command, "--release", tmp_path, code=2)
    assert str(tmp_path) in err
    assert len(err.strip().splitlines()) == 1


def test_the_list_is_a_table_for_people(release):
    """What is not known is a dash."""
    out, _ = data("list", "--release", release)
    assert out.splitlines()[0].split() == [
        "community",
        "tasks",
        "extracted",
        "files",
        "bytes",
        "archive",
        "archive",
        "bytes",
    ]
    assert out.splitlines()[1].split()[:5] == ["community_1", "1", "no", "-", "-"]
