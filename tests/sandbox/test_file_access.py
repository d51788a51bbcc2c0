"""What counts as opened and as listed, whatever reads it."""

import os
import shutil
import threading
from pathlib import Path

import pytest

from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.holder.trackers.inotify import InotifyTracker, directories_of

WRITE_FORMATS = """
import pandas as pd
frame = pd.DataFrame({"a": [1, 3], "b": [2, 4]})
for name in ("pandas", "polars", "duckdb", "mapped", "unused"):
    frame.to_parquet(f"/workspace/{name}.parquet")
"""
READERS = {
    "pandas csv": ("import pandas; pandas.read_csv('/data/iris/one.csv')", "iris/one.csv"),
    "pandas parquet": ("import pandas; pandas.read_parquet('/data/tables/pandas.parquet')", "tables/pandas.parquet"),
    "polars": ("import polars; polars.scan_parquet('/data/tables/polars.parquet').collect()", "tables/polars.parquet"),
    "duckdb": (
        "import duckdb; duckdb.sql(\"select sum(a) from '/data/tables/duckdb.parquet'\").fetchall()",
        "tables/duckdb.parquet",
    ),
    "duckdb csv": ("import duckdb; duckdb.sql(\"from '/data/iris/two.csv'\").fetchall()", "iris/two.csv"),
    "pyarrow mapped": (
        "import pyarrow.parquet as p; p.read_table('/data/tables/mapped.parquet', memory_map=True)",
        "tables/mapped.parquet",
    ),
    "mmap": (
        "import mmap; f = open('/data/iris/one.csv'); mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)[:]",
        "iris/one.csv",
    ),
    "child process": ("import subprocess; subprocess.run(['cat', '/data/iris/two.csv'])", "iris/two.csv"),
    "descriptor of a directory": (
        "import os; d = os.open('/data/iris', os.O_PATH); os.read(os.open('two.csv', os.O_RDONLY, dir_fd=d), 9)",
        "iris/two.csv",
    ),
}


@pytest.fixture(scope="module")
def tables(environment, community) -> Sandbox:
    """A sandbox whose community has Parquet files beside the CSV ones."""
    root = community.parent / "with-tables"
    shutil.copytree(community, root, symlinks=True)
    with Sandbox.start(SandboxSpec(data=None, environment=environment)) as writer:
        result = writer.execute(["python3", "-c", WRITE_FORMATS])
        assert result.exit_code == 0, result.stderr.decode()
        (root / "tables").mkdir()
        for name in ("pandas", "polars", "duckdb", "mapped", "unused"):
            (root / f"tables/{name}.parquet").write_bytes(writer.read(f"/workspace/{name}.parquet"))
    with Sandbox.start(SandboxSpec(data=root, environment=environment)) as sandbox:
        yield sandbox


@pytest.mark.parametrize("reader", READERS)
def test_every_reader_is_seen(tables, reader):
    """A file is opened whichever library reads it, by whatever call, and nothing else is."""
    program, path = READERS[reader]
    result = tables.execute(["python3", "-c", program])
    assert result.exit_code == 0, result.stderr.decode()
    assert result.access.opened == (path,)
    assert result.access.complete


def test_a_pipeline_is_seen_in_order(sh):
    """Files opened by the programs of a pipeline count, in order of first opening."""
    access = sh("cd /data/iris && cat deep/three.csv one.csv | sort | grep -f ../other/one.csv; head -1 one.csv").access
    assert sorted(access.opened) == ["iris/deep/three.csv", "iris/one.csv", "other/one.csv"]
    assert access.opened.index("iris/deep/three.csv") < access.opened.index("iris/one.csv")
    assert access.listed == ()


def test_looking_is_not_opening(sh):
    """Listing, finding and asking for sizes open no file; the directories count as listed."""
    access = sh(
        "ls -la /data/iris; find /data/other -name '*.csv' -size +0; stat /data/iris/*.csv; du -s /data/iris/deep"
    ).access
    assert access.opened == ()
    assert set(access.listed) == {"iris", "other", "iris/deep"}


def test_the_communitys_own_directory_is_a_dot(sh):
    """Listing `/data` itself is recorded as `.`, and only that."""
    assert sh("ls /data").access.listed == (".",)


def test_a_refused_opening_does_not_count(sh):
    """Trying to write a data file, or to open one that is not there, opens nothing."""
    result = sh("echo x >> /data/iris/one.csv; cat /data/iris/missing.csv")
    assert result.exit_code != 0
    assert result.access.opened == ()


def test_links_count_as_what_they_name(sh):
    """A link inside the community counts as its target; one that leads out opens nothing of the community."""
    assert sh("cat /data/other/inside.csv").access.opened == ("iris/one.csv",)
    outside = sh("cat /data/other/outside.csv")
    assert outside.exit_code != 0
    assert outside.access.opened == ()


def test_a_link_from_the_workspace_counts(sh):
    """A link the agent made outside the community does not hide what it reads."""
    assert sh("ln -sf /data/iris/two.csv /workspace/innocent; cat /workspace/innocent").access.opened == (
        "iris/two.csv",
    )


def test_odd_names_are_text(sh):
    """Names with blanks, shell signs and letters beyond ASCII are recorded as they are."""
    assert sh("cat /data/other/*'$(x)'*").access.opened == ("other/ünï çode $(x).csv",)


def test_names_that_are_not_utf8_become_escapes(environment, tmp_path):
    """A file name of arbitrary bytes is recorded with escapes rather than lost."""
    root = tmp_path / "odd"
    root.mkdir()
    with open(bytes(root) + b"/caf\xe9\n.csv", "wb") as stream:  # noqa: PTH123 - a name pathlib cannot spell
        stream.write(b"1\n")
    with Sandbox.start(SandboxSpec(data=root, environment=environment)) as sandbox:
        assert sandbox.execute(["sh", "-c", "cat /data/*"]).access.opened == ("caf\\xe9\n.csv",)


def test_a_background_process_counts_while_it_lives(sh):
    """A detached child's reads belong to the command that started it."""
    access = sh("setsid cat /data/iris/one.csv > /tmp/copy & while ! [ -s /tmp/copy ]; do :; done").access
    assert access.opened == ("iris/one.csv",)


def test_sandboxes_on_one_community_are_kept_apart(make_sandbox):
    """Two attempts on the same files each see their own accesses only, at the same time."""
    first, second = make_sandbox(), make_sandbox()
    threads = [
        threading.Thread(target=sandbox.execute, args=(["sh", "-c", f"for i in $(seq 50); do cat {path}; done"],))
        for sandbox, path in ((first, "/data/iris/one.csv"), (second, "/data/iris/two.csv"))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert first.file_access().opened == ("iris/one.csv",)
    assert second.file_access().opened == ("iris/two.csv",)


def test_concurrent_commands_of_one_sandbox_are_kept_apart(make_sandbox):
    """Commands that run side by side each get the files they opened; the attempt gets all."""
    sandbox = make_sandbox()
    names = ["iris/one.csv", "iris/two.csv", "iris/deep/three.csv", "other/one.csv"]
    results = {}

    def read(name: str) -> None:
        results[name] = sandbox.execute(["sh", "-c", f"for i in $(seq 30); do cat /data/{name}; done"])

    threads = [threading.Thread(target=read, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {name: result.access.opened for name, result in results.items()} == {name: (name,) for name in names}
    access = sandbox.file_access()
    assert sorted(access.opened) == sorted(names)
    assert [command.index for command in access.commands] == [0, 1, 2, 3]


def test_uncounted_commands_leave_no_access(make_sandbox):
    """The harness's own commands and file transfers are not the agent's."""
    sandbox = make_sandbox()
    assert sandbox.execute(["cat", "/data/iris/one.csv"], counted=False).access is None
    assert sandbox.read("/data/iris/two.csv").startswith(b"a,b")
    assert sandbox.file_access().commands == ()


def test_used_are_the_files_of_the_last_good_command(make_sandbox):
    """The files of the last successful reading command count as used."""
    sandbox = make_sandbox()
    for script in ("cat /data/iris/one.csv", "cat /data/iris/two.csv", "cat /data/other/one.csv; false", "true"):
        sandbox.execute(["sh", "-c", script])
    access = sandbox.file_access()
    assert access.used == ("iris/two.csv",)
    assert access.opened == ("iris/one.csv", "iris/two.csv", "other/one.csv")
    assert access.complete
    assert access.tracker == sandbox.record.tracker


def test_lost_events_are_admitted(tmp_path):
    """When the kernel's queue overflows before it is drained, the record is incomplete, never guessed."""
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    paths = [tmp_path / name for name in ("a.csv", "b.csv")]
    for path in paths:
        path.write_text("1\n")
    tracker = InotifyTracker(str(tmp_path), directories_of(bytes(tmp_path)))
    for number in range(limit + 2):
        os.close(os.open(paths[number % 2], os.O_RDONLY))
    tracker.drain()
    tracker.close()
    assert not tracker.complete


def test_without_tracking_discovery_is_not_measured(environment, community):
    """A sandbox that does not watch says so, and its access is never complete."""
    with Sandbox.start(SandboxSpec(data=community, environment=environment, tracking=False)) as sandbox:
        result = sandbox.execute(["cat", "/data/iris/one.csv"])
        assert result.exit_code == 0
        assert not sandbox.file_access().complete
        assert sandbox.record.tracker == "none"
        assert any("not tracked" in note for note in sandbox.record.notes)


def test_no_data_is_an_empty_directory(make_sandbox):
    """Without a community `/data` is there and empty."""
    result = make_sandbox(data=None).execute(["ls", "-A", "/data"])
    assert (result.exit_code, result.stdout) == (0, b"")


def test_directories_are_found_without_following_links(tmp_path):
    """The walk names each directory once, relative to the root, and stays inside."""
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "loop").symlink_to(tmp_path)
    assert directories_of(bytes(tmp_path)) == [b"", b"a", b"a/b"]
