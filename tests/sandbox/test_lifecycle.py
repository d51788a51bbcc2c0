"""Starting, interrupting, ending, and ending badly."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from coda_bench.errors import SandboxLost, SandboxUnavailable
from coda_bench.records.access import CommandEnd
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.cleanup import find, remove
from coda_bench.sandbox.cleanup.owner import started
from coda_bench.sandbox.holder.room import cgroup

HARNESS = """
import sys
from pathlib import Path
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import find
sandbox = Sandbox.start(SandboxSpec(data=Path(sys.argv[1]), environment=find()))
print(sandbox.holder_pid, flush=True)
sandbox.execute(["sh", "-c", "setsid sleep 4242 & sleep 4242"], timeout_s=600)
"""


def processes_with(word: str) -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and word in (folder / "cmdline").read_text(errors="replace"):
                found.append(int(folder.name))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def running(command: str) -> bool:
    """Whether a process is this command itself, not one that is about to start it."""
    return any(Path(f"/proc/{process}/cmdline").read_text().startswith(command) for process in processes_with(command))


def wait_until(condition) -> None:
    waiting = threading.Event()
    for _ in range(600):
        if condition():
            return
        waiting.wait(0.05)
    pytest.fail("did not happen within half a minute")


@pytest.mark.usefixtures("environment")
def test_a_killed_harness_leaves_nothing(community):
    """After SIGKILL of the harness its sandbox's processes end by themselves, and no mount stays."""
    mounts = Path("/proc/mounts").read_text()
    with subprocess.Popen([sys.executable, "-c", HARNESS, community], stdout=subprocess.PIPE) as harness:
        holder = Path("/proc", harness.stdout.readline().decode().strip())
        assert holder.exists()
        wait_until(lambda: len(processes_with("4242")) >= 2)
        harness.kill()
    wait_until(lambda: not processes_with("4242"))
    wait_until(lambda: not holder.exists())
    wait_until(lambda: not list(Path("/sys/fs/cgroup").rglob(f"coda-bench-{holder.name}")))
    assert Path("/proc/mounts").read_text() == mounts
    assert not [path for path in Path("/tmp").iterdir() if f"coda-bench-{harness.pid}-" in path.name]  # noqa: S108


def test_closing_ends_everything(make_sandbox):
    """Closing kills what runs, wakes its caller, and can be repeated; the process is reaped."""
    sandbox = make_sandbox()
    outcome = []

    def run() -> None:
        try:
            outcome.append(sandbox.execute(["sh", "-c", "setsid sleep 5151 & sleep 5151"]))
        except SandboxLost as lost:
            outcome.append(lost)

    thread = threading.Thread(target=run)
    thread.start()
    wait_until(lambda: processes_with("5151"))
    sandbox.close()
    sandbox.close()
    thread.join(30)
    assert outcome
    wait_until(lambda: not processes_with("5151"))
    with pytest.raises(SandboxLost, match="closed"):
        sandbox.execute(["true"])


def test_interrupt_kills_commands_and_keeps_the_sandbox(make_sandbox):
    """Interrupting ends every running command at once; the sandbox takes new ones."""
    sandbox = make_sandbox()
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(sandbox.execute(["sleep", "6161"], timeout_s=600)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    wait_until(lambda: len(processes_with("\0006161")) >= 2 * 2)
    sandbox.interrupt()
    for thread in threads:
        thread.join(30)
    assert [result.ended_by for result in results] == [CommandEnd.INTERRUPTED] * 2
    assert sandbox.execute(["true"]).exit_code == 0


def test_a_dead_holder_is_a_lost_sandbox(make_sandbox):
    """When the process that holds the sandbox is killed, its commands end and the caller is told."""
    sandbox = make_sandbox()
    outcome = []

    def run() -> None:
        try:
            sandbox.execute(["sleep", "7171"])
        except SandboxLost as lost:
            outcome.append(lost)

    thread = threading.Thread(target=run)
    thread.start()
    wait_until(lambda: running("sleep\0007171"))
    os.kill(sandbox.holder_pid, signal.SIGKILL)
    thread.join(30)
    assert outcome
    wait_until(lambda: not processes_with("7171"))
    with pytest.raises(SandboxLost):
        sandbox.execute(["true"])


ORPHAN = """
import os, signal, sys
from pathlib import Path
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import AnalysisEnvironment
environment = AnalysisEnvironment.model_validate_json(sys.argv[1])
sandbox = Sandbox.start(SandboxSpec(data=None, environment=environment))
status = Path(f"/proc/{sandbox.holder_pid}/status").read_text().split()
os.kill(int(status[status.index("PPid:") + 1]), signal.SIGKILL)
assert sandbox.execute(["true"]).exit_code == 0
sandbox.close()
with Sandbox.start(SandboxSpec(data=None, environment=environment)) as another:
    assert another.execute(["true"]).exit_code == 0
print(sandbox.holder_pid)
"""


def test_a_killed_nursery_is_replaced_and_leaves_nothing(environment):
    """When the process that starts sandboxes is killed, those there are go on, new ones start, and all is removed."""
    command = [sys.executable, "-c", ORPHAN, environment.model_dump_json()]
    holder = subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()
    wait_until(lambda: not Path("/proc", holder).exists())  # whoever adopted it has to reap it
    assert not list(Path("/sys/fs/cgroup").rglob(f"coda-bench-{holder}"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes control groups")
def test_what_a_killed_holder_left_in_its_group_is_killed():
    """A process that nobody else would end goes with the group of its holder."""
    stray = subprocess.Popen(["sleep", "1000"])
    program = "import os; from coda_bench.sandbox.holder.room import cgroup; print(os.getpid(), cgroup.create(1 << 28))"
    made = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout.split()
    group = next(Path("/sys/fs/cgroup").rglob(f"coda-bench-{made[0]}"), None)
    if group is None:
        stray.kill()
        stray.wait()
        pytest.skip("no control group can be made here")
    (group / "cgroup.procs").write_text(str(stray.pid))
    wait_until(lambda: cgroup.remove(int(made[0])))
    assert stray.wait(30) == -signal.SIGKILL
    assert not group.exists()


def test_a_missing_directory_is_named(environment, tmp_path):
    """A community that is not there is reported with the step and the path."""
    with pytest.raises(SandboxUnavailable, match=r"opening of a source.*no-such-place"):
        Sandbox.start(SandboxSpec(data=tmp_path / "no-such-place", environment=environment))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root hands its files to another user")
def test_unreadable_data_is_refused(environment, tmp_path):
    """Data that the sandbox's user cannot read is refused at the start, not found missing by the agent."""
    root = tmp_path / "private"
    root.mkdir()
    (root / "secret.csv").write_text("1\n")
    (root / "secret.csv").chmod(0o600)
    with pytest.raises(SandboxUnavailable, match=r"secret\.csv cannot be read.*chmod"):
        Sandbox.start(SandboxSpec(data=root, environment=environment))


@pytest.mark.parametrize(
    ("argv", "cwd", "code", "said"),
    [
        (["no-such-program"], "/", 127, b"No such file"),
        (["/etc/passwd"], "/", 126, b"Permission denied"),
        (["true"], "/no-such-directory", 127, b"No such file"),
        (["sh", "-c", "true " + "x" * 200_000], "/", 126, b"Argument list too long"),
        (["sh", "-c", "echo a\0b"], "/", 126, b"null byte"),
        (["echo", "\ud800"], "/", 126, b"cannot be run"),
        (["true"], "/\0--bind\0/\0/", 126, b"null byte"),
        (["true"], "", 126, b"empty"),
        ([], "/", 126, b"empty"),
    ],
)
def test_what_cannot_be_run_is_the_commands_failure(make_sandbox, argv, cwd, code, said):
    """Nothing an agent can ask for is taken for trouble of the machine; the sandbox goes on."""
    sandbox = make_sandbox()
    result = sandbox.execute(argv, cwd=cwd)
    assert result.exit_code == code
    assert said in result.stderr
    assert result.access.exit_code == code
    assert sandbox.execute(["true"]).exit_code == 0


def test_the_record_says_what_held_the_attempt(shared_sandbox, environment):
    """The record names the backend, the tracker, the environment's lock and every limit."""
    record = shared_sandbox.record
    assert record.backend.startswith("bubblewrap ")
    assert record.tracker == "overlay_inotify"
    assert record.environment_lock == environment.lock_sha256
    assert set(record.limits) == {"time_s", "memory_mb", "cpus", "processes", "disk_mb", "output_kb"}
    assert any("memory" in note for note in record.notes)


def test_variables_and_directory_are_the_callers_choice(sh):
    """A command gets the variables and the directory asked for, beside the sandbox's own few."""
    result = sh("pwd; echo $MINE $TZ $PYTHONHASHSEED $LANG", cwd="/tmp", env={"MINE": "x y"})  # noqa: S108
    assert result.stdout == b"/tmp\nx y UTC 0 C.UTF-8\n"


def test_input_of_any_size_reaches_the_command(sh):
    """Standard input is fed while output is read, so neither blocks the other; unread input is no error."""
    content = os.urandom(3_000_000).hex().encode()
    assert sh("cat | md5sum; md5sum < /dev/null", stdin=content).exit_code == 0
    assert sh("head -c 10", stdin=content).stdout == content[:10]
    assert sh("wc -c", stdin=content).stdout.strip() == b"6000000"


@pytest.mark.parametrize("env", [{"A": "x\0--share-net"}, {"A\0": "x"}, {"A=B": "x"}, {"": "x"}])
def test_variables_cannot_become_options(shared_sandbox, env):
    """A variable that bubblewrap would take for something else makes the command fail, and nothing else."""
    result = shared_sandbox.execute(["true"], env=env)
    assert (result.exit_code, result.ended_by) == (126, CommandEnd.EXIT)
    assert b"cannot be run" in result.stderr


HANDS_ON = """
import os, socket, time
peer = socket.socket(socket.AF_UNIX)
while peer.connect_ex("/workspace/meeting"): time.sleep(0.05)
print("handing on", flush=True)
socket.send_fds(peer, [b"x"], [1])
"""
KEEPS = """
import os, socket, time
meeting = socket.socket(socket.AF_UNIX); meeting.bind("/workspace/meeting"); meeting.listen()
peer, _ = meeting.accept()
_, (kept,), _, _ = socket.recv_fds(peer, 1, 1)
while True: os.write(kept, b"spam" * 1000)
"""


def test_a_kept_pipe_does_not_keep_its_command(make_sandbox):
    """A command's result does not wait for another command that was handed its output, and even writes to it."""
    sandbox = make_sandbox()
    keeper = threading.Thread(target=sandbox.execute, args=(["python3", "-c", KEEPS],))
    keeper.start()
    result = sandbox.execute(["python3", "-c", HANDS_ON], timeout_s=20)
    assert (result.exit_code, result.ended_by) == (0, CommandEnd.EXIT)
    assert result.stdout.startswith(b"handing on")
    assert keeper.is_alive()
    sandbox.interrupt()
    keeper.join(30)


@pytest.mark.usefixtures("environment")
def test_harness_and_nursery_killed_together_leave_no_process(community):
    """Nobody is left to clean up: the processes end all the same, and what stays is found by `cleanup`."""
    with subprocess.Popen([sys.executable, "-c", HARNESS, community], stdout=subprocess.PIPE) as harness:
        holder = int(harness.stdout.readline())
        wait_until(lambda: len(processes_with("4242")) >= 2)
        nursery = int(Path(f"/proc/{holder}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(nursery, signal.SIGKILL)
        harness.kill()
    wait_until(lambda: not processes_with("4242"))
    wait_until(lambda: started(holder) is None)
    left = [leftover for leftover in find() if leftover.where.endswith(f"-{holder}")]
    assert [remove(leftover) for leftover in left] == [""] * len(left)
    assert not list(Path("/sys/fs/cgroup").rglob(f"coda-bench-{holder}"))
