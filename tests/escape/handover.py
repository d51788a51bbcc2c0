"""Fooling whoever takes the answer, the output and the record of files."""

import time

from coda_bench.cli.console import visible
from coda_bench.errors import SandboxFileError
from escape.attempt import Attempt

_RESULT = "/workspace/result.txt"
_MOST_S = 15


def _refused(scene) -> str:
    """The harness refuses to read the result, at once."""
    before = time.monotonic()
    try:
        content = scene.room.read(_RESULT, limit_bytes=1 << 20)
    except SandboxFileError:
        return "" if time.monotonic() - before < _MOST_S else "refusing took too long"
    return f"the harness read {content[:60]!r}"


def _nothing_secret(scene) -> str:
    """What the harness reads holds nothing that is not the sandbox's own."""
    try:
        content = scene.room.read(_RESULT, limit_bytes=1 << 20)
    except SandboxFileError:
        return ""
    bad = [word for word in (scene.token.encode(), b"hunter2", b"root:$", str(scene.root).encode()) if word in content]
    return f"the harness read {bad}" if bad else ""


def _swapped(scene) -> str:
    """Reads while a link and a file change places give the file, a refusal, or the sandbox's own file."""
    for _ in range(20):
        if problem := _nothing_secret(scene):
            return problem
    return ""


def _harmless_on_a_terminal(scene) -> str:
    text = scene.room.execute(["cat", "/workspace/escapes"]).stdout.decode(errors="replace")
    shown = visible(text)
    return "" if text and not {"\x1b", "\x07", "\x9b", "\u202e"} & set(shown) else "escapes would reach a terminal"


def _names_are_text(scene) -> str:
    opened = scene.room.file_access().opened
    strange = [path for path in opened if path.startswith(("/", "..")) or "\n" in path]
    return f"strange names in the record: {strange}" if strange else ""


def _own(name: str, program: str, **options) -> Attempt:
    return Attempt(name, "hand-over", program, **{"limits": {"disk_mb": 32}, **options})


ATTEMPTS = (
    _own(
        "result-is-a-link-to-a-host-file",
        """# make result.txt a link to the host's golds
os.symlink(HOST['golds'], '/workspace/result.txt')""",
        check=_refused,
    ),
    _own(
        "result-is-a-link-to-accounts",
        """# make result.txt a link to the host's accounts
os.symlink('/etc/shadow', '/workspace/result.txt')""",
        check=_refused,
    ),
    _own(
        "result-is-a-link-to-the-readers-own",
        """# make result.txt a link to what the reader itself is
os.symlink('/proc/self/environ', '/workspace/result.txt')""",
        check=_nothing_secret,
    ),
    _own(
        "result-is-a-link-to-its-descriptors",
        """# make result.txt a link to the reader's descriptors
os.symlink('/proc/self/fd/0', '/workspace/result.txt')""",
        check=_refused,
    ),
    _own(
        "result-is-a-pipe",
        """# make result.txt a pipe that nobody writes to
os.mkfifo('/workspace/result.txt')""",
        check=_refused,
    ),
    _own(
        "result-is-a-device",
        """# make result.txt a link to an endless device
os.symlink('/dev/zero', '/workspace/result.txt')""",
        check=_refused,
    ),
    _own(
        "result-is-a-socket",
        """# make result.txt a socket
socket.socket(socket.AF_UNIX).bind('/workspace/result.txt')""",
        check=_refused,
    ),
    _own(
        "result-is-huge",
        """# make result.txt claim a terabyte
open('/workspace/result.txt', 'wb').truncate(1 << 40)""",
        check=_refused,
    ),
    _own(
        "result-is-a-folder",
        """# make result.txt a folder with a million-letter path in it
os.mkdir('/workspace/result.txt')
os.mkdir('/workspace/result.txt/' + 'x' * 255)""",
        check=_refused,
    ),
    _own(
        "result-is-a-ring-of-links",
        """# make result.txt a link to itself
os.symlink('result.txt', '/workspace/result.txt')""",
        check=_refused,
    ),
    _own(
        "result-is-unreadable",
        """# forbid reading result.txt, and its folder
open('/workspace/result.txt', 'w').write('7')
os.chmod('/workspace/result.txt', 0)""",
        check=_refused,
    ),
    _own(
        "result-changes-while-it-is-read",
        """# swap result.txt between a file and a link to the golds while it is read
end = time.time() + 4
open('/workspace/plain', 'w').write('7')
while time.time() < end:
    os.symlink(HOST['golds'], '/workspace/a'); os.rename('/workspace/a', '/workspace/result.txt')
    os.symlink('/workspace/plain', '/workspace/a'); os.rename('/workspace/a', '/workspace/result.txt')
print('swapped for four seconds')""",
        meanwhile=_swapped,
    ),
    _own(
        "workspace-is-replaced",
        """# replace the workspace itself by a link
must_fail('rename', lambda: os.rename('/workspace', '/tmp/w'))
must_fail('rmdir', lambda: os.rmdir('/workspace'))
must_fail('symlink', lambda: os.symlink('/etc', '/workspace'))
os.chmod('/workspace', 0o755)""",
    ),
    _own(
        "forged-status",
        """# write a forged end of the command to every descriptor
for number in range(3, 64):
    try:
        os.write(number, b'{"exit-code": 0, "child-pid": 1}')
        escaped(number)
    except OSError:
        pass
print('no descriptor takes it')""",
    ),
    _own(
        "terminal-escapes",
        """# print and store what would drive a terminal
text = '\\x1b]0;title\\x07\\x1b[2J\\x1b[31mred\\x9b5m\\u202eevil\\x1b]52;c;aGk=\\x07'
open('/workspace/escapes', 'w').write(text)
print('stored')""",
        check=_harmless_on_a_terminal,
    ),
    _own(
        "odd-file-names",
        """# make and open files whose names are options, escapes, lines, commands and no text
for name in (b'-rf', b'$(touch x)', b'a\\nb', b'\\xff\\xfe', b'\\x1b[2J', b'x' * 255, b'; rm -rf ~',
             '\\u202egpj.exe'.encode()):
    path = b'/workspace/' + name
    open(path, 'wb').write(b'x'); open(path, 'rb').read()
    must_fail(repr(name)[:20], lambda: open(b'/data/' + name, 'rb'))
print(len(os.listdir('/workspace')), 'files')""",
        check=_names_are_text,
    ),
    _own(
        "escaping-names-in-the-record",
        """# have the record name files outside of the data
for path in ('/data/../etc/passwd', '/data/./sales/../sales/a.csv', '/proc/self/root/data/sales/a.csv',
             '//data//sales//a.csv'):
    open(path).read()
print('opened by four names')""",
        check=_names_are_text,
    ),
    _own(
        "arguments-for-the-sandbox",
        """# pass what the sandbox's own program would take for its options
said = subprocess.run(['sh', '-c', 'exec "$@"', 'sh', '--bind', '/', '/'], capture_output=True, text=True).stderr
print(said.strip())""",
    ),
)
