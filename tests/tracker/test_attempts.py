"""Many files, several attempts at once, and commands that try to read through one another."""

import os
import signal
import threading
from pathlib import Path

import pytest

from coda_bench.records.access import TrackerKind
from coda_bench.sandbox import Sandbox, SandboxSpec
from tracker.ground import TRACKERS

FILES, FOLDERS = 250, 20
GONE = "/workspace/sender-is-gone"
RECEIVE = """
import os, socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind("/tmp/{name}")
listener.listen()
connection, _ = listener.accept()
_, descriptors, _, _ = socket.recv_fds(connection, 1, 1)
assert connection.recv(1) == b""
while not os.path.exists("/workspace/sender-is-gone"):
    pass
try:
    os.read({opening}, 9)
except PermissionError:
    sys.exit(13)
"""
SEND = """
import os, socket
while True:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect("/tmp/{name}")
        break
    except OSError:
        pass
socket.send_fds(connection, [b"x"], [os.open("/data/{path}", {flags})])
"""
HANDOVERS = {
    "folder": ("d0", "os.O_PATH", "os.open('f1.csv', 0, dir_fd=descriptors[0])"),
    "listed folder": ("d0", "os.O_RDONLY", "os.open('f1.csv', 0, dir_fd=descriptors[0])"),
    "file handle": ("d0/f1.csv", "os.O_PATH", "os.open(f'/proc/self/fd/{descriptors[0]}', 0)"),
    "folder entered": ("d0", "os.O_PATH", "(os.fchdir(descriptors[0]), os.open('f1.csv', 0))[1]"),
}


@pytest.fixture(scope="module")
def many(tmp_path_factory) -> Path:
    """Five thousand files in twenty folders."""
    root = tmp_path_factory.mktemp("many") / "community"
    for folder in range(FOLDERS):
        (root / f"d{folder}").mkdir(parents=True)
        for file in range(FILES):
            (root / f"d{folder}/f{file}.csv").write_text(f"{folder},{file}\n")
    return root


@pytest.fixture(params=TRACKERS)
def tracked(request, environment, many):
    """Start sandboxes with one tracker, then with the other."""
    started: list[Sandbox] = []

    def start() -> Sandbox:
        started.append(Sandbox.start(SandboxSpec(data=many, environment=environment, tracker=request.param)))
        return started[-1]

    yield start
    for sandbox in started:
        sandbox.close()


def side_by_side(*actions) -> None:
    """Run functions in threads and wait for all."""
    threads = [threading.Thread(target=action) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_search_through_five_thousand_files_loses_none(tracked):
    """Every file of a recursive search is recorded, three times over, and nothing is lost."""
    access = tracked().execute(["sh", "-c", "for i in 1 2 3; do grep -r nothing /data; done; true"]).access
    assert len(access.opened) == FOLDERS * FILES
    assert set(access.listed) == {".", *(f"d{folder}" for folder in range(FOLDERS))}
    assert access.complete


def test_four_attempts_at_once_are_never_mixed(tracked):
    """Each attempt on the same community is charged with its own five hundred files and no other."""
    sandboxes = [tracked() for _ in range(4)]

    def read(number: int) -> None:
        folders = " ".join(f"/data/d{2 * number + part}" for part in range(2))
        for _ in range(3):
            assert sandboxes[number].execute(["sh", "-c", f"cat $(find {folders} -type f)"]).exit_code == 0

    side_by_side(*(lambda number=number: read(number) for number in range(4)))
    for number, sandbox in enumerate(sandboxes):
        access = sandbox.file_access()
        expected = {f"d{2 * number + part}/f{file}.csv" for part in range(2) for file in range(FILES)}
        assert set(access.opened) == expected
        assert access.complete


@pytest.mark.parametrize("handover", HANDOVERS)
def test_what_is_read_through_another_commands_folder_is_seen(tracked, handover):
    """A command that ends after handing its open folder on does not take the tracker with it.

    What cannot be seen must be refused.
    """
    path, flags, opening = HANDOVERS[handover]
    sandbox, results = tracked(), {}

    def receive() -> None:
        program = RECEIVE.format(name="meeting", opening=opening)
        results["receiver"] = sandbox.execute(["python3", "-c", program], timeout_s=60)

    def send() -> None:
        program = SEND.format(name="meeting", path=path, flags=flags)
        results["sender"] = sandbox.execute(["python3", "-c", program], timeout_s=60)
        sandbox.write(GONE, b"")

    side_by_side(receive, send)
    receiver = results["receiver"]
    assert results["sender"].exit_code == 0, results["sender"].stderr.decode()
    if sandbox.record.tracker is TrackerKind.OVERLAY_INOTIFY:
        assert receiver.exit_code == 0, receiver.stderr.decode()
    if receiver.exit_code == 0:
        assert receiver.access.opened == ("d0/f1.csv",)
        assert "d0/f1.csv" in sandbox.file_access().opened
    else:
        assert receiver.exit_code == 13, receiver.stderr.decode()


def test_a_path_changed_while_it_is_opened_hides_nothing(tracked, reads):
    """A thread that rewrites a path during the call reads no file that is not recorded."""
    if reads is None:
        pytest.skip("no C compiler with a static library here")
    sandbox = tracked()
    sandbox.write("/workspace/reads", reads.read_bytes())
    read, opened = set(), set()
    for _ in range(4):
        result = sandbox.execute(["sh", "-c", "chmod +x /workspace/reads; /workspace/reads race /data/d0"])
        assert result.exit_code == 0, result.stderr.decode()
        read |= {f"d0/f{number}.csv" for number in result.stdout.decode().split()}
        opened |= set(result.access.opened)
    assert read <= opened


def test_nothing_stays_watched(tracked):
    """Once its commands have ended, a sandbox keeps no watch and no listener."""
    sandbox = tracked()
    for _ in range(5):
        sandbox.execute(["sh", "-c", "cat /data/d0/f1.csv"])
    folder = Path(f"/proc/{sandbox.holder_pid}/fd")
    for _ in range(1000):
        held = list(filter(None, map(target_of, folder.iterdir())))
        if not any("inotify" in link or "seccomp" in link for link in held):
            return
    pytest.fail(f"still open: {held}")


def test_the_fallback_knows_the_program(environment, many):
    """Where the tracker opens in the command's place, it knows whom for; the other does not pretend to."""
    script = "cat /data/d1/f1.csv; head -n 1 /data/d1/f2.csv"
    for tracker, openers in ((TrackerKind.SECCOMP_NOTIFY, ("cat", "head")), (TrackerKind.OVERLAY_INOTIFY, None)):
        with Sandbox.start(SandboxSpec(data=many, environment=environment, tracker=tracker)) as sandbox:
            access = sandbox.execute(["sh", "-c", script]).access
            assert access.opened == ("d1/f1.csv", "d1/f2.csv")
            assert access.openers == openers


def test_an_overflowing_queue_is_admitted(environment, many):
    """While the holder is stopped, a command opens more than the kernel's queue holds: the record is incomplete."""
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    program = (
        "import os, signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})\n"
        "open('/workspace/started', 'w')\nsignal.sigwait({signal.SIGUSR1})\n"
        f"for n in range({limit + 100}): os.close(os.open(f'/data/d0/f{{n % 2}}.csv', 0))"
    )
    spec = SandboxSpec(data=many, environment=environment, tracker=TrackerKind.OVERLAY_INOTIFY)
    with Sandbox.start(spec) as sandbox:
        results = []
        command = threading.Thread(target=lambda: results.append(sandbox.execute(["python3", "-c", program])))
        command.start()
        while sandbox.execute(["test", "-e", "/workspace/started"], counted=False).exit_code != 0:
            pass
        running = child_of(child_of(child_of(sandbox.holder_pid)))
        os.kill(sandbox.holder_pid, signal.SIGSTOP)
        try:
            os.kill(running, signal.SIGUSR1)
            wait_for_end(running)
        finally:
            os.kill(sandbox.holder_pid, signal.SIGCONT)
        command.join()
        assert results[0].exit_code == 0, results[0].stderr.decode()
        assert not results[0].access.complete
        assert not sandbox.file_access().complete


def target_of(link: Path) -> str:
    """Return what a link names, nothing when it is gone."""
    try:
        return str(link.readlink())
    except FileNotFoundError:
        return ""


def child_of(process: int) -> int:
    """Return the first child of a process."""
    lists = [path.read_text().split() for path in Path(f"/proc/{process}/task").glob("*/children")]
    return int(next(children[0] for children in lists if children))


def wait_for_end(process: int) -> None:
    """Wait until a process is gone or waits to be reaped."""
    stat = Path(f"/proc/{process}/stat")
    while True:
        try:
            ended = stat.read_text().rpartition(") ")[2].startswith("Z")
        except (FileNotFoundError, ProcessLookupError):
            ended = True
        if ended:
            return
