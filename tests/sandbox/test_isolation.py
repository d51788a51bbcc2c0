"""What cannot be reached from inside."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from coda_bench.errors import BadInput, SandboxUnavailable
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.bubblewrap import usable
from coda_bench.sandbox.holder.seccomp import DENIED, MACHINES, program

SYSCALL = "import ctypes, os; libc = ctypes.CDLL(None, use_errno=True); "
CALL = SYSCALL + "result = libc.syscall({}); print(result, os.strerror(ctypes.get_errno()))"
CLONE_NEWUSER = 0x10000000
LISTS_DESCRIPTORS = """
import sys
from coda_bench.sandbox import Sandbox, SandboxSpec
from coda_bench.sandbox.analysis_env import AnalysisEnvironment
environment = AnalysisEnvironment.model_validate_json(sys.argv[1])
look = "import os; print(sorted(map(int, os.listdir('/proc/self/fd'))))"
with Sandbox.start(SandboxSpec(data=None, environment=environment)) as sandbox:
    sys.stdout.buffer.write(sandbox.execute(["python3", "-c", look]).stdout)
"""


@pytest.mark.parametrize(
    "target",
    ["/data/new.csv", "/data/iris/one.csv", "/new", "/etc/passwd", "/dev/new", "/opt/analysis/bin/new", "/usr/bin/new"],
)
def test_only_the_workspace_is_writable(sh, target):
    """Writing anywhere but to the workspace and the temporary directories fails."""
    result = sh(f"echo x > {target}")
    assert result.exit_code != 0
    assert b"Read-only file system" in result.stderr or b"Permission denied" in result.stderr


def test_the_workspace_stays_between_commands(sh):
    """Files of one command are there for the next, as are those in the temporary and shared memory directories."""
    assert sh("echo 1 > /workspace/kept; echo 2 > /tmp/kept; echo 3 > /dev/shm/kept").exit_code == 0
    assert sh("cat /workspace/kept /tmp/kept /dev/shm/kept").stdout == b"1\n2\n3\n"


@pytest.mark.parametrize(
    "path", ["/etc/shadow", "/root", "/home", "/usr/local", "/var", "/sys", "/mnt", "/srv", "/run"]
)
def test_the_rest_of_the_host_is_absent(sh, path):
    """Nothing of the host is there but its system programs and libraries."""
    assert sh(f"ls {path}").exit_code != 0


def test_the_harness_is_not_visible(sh, community):
    """Neither the harness's packages nor the host's path of the community can be found inside."""
    assert sh("python3 -c 'import coda_bench'").exit_code != 0
    assert sh("/usr/bin/python3 -c 'import pydantic'").exit_code != 0
    seen = sh("cat /proc/self/mountinfo; cat /proc/self/mounts; cat /proc/1/cmdline; ls -l /proc/*/exe").stdout.decode()
    assert str(community) not in seen
    assert "communities" not in seen


def test_no_variable_of_the_harness_is_visible(environment, community, monkeypatch):
    """Secrets in the harness's variables reach neither the command nor the first process beside it."""
    monkeypatch.setenv("SECRET_KEY", "hunter2")
    with Sandbox.start(SandboxSpec(data=community, environment=environment)) as sandbox:
        result = sandbox.execute(["sh", "-c", "env; cat /proc/*/environ; cat /proc/*/cmdline"])
    assert b"hunter2" not in result.stdout.replace(b"\0", b"\n")
    assert b"HOME=/workspace" in result.stdout


def test_no_descriptor_of_the_harness_is_inherited(environment, tmp_path):
    """A command has its three standard descriptors only (and its look at them), whatever the harness has open."""
    secret = tmp_path / "secret"
    secret.write_text("hunter2")
    with secret.open() as stream:
        os.set_inheritable(stream.fileno(), True)
        harness = [sys.executable, "-c", LISTS_DESCRIPTORS, environment.model_dump_json()]
        run = subprocess.run(harness, capture_output=True, close_fds=False, check=True)
    assert run.stdout == b"[0, 1, 2, 3]\n"


def test_the_user_is_an_ordinary_one(sh):
    """Commands run as `agent`, without capabilities and unable to gain any."""
    status = sh("id -un; grep -E 'CapEff|CapBnd|NoNewPrivs|Seccomp:' /proc/self/status").stdout.decode().split()
    assert status == ["agent", "CapEff:", "0" * 16, "CapBnd:", "0" * 16, "NoNewPrivs:", "1", "Seccomp:", "2"]


def test_processes_outside_are_invisible(sh):
    """A command sees its own processes only, not those of the host nor of other commands."""
    processes = [name for name in sh("ls /proc").stdout.split() if name.isdigit()]
    assert len(processes) <= 4


@pytest.mark.parametrize("address", ["('1.1.1.1', 53)", "('169.254.169.254', 80)", "('10.0.0.1', 80)"])
def test_the_network_is_unreachable(python, address):
    """There is no route out, to the internet or to the cloud's metadata service."""
    result = python(f"import socket; socket.create_connection({address}, timeout=5)")
    assert b"Network is unreachable" in result.stderr


def test_the_sandbox_has_a_loopback_of_its_own(python):
    """Programs may talk to themselves over 127.0.0.1, but not to the host."""
    listen = "import socket; s = socket.create_server(('127.0.0.1', 0)); "
    assert python(listen + "socket.create_connection(s.getsockname()); print('ok')").stdout == b"ok\n"


@pytest.mark.parametrize("family", ["AF_VSOCK", "AF_PACKET", "AF_ALG", "AF_TIPC"])
def test_socket_families_beyond_the_network_namespace_are_refused(python, family):
    """Families that a network namespace does not cover cannot even be created."""
    result = python(f"import socket; socket.socket(socket.{family}, socket.SOCK_STREAM)")
    assert b"Address family not supported" in result.stderr


@pytest.mark.parametrize(
    "name", ["io_uring_setup", "unshare", "mount", "ptrace", "bpf", "open_by_handle_at", "setns", "keyctl"]
)
def test_denied_calls_fail(python, name):
    """System calls that would reach around the sandbox are refused by the filter."""
    number = DENIED[name][MACHINES[platform.machine()].column]
    answer = python(CALL.format(f"{number}, 0, 0, 0, 0, 0")).stdout
    assert answer.strip() in {b"-1 Operation not permitted", b"-1 Function not implemented"}


def test_user_namespaces_are_refused(sh, python):
    """No new user namespace can be made, by the tool or by the plain call."""
    assert sh("unshare -U true").exit_code != 0
    number = {"x86_64": 56, "aarch64": 220}[platform.machine()]
    assert python(CALL.format(f"{number}, {CLONE_NEWUSER | 17}, 0, 0, 0, 0")).stdout.startswith(b"-1 ")


def test_threads_and_children_still_work(python):
    """Refusing namespaces leaves ordinary forks and threads alone."""
    program = (
        "import concurrent.futures as c, os\n"
        "if __name__ == '__main__':\n"
        "  print(sum(c.ThreadPoolExecutor(4).map(abs, range(9))), sum(c.ProcessPoolExecutor(2).map(abs, range(9))))"
    )
    assert python(program).stdout == b"36 36\n"


def test_fonts_are_found_without_complaint(sh):
    """Drawing programs find a font configuration, and the fonts of the host."""
    result = sh("command -v fc-list > /dev/null || exit 77; fc-list")
    if result.exit_code == 77:
        pytest.skip("the host has no fontconfig")
    assert (result.exit_code, result.stderr) == (0, b"")


def test_a_terminal_can_be_made(python):
    """Programs that need a pseudo-terminal get one of the sandbox's own."""
    assert python("import pty; print(pty.spawn(['true']))").stdout.strip().endswith(b"0")


@pytest.mark.parametrize("machine", MACHINES)
def test_the_filter_is_well_formed(machine):
    """The program is whole instructions, and each jump lands inside it."""
    code = program(machine)
    assert len(code) % 8 == 0
    steps = [code[at : at + 8] for at in range(0, len(code), 8)]
    for place, one in enumerate(steps):
        if one[0] & 0x07 == 0x05:
            assert place + 1 + max(one[2], one[3]) < len(steps)


def test_readonly_sources_are_shown_where_asked(environment, community, tmp_path):
    """Further files and directories appear at their paths, readable and not writable."""
    (tmp_path / "tool").mkdir()
    (tmp_path / "tool/run").write_text("hello\n")
    (tmp_path / "one.txt").write_text("one\n")
    readonly = ((tmp_path / "tool", "/opt/tool"), (tmp_path / "one.txt", "/workspace/given/one.txt"))
    with Sandbox.start(SandboxSpec(data=community, environment=environment, readonly=readonly)) as sandbox:
        assert sandbox.execute(["cat", "/opt/tool/run", "/workspace/given/one.txt"]).stdout == b"hello\none\n"
        assert sandbox.execute(["sh", "-c", "echo x > /opt/tool/run"]).exit_code != 0
        assert sandbox.execute(["sh", "-c", "echo x > /workspace/given/one.txt"]).exit_code != 0


@pytest.mark.parametrize("inside", ["/data/extra", "relative", "/proc/x", "/opt/../data", "/"])
def test_sources_cannot_be_shown_just_anywhere(environment, tmp_path, inside):
    """A path where nothing can be shown is refused before anything starts."""
    with pytest.raises(BadInput, match="cannot be shown there"):
        Sandbox.start(SandboxSpec(data=None, environment=environment, readonly=((tmp_path, inside),)))


@pytest.mark.parametrize(
    ("script", "problem"),
    [("echo bubblewrap 0.4.1", "0.4.1 is too old"), ("echo hello", "'hello'"), ("exit 3", "does not start")],
)
def test_an_unusable_bubblewrap_is_refused_with_a_remedy(tmp_path, script, problem):
    """A binary that is too old, broken or something else is named, with how to get a good one."""
    binary = tmp_path / "bwrap"
    binary.write_text(f"#!/bin/sh\n{script}\n")
    binary.chmod(0o755)
    with pytest.raises(SandboxUnavailable, match=f"{problem}.*pip install"):
        usable(binary)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has something to give up")
def test_root_gives_itself_up(shared_sandbox):
    """Started by root, a sandbox runs as nobody on the host, and says so."""
    assert shared_sandbox.record.uid_outside == 65534
    assert Path(f"/proc/{shared_sandbox.holder_pid}").stat().st_uid == 65534


def test_no_path_of_the_host_can_be_read(sh, environment, community, tmp_path):
    """Where the environment, the community or anything else lies on the host is not told by the mount tables."""
    seen = sh("cat /proc/self/mountinfo /proc/self/mounts /proc/self/mountstats").stdout.decode()
    for path in (environment.root, environment.root.parent, community, tmp_path.parent):
        assert str(path) not in seen
    (tmp_path / "very-own").mkdir()
    (tmp_path / "very-own/tool").write_text("x\n")
    readonly = ((tmp_path / "very-own", "/opt/folder"), (tmp_path / "very-own/tool", "/opt/file"))
    with Sandbox.start(SandboxSpec(data=None, environment=environment, readonly=readonly)) as sandbox:
        result = sandbox.execute(["cat", "/opt/folder/tool", "/opt/file", "/proc/self/mountinfo"])
        assert result.stdout.startswith(b"x\nx\n")
        assert b"very-own" not in result.stdout


@pytest.mark.parametrize("script", ["env -i python3 {}", "env -i /usr/bin/python3 {}", "python3 {}", "/workspace/{}"])
def test_every_python_is_the_analysis_environments(sh, shared_sandbox, script):
    """Whatever way Python is started, the packages are there, and arguments arrive as they were given."""
    if not Path("/usr/bin/python3").exists():
        pytest.skip("the host has no Python in /usr/bin")
    program = b"#!/usr/bin/python3\nimport sys, pandas; print(sys.prefix, sys.argv[1:])\n"
    shared_sandbox.write("/workspace/which.py", program)
    result = sh(f"cd /workspace; chmod +x which.py; {script.format('which.py')} a 'b  c'")
    assert result.stdout == b"/opt/analysis ['a', 'b  c']\n"


def test_drawing_leaves_the_workspace_clean(sh):
    """Matplotlib finds its list of fonts made, and a place of its own beside the workspace."""
    draw = "import matplotlib.pyplot as p; p.title(1); p.savefig('/tmp/drawn.png')"
    drawn = sh(f'python3 -W error -c "{draw}"; ls -A ~ /tmp/.matplotlib')
    assert drawn.stderr == b""
    assert b".cache" not in drawn.stdout
    assert b".config" not in drawn.stdout
    assert b"fontlist" in drawn.stdout
