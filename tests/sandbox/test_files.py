"""Reading and writing files inside, with an agent that may have laid traps."""

import pytest

from coda_bench.errors import SandboxFileError


def test_what_is_written_can_be_read(shared_sandbox):
    """Any bytes survive, below directories that are made, under names of any kind."""
    content = bytes(range(256)) * 1000
    shared_sandbox.write("/workspace/new/dir/ünï $(x) -n", content)
    assert shared_sandbox.read("/workspace/new/dir/ünï $(x) -n") == content


def test_an_empty_file_is_no_missing_file(shared_sandbox):
    """Empty content is content."""
    shared_sandbox.write("/workspace/empty", b"")
    assert shared_sandbox.read("/workspace/empty") == b""


def test_a_link_is_followed_inside_only(shared_sandbox, sh):
    """A result that is a link to the host's password file gives the sandbox's own."""
    sh("ln -sf /etc/passwd /workspace/result.txt")
    assert shared_sandbox.read("/workspace/result.txt").startswith(b"root:x:0:0::/:/usr/sbin/nologin\nagent:")
    sh("ln -sf /etc/shadow /workspace/result.txt")
    with pytest.raises(SandboxFileError, match="no such file"):
        shared_sandbox.read("/workspace/result.txt")


@pytest.mark.parametrize(
    ("trap", "reason"),
    [
        ("mkfifo trap", "not a regular file"),
        ("mkdir trap", "not a regular file"),
        ("ln -s /dev/zero trap", "not a regular file"),
        ("ln -s trap trap", "no such file"),
        ("true", "no such file"),
        ("truncate -s 100M trap", "larger than 1000 bytes"),
        ("touch trap; chmod 000 trap", "cannot be read"),
    ],
)
def test_traps_are_refused(make_sandbox, trap, reason):
    """What is not a readable regular file of the size allowed is refused with the reason, and at once."""
    sandbox = make_sandbox()
    assert sandbox.execute(["sh", "-c", trap]).exit_code == 0
    with pytest.raises(SandboxFileError, match=f"/workspace/trap .*{reason}"):
        sandbox.read("/workspace/trap", limit_bytes=1000)


@pytest.mark.parametrize("path", ["/data/new", "/workspace", "/etc/passwd"])
def test_places_that_cannot_be_written_are_named(shared_sandbox, path):
    """Writing to read-only places or over a directory is an error with the path."""
    with pytest.raises(SandboxFileError, match=path):
        shared_sandbox.write(path, b"x")


def test_a_full_disk_is_an_error(make_sandbox):
    """Content that does not fit is reported, never cut silently."""
    with pytest.raises(SandboxFileError, match="No space left"):
        make_sandbox(disk_mb=4).write("/workspace/large", bytes(8 << 20))
