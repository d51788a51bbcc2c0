"""What a command cannot take more of."""

import resource
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from coda_bench.records.access import CommandEnd

GREEDY = "b = []\nwhile True: b.append(bytearray(b'x' * (1 << 20)))"


def test_a_timeout_kills_the_whole_tree(make_sandbox):
    """When the time is up every process of the command is gone, detached ones and those that ignore signals too."""
    sandbox = make_sandbox()
    script = (
        "trap '' TERM INT HUP; setsid sh -c 'trap \"\" TERM; while :; do date > /workspace/beat; done' & sleep 1000"
    )
    before = time.monotonic()
    result = sandbox.execute(["bash", "-c", script], timeout_s=1)
    assert result.ended_by is CommandEnd.TIMEOUT
    assert result.exit_code is None
    assert time.monotonic() - before < 10
    assert (
        sandbox.execute(["sh", "-c", 'a=$(stat -c %y beat); sleep 0.2; [ "$a" = "$(stat -c %y beat)" ]']).exit_code == 0
    )


def test_background_processes_end_with_their_command(make_sandbox):
    """A command's end is not delayed by what it left in the background, and nothing of that lives on."""
    sandbox = make_sandbox()
    before = time.monotonic()
    assert sandbox.execute(["sh", "-c", "sleep 1000 & setsid nohup sleep 1000 & exit 3"]).exit_code == 3
    assert time.monotonic() - before < 30
    assert b"sleep" not in sandbox.execute(["sh", "-c", "cat /proc/*/comm"]).stdout


def test_a_memory_hog_is_killed_and_said_to_be(make_sandbox):
    """A tree that holds more than its memory is killed, and the result names memory as the end."""
    result = make_sandbox(memory_mb=200).execute(["python3", "-c", GREEDY], timeout_s=60)
    assert result.ended_by is CommandEnd.MEMORY
    assert result.exit_code is None
    assert result.access.ended_by is CommandEnd.MEMORY


def test_memory_is_counted_over_the_tree(make_sandbox):
    """Children that are each below the limit are killed when their sum is not."""
    program = (
        "import os, time\n"
        "for _ in range(4):\n"
        "  if os.fork() == 0: held = bytearray(b'x' * (90 << 20)); time.sleep(60)\n"
        "time.sleep(60)"
    )
    assert make_sandbox(memory_mb=200).execute(["python3", "-c", program], timeout_s=50).ended_by is CommandEnd.MEMORY


def test_shared_pages_are_counted_once(make_sandbox):
    """Forked workers that share their parent's memory are not taken for hogs."""
    program = (
        "import os, time\n"
        "held = bytearray(b'x' * (100 << 20))\n"
        "children = [os.fork() for _ in range(1)]\n"
        "for _ in range(3):\n"
        "  if 0 not in children: children.append(os.fork())\n"
        "time.sleep(1)"
    )
    assert make_sandbox(memory_mb=300).execute(["python3", "-c", program], timeout_s=50).ended_by is CommandEnd.EXIT


def test_shared_memory_is_memory(make_sandbox):
    """Anonymous shared mappings count like any other memory."""
    program = "import mmap, time\nm = mmap.mmap(-1, 300 << 20)\nm.write(b'x' * (300 << 20))\ntime.sleep(60)"
    assert make_sandbox(memory_mb=200).execute(["python3", "-c", program], timeout_s=50).ended_by is CommandEnd.MEMORY


def test_memory_that_is_open_but_not_mapped_is_memory(make_sandbox):
    """Files in memory that a process merely has open count, by the control group or where there is none by a look."""
    sandbox = make_sandbox(memory_mb=200, disk_mb=16)
    program = (
        "import os, time\nf = os.memfd_create('x')\n"
        "for _ in range(400): os.write(f, bytes(1 << 20))\ntime.sleep(20)\nprint('done')"
    )
    result = sandbox.execute(["python3", "-c", program])
    assert result.ended_by is CommandEnd.MEMORY
    assert sandbox.execute(["true"]).exit_code == 0


def test_commands_side_by_side_share_the_memory(make_sandbox):
    """The limit is the attempt's: commands that run at once cannot hold it each."""
    sandbox = make_sandbox(memory_mb=200, disk_mb=16)
    program = "import time; held = bytearray(b'x' * (130 << 20)); time.sleep(30)"
    with ThreadPoolExecutor(2) as pool:
        ends = pool.map(lambda _: sandbox.execute(["python3", "-c", program]).ended_by, range(2))
    assert CommandEnd.MEMORY in ends


def test_a_single_reservation_beyond_reason_fails(make_sandbox):
    """Asking for many times the limit at once fails like on a full machine."""
    result = make_sandbox(memory_mb=200).execute(["python3", "-c", "bytearray(8 << 30)"])
    assert b"MemoryError" in result.stderr


def test_a_fork_bomb_is_bounded(make_sandbox):
    """Processes beyond the limit cannot be made; the sandbox goes on."""
    sandbox = make_sandbox(processes=40)
    program = (
        "import os, time\n"
        "n = 0\n"
        "try:\n"
        "  while True:\n"
        "    if os.fork() == 0: time.sleep(30); os._exit(0)\n"
        "    n += 1\n"
        "except BlockingIOError: print(n)"
    )
    result = sandbox.execute(["python3", "-c", program], timeout_s=60)
    assert 20 <= int(result.stdout) <= 75
    assert sandbox.execute(["true"]).exit_code == 0


def test_the_disk_is_bounded(make_sandbox):
    """Workspace and temporary files share the size limit; a full disk is the command's error."""
    sandbox = make_sandbox(disk_mb=16)
    result = sandbox.execute(
        ["sh", "-c", "head -c 10000000 /dev/zero > /tmp/a; head -c 10000000 /dev/zero > /workspace/b"]
    )
    assert result.exit_code != 0
    assert b"No space left" in result.stderr
    assert sandbox.execute(["sh", "-c", "rm /tmp/a"]).exit_code == 0
    assert sandbox.execute(["true"]).exit_code == 0


def test_a_gigabyte_of_output_costs_no_memory(make_sandbox):
    """Of endless output head and tail are kept, with the number of bytes between, in bounded memory."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = make_sandbox(output_kb=64).execute(["sh", "-c", "echo first; head -c 1000000000 /dev/zero; echo last"])
    assert result.stdout.startswith(b"first\n")
    assert result.stdout.endswith(b"last\n")
    assert result.stdout_dropped == 1_000_000_011 - 65536
    assert len(result.stdout) < 66_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


def test_output_within_the_limit_is_whole(make_sandbox):
    """Nothing is dropped, marked or reordered when everything fits."""
    result = make_sandbox().execute(["sh", "-c", "seq 1000; seq 3 >&2"])
    assert result.stdout == b"".join(b"%d\n" % number for number in range(1, 1001))
    assert result.stderr == b"1\n2\n3\n"
    assert (result.stdout_dropped, result.stderr_dropped) == (0, 0)


def test_cpus_are_bounded(make_sandbox):
    """A command sees and uses no more CPUs than it was given, and the record names how many these were."""
    sandbox = make_sandbox(cpus=1)
    assert sandbox.execute(["nproc"]).stdout == b"1\n"
    assert sandbox.record.limits["cpus"] == 1


@pytest.mark.parametrize(("script", "code"), [("exit 7", 7), ("kill -9 $$", 137), ("no-such-program", 127)])
def test_exit_codes_are_the_commands_own(sh, script, code):
    """A program's exit code, or 128 and its signal, is handed on."""
    result = sh(script)
    assert (result.exit_code, result.ended_by) == (code, CommandEnd.EXIT)


def test_a_fork_bomb_leaves_the_harness_its_processes(make_sandbox):
    """Beside a command that takes every process, others fail like on a full machine, and files are still fetched."""
    sandbox = make_sandbox(processes=40)
    sandbox.write("/workspace/result.txt", b"7")
    bomb = (
        "import os, time\n"
        "while True:\n"
        "  try:\n"
        "    if os.fork() == 0: time.sleep(600)\n"
        "  except BlockingIOError: open('/workspace/full', 'w'); time.sleep(0.01)"
    )
    thread = threading.Thread(target=sandbox.execute, args=(["python3", "-c", bomb],))
    thread.start()
    while sandbox.execute(["test", "-e", "/workspace/full"], counted=False).exit_code != 0:
        assert thread.is_alive()
    # The test above took one process and gave it back: whichever comes first now has it.
    tries = (sandbox.execute(["true"]) for _ in range(50))
    refused = next(one for one in tries if one.exit_code != 0)
    assert (refused.exit_code, refused.ended_by) == (126, CommandEnd.EXIT)
    assert b"temporarily unavailable" in refused.stderr
    assert sandbox.read("/workspace/result.txt") == b"7"
    sandbox.interrupt()
    thread.join(30)
    assert sandbox.execute(["true"]).exit_code == 0


def test_files_without_content_are_bounded(make_sandbox):
    """Empty files and directories, which the size limit does not see, are limited in number."""
    program = "import os\ntry:\n  for n in range(99999): os.mkdir(str(n))\nexcept OSError as e: print(e.strerror, n)"
    said = make_sandbox(disk_mb=16).execute(["python3", "-c", program]).stdout.decode()
    assert said.startswith("No space left on device")
    assert int(said.split()[-1]) <= 16 * 256


def test_memory_that_belongs_to_no_process_is_refused(make_sandbox):
    """System V segments, semaphores and queues, for which nobody could be stopped, cannot be made."""
    make = (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "print(libc.shmget(7, 4096, 0o1600), libc.semget(7, 1, 0o1600), libc.msgget(7, 0o1600), ctypes.get_errno())"
    )
    assert make_sandbox().execute(["python3", "-c", make]).stdout == b"-1 -1 -1 38\n"


def test_the_cpus_cannot_be_chosen_anew(make_sandbox):
    """A command kept to one CPU cannot give itself another."""
    widen = "import os\ntry: os.sched_setaffinity(0, range(64))\nexcept PermissionError: print(os.sched_getaffinity(0))"
    assert make_sandbox(cpus=1).execute(["python3", "-c", widen]).stdout.count(b",") == 0


@pytest.mark.parametrize(
    ("timeout_s", "ended_by"), [(float("inf"), "exit"), (float("nan"), "timeout"), (-1, "timeout")]
)
def test_odd_time_limits_are_understood(make_sandbox, timeout_s, ended_by):
    """No end is a long one, and what is no time is none."""
    assert make_sandbox().execute(["sleep", "0.2"], timeout_s=timeout_s).ended_by == ended_by
