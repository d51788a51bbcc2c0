"""Commands in containers: how they end, what they see, what is seen of them."""

import threading

import pytest

from coda_bench.errors import SandboxFileError, SandboxLost
from coda_bench.records.access import CommandEnd, TrackerKind
from coda_bench.sandbox.holder.room.rootfs import WRITABLE

LEAVES_DAEMONS = """
import os, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            open(f"/workspace/alive-{os.getpid()}", "w").close()
            time.sleep(600)
        os._exit(0)
time.sleep(0.5)
"""
EATS_MEMORY = "import time\nheld = [bytearray(1 << 20) for _ in range(4000)]\ntime.sleep(60)"


def test_the_record_names_engine_image_and_tracker(sandbox, engine):
    """Whoever reads an attempt's record knows what held it: engine, image by content, environment, tracker, limits."""
    record = sandbox.record
    assert record.backend.startswith(f"{engine.name} {engine.version}, coda-bench-sandbox:")
    assert record.tracker is TrackerKind.OVERLAY_INOTIFY
    assert record.uid_outside != 0
    assert any("container's cgroup" in note for note in record.notes)


def test_output_exit_code_and_signal_are_the_commands(sh):
    """A command's streams, its exit code and the signal that ended it come back as they were."""
    result = sh("echo out; echo err >&2; exit 7")
    assert (result.stdout, result.stderr, result.exit_code) == (b"out\n", b"err\n", 7)
    assert sh("kill -TERM $$").exit_code == 128 + 15
    assert sh("cat", stdin=b"typed").stdout == b"typed"


@pytest.mark.parametrize(
    ("argv", "cwd", "code"),
    [(["no-such-program"], "/", 127), (["/data/iris/one.csv"], "/", 126), (["true"], "/no/such/place", 127)],
)
def test_what_cannot_be_run_is_the_commands_failure(sandbox, argv, cwd, code):
    """A missing program or directory is no failure of the machine: exit codes as a shell's, and words."""
    result = sandbox.execute(argv, cwd=cwd)
    assert result.exit_code == code
    assert b"cannot be run" in result.stderr


def test_what_a_command_leaves_running_ends_with_it(sh):
    """Processes that cut every tie to their parents are gone when the answer comes."""
    assert sh(f"python3 - <<'E'\n{LEAVES_DAEMONS}\nE").exit_code == 0
    assert sh("ls /workspace | wc -l").stdout.strip() == b"3"
    assert sh("ps -o pid= -u $(id -u) | wc -l").stdout.strip() == b"3"  # the shell, ps and wc


def test_a_time_limit_ends_the_whole_tree(sh):
    """A command that ignores being asked to stop is stopped, with all it started."""
    result = sh("trap '' TERM; sleep 600 & setsid sleep 600 & wait", timeout_s=0.5)
    assert (result.ended_by, result.exit_code) == (CommandEnd.TIMEOUT, None)
    assert sh("pgrep -c sleep").stdout == b"0\n"


def test_memory_ends_the_tree_and_is_named(make):
    """What takes more memory than the attempt may is ended, and the result says by what."""
    result = make(memory_mb=128).execute(["python3", "-c", EATS_MEMORY], timeout_s=60)
    assert result.ended_by is CommandEnd.MEMORY or b"MemoryError" in result.stderr


def test_shared_memory_counts(make):
    """Forked workers that hold more together than the attempt may are ended too."""
    script = "import os, time\nfor _ in range(4): os.fork()\nheld = bytearray(40 << 20)\ntime.sleep(60)"
    assert make(memory_mb=256).execute(["python3", "-c", script], timeout_s=60).ended_by is CommandEnd.MEMORY


def test_interrupt_ends_what_runs_and_keeps_the_sandbox(sandbox):
    """Interrupting ends every running command at once; the sandbox takes new ones."""
    results = []
    threads = [threading.Thread(target=lambda: results.append(sandbox.execute(["sleep", "600"]))) for _ in range(2)]
    for thread in threads:
        thread.start()
    while sandbox.execute(["pgrep", "-c", "sleep"], counted=False).stdout != b"2\n":
        pass
    sandbox.interrupt()
    for thread in threads:
        thread.join(30)
    assert [result.ended_by for result in results] == [CommandEnd.INTERRUPTED] * 2
    assert sandbox.execute(["true"]).exit_code == 0


def test_the_result_is_read_without_following_a_link_out(sandbox, sh):
    """The answer file may be a link, a pipe, a folder or huge: it is read inside, within its cap, never waited for."""
    sh("echo 42 >/workspace/result.txt")
    assert sandbox.read("/workspace/result.txt") == b"42\n"
    for made, why in (
        ("mkfifo r", "not a regular file"),
        ("mkdir r", "not a regular file"),
        ("truncate -s 1G r", "larger"),
    ):
        sh(f"cd /workspace && rm -rf r && {made}")
        with pytest.raises(SandboxFileError, match=why):
            sandbox.read("/workspace/r", limit_bytes=1000)


def test_only_the_workspace_can_be_written_and_not_without_end(sh):
    """Everything else is read-only, and what can be written has an end."""
    for path in ("/data/x", "/etc/x", "/usr/bin/x", "/opt/analysis/x", "/x"):
        assert sh(f"echo 1 >{path}").exit_code != 0
    for path in WRITABLE:
        assert sh(f"echo 1 >{path}/kept").exit_code == 0
        assert b"No space left" in sh(f"head -c 64M /dev/zero >{path}/big; rm {path}/big").stderr
    assert sh("cat /workspace/kept /tmp/kept /dev/shm/kept").stdout == b"1\n" * 3


def test_files_opened_are_seen_by_command(sandbox, sh):
    """Each command's record holds what it listed and opened, and nothing of the harness's own readings."""
    assert sh("cat /data/iris/one.csv; ls /data/other").access.opened == ("iris/one.csv",)
    sandbox.write("/workspace/note", b"x")
    sh("ln -s /data/iris/two.csv /workspace/result.txt")
    assert sandbox.read("/workspace/result.txt") == b"a,b\n1,2\n"
    found = sh("python3 -c 'import pandas; pandas.read_csv(\"/data/iris/deep/three.csv\")'").access
    assert found.opened == ("iris/deep/three.csv",)
    access = sandbox.file_access()
    assert access.complete
    assert access.opened == ("iris/one.csv", "iris/deep/three.csv")
    assert "other" in access.listed


def test_commands_side_by_side_share_what_was_opened(sandbox):
    """Events carry no process: commands that overlap each count what any of them opened, and the record says so."""
    started = threading.Barrier(2)

    def run(script: str) -> None:
        started.wait()
        results.append(sandbox.execute(["sh", "-c", script]))

    results: list = []
    scripts = ("cat /data/iris/one.csv; sleep 1", "cat /data/iris/two.csv; sleep 1")
    threads = [threading.Thread(target=run, args=(script,)) for script in scripts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert all(set(result.access.opened) == {"iris/one.csv", "iris/two.csv"} for result in results)
    assert any("side by side" in note for note in sandbox.record.notes)


def test_attempts_on_one_community_are_never_mixed(make):
    """Four attempts at once on one community: each one's record holds what it opened itself."""
    names = ("iris/one.csv", "iris/two.csv", "iris/deep/three.csv", "other/ünï $(x).csv")
    rooms = [make() for _ in names]
    threads = [
        threading.Thread(target=room.execute, args=(["sh", "-c", f"for i in 1 2 3; do cat '/data/{name}'; done"],))
        for room, name in zip(rooms, names, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert [room.file_access().opened for room in rooms] == [(name,) for name in names]


def test_no_data_is_an_empty_directory(make):
    """An attempt without data finds `/data`, with nothing in it."""
    assert make(data=None).execute(["ls", "-A", "/data"]).stdout == b""


def test_more_sources_stand_where_asked_for(make, tmp_path):
    """A directory and a file of the caller's are shown read-only at the places named."""
    (tmp_path / "tools").mkdir(mode=0o755)
    (tmp_path / "tools/a").write_text("A")
    (tmp_path / "one,file").write_text("B")
    tmp_path.chmod(0o755)
    room = make(readonly=((tmp_path / "tools", "/opt/tools"), (tmp_path / "one,file", "/etc/one")))
    assert room.execute(["cat", "/opt/tools/a", "/etc/one"]).stdout == b"AB"
    assert room.execute(["sh", "-c", "echo x >/opt/tools/a"]).exit_code != 0


def test_the_programs_of_the_sandbox_lie_on_no_disk(sh):
    """Neither this package nor a way to the harness can be found inside."""
    assert sh("python3 -c 'import coda_bench'").exit_code != 0
    assert sh("find / -xdev -path '*coda_bench*' 2>/dev/null").stdout == b""
    connect = "import socket; socket.socket(socket.AF_UNIX).connect('/opt/control')"
    assert b"refused" in sh(f'python3 -c "{connect}"').stderr.lower()


def test_a_killed_container_is_a_lost_sandbox(make, engine):
    """When the container is gone, callers are told so: it is never taken for the command's end."""
    room = make()
    outcome = []

    def run() -> None:
        with pytest.raises(SandboxLost) as lost:
            room.execute(["sleep", "600"])
        outcome.append(str(lost.value))

    thread = threading.Thread(target=run)
    thread.start()
    while room.execute(["pgrep", "-c", "sleep"], counted=False).stdout != b"1\n":
        pass
    engine.run("kill", _names(engine, room)["commands"])
    thread.join(30)
    assert outcome


def test_a_killed_watcher_makes_the_record_incomplete(make, engine):
    """What could not be watched is said to be incomplete, never short in silence; the attempt itself goes on."""
    room = make()
    engine.run("kill", _names(engine, room)["watch"])
    result = room.execute(["cat", "/data/iris/one.csv"])
    assert result.exit_code == 0
    assert not result.access.complete
    assert not room.file_access().complete


def _names(engine, room) -> dict[str, str]:
    listed = engine.run("ps", "--format", "{{.Names}} {{.ID}}").split("\n")
    pids = {
        line.split()[0]: engine.run("inspect", "-f", "{{.State.Pid}}", line.split()[1]).strip()
        for line in listed
        if line
    }
    name = next(name for name, pid in pids.items() if pid == str(room.holder_pid))
    return {"commands": name, "watch": name.removesuffix("-commands") + "-watch"}
