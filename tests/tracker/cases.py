"""The ways to read a file, and the ways to come near one without reading it.

Each case has a folder of its own with a file `used.<kind>` and a `decoy.csv` beside it. In a script, F stands for the
file and D for its folder.
"""

from typing import NamedTuple

ROWS = "a,b\n1,2\n3,4\n"


class Case(NamedTuple):
    """One way, and how it is run."""

    name: str
    argv: tuple[str, ...]
    kind: str = "csv"
    """What the file is: a suffix of `KINDS`."""
    may_be_refused: bool = False
    """Whether refusing is as good as seeing: then nothing was read."""


KINDS = ("csv", "txt", "json", "parquet", "feather", "xlsx", "sqlite", "zip", "gz", "npy", "py", "sh", "tar")

WRITE_KINDS = """
import gzip, sqlite3, tarfile, zipfile
import numpy, pandas
frame = pandas.DataFrame({"a": [1, 3], "b": [2, 4]})
frame.to_parquet("/workspace/parquet")
frame.to_feather("/workspace/feather")
frame.to_excel("/workspace/book.xlsx")
frame.to_json("/workspace/json")
numpy.save("/workspace/array.npy", frame.to_numpy())
open("/workspace/csv", "w").write(frame.to_csv(index=False))
with sqlite3.connect("/workspace/sqlite") as database:
    frame.to_sql("t", database, index=False)
with zipfile.ZipFile("/workspace/zip", "w") as archive:
    archive.write("/workspace/csv", "t.csv")
with gzip.open("/workspace/gz", "wt") as packed:
    packed.write(frame.to_csv(index=False))
with tarfile.open("/workspace/tar", "w") as archive:
    archive.add("/workspace/csv", "t.csv")
open("/workspace/py", "w").write("VALUE = 1\\n")
open("/workspace/sh", "w").write("echo 1\\n")
open("/workspace/txt", "w").write("1 2\\n3 4\\n")
"""


def shell(name: str, script: str, kind: str = "csv") -> Case:
    """A case in bash."""
    return Case(name, ("bash", "-c", script), kind)


def python(name: str, program: str, kind: str = "csv") -> Case:
    """A case in the analysis environment's Python."""
    return Case(name, ("python3", "-c", program), kind)


def raw(way: str, *, may_be_refused: bool = False) -> Case:
    """A case of the static C program."""
    return Case(f"static C: {way}", ("/cases/reads", way, "F"), may_be_refused=may_be_refused)


_PASSING = """
import os, socket
ours, theirs = socket.socketpair()
if os.fork() == 0:
    socket.send_fds(theirs, [b"x"], [os.open("F", os.O_RDONLY)])
    os._exit(0)
_, descriptors, _, _ = socket.recv_fds(ours, 1, 1)
assert os.read(descriptors[0], 9)
"""
_PASSING_FOLDER = _PASSING.replace('os.open("F", os.O_RDONLY)', 'os.open("D", os.O_PATH)').replace(
    "os.read(descriptors[0], 9)", "os.read(os.open('used.csv', os.O_RDONLY, dir_fd=descriptors[0]), 9)"
)
_SPLICE = """
import os
inner, outer = os.pipe()
assert os.splice(os.open("F", os.O_RDONLY), outer, 9)
"""
_OTHER_PROCESS = """
import multiprocessing
process = multiprocessing.get_context("fork").Process(target=lambda: open("F").read())
process.start(); process.join(); assert process.exitcode == 0
"""
_DOUBLE_FORK = """
import os
inner, outer = os.pipe()
if os.fork() == 0:
    if os.fork() == 0:
        open("F").read(); os.write(outer, b"x")
    os._exit(0)
os.read(inner, 1)
"""
_DATABASE = """
import sqlite3
assert sqlite3.connect("file:F?immutable=1", uri=True).execute("select * from t").fetchall()
"""
_SENDFILE = """
import os
target = os.open("/tmp/sent", os.O_RDWR | os.O_CREAT)
assert os.sendfile(target, os.open("F", os.O_RDONLY), 0, 9)
"""
_LIBC = "import ctypes; libc = ctypes.CDLL(None); "
_LATE_THREAD = """
import threading
def work(): open("F").read()
thread = threading.Thread(target=work); thread.start(); thread.join()
"""


def _trying(call: str) -> str:
    return f"import os, socket\ntry: {call}\nexcept OSError: pass"


SHELL_READS = (
    shell("cat", "cat F"),
    shell("head", "head -n 1 F"),
    shell("tail", "tail -n 1 F"),
    shell("tac", "tac F"),
    shell("wc", "wc -l F"),
    shell("cp", "cp F /workspace/copy"),
    shell("dd", "dd if=F of=/dev/null"),
    shell("od", "od -c F"),
    shell("cut", "cut -d, -f1 F"),
    shell("sort", "sort F"),
    shell("paste", "paste F"),
    shell("split", "cd /tmp && split F"),
    shell("sha256sum", "sha256sum F"),
    shell("cmp", "cmp F /dev/null; true"),
    shell("diff", "diff F /dev/null; true"),
    shell("grep", "grep 1 F"),
    shell("sed", "sed -n 1p F"),
    shell("awk", "awk -F, '{print $1}' F"),
    shell("tar", "tar cf /dev/stdout -C D used.csv | cat > /dev/null"),
    shell("tar member", "tar xOf F t.csv", "tar"),
    shell("gzip", "zcat < F", "gz"),
    shell("xargs", "echo F | xargs md5sum"),
    shell("find -exec", "find D -name 'used*' -exec cat {} +"),
    shell("glob", "cat D/u*.csv"),
    shell("redirection", "read line < F"),
    shell("mapfile", "mapfile -t lines < F"),
    shell("source", ". F", "sh"),
    shell("script run by a shell", "sh F", "sh"),
    shell("relative", "cd D && cat ./used.csv"),
    shell("relative upwards", "cd D && cat ../../data/../$PWD/used.csv"),
    shell("link outside", "ln -s F /workspace/innocent; cat /workspace/innocent; rm /workspace/innocent"),
    shell("linked folder", "ln -s D /workspace/dir; cat /workspace/dir/used.csv; rm /workspace/dir"),
    shell("subshell", "( ( cat F ) )"),
    shell("background", "cat F > /tmp/o & wait"),
    shell("detached", "setsid sh -c '(cat F > /tmp/d; echo > /tmp/done) &'; until [ -e /tmp/done ]; do :; done"),
    shell("descriptor before exec", "exec 3< F; exec cat <&3"),
    shell("/dev/stdin", "cat /dev/stdin < F"),
    shell("/proc/self/fd of an open file", "exec 3< F; cat /proc/self/fd/3"),
    shell("/proc/self/cwd", "cd D && cat /proc/self/cwd/used.csv"),
    shell("/proc/PID/root", "cat /proc/$$/root/F"),
    shell("process substitution", "cat <(cat F)"),
    shell("coreutils copy by cat and tee", "tee /dev/null < F"),
    shell("bare environment", "env -i /usr/bin/cat F"),
)

PYTHON_READS = (
    python("open", "open('F').read()"),
    python("pathlib", "import pathlib; pathlib.Path('F').read_bytes()"),
    python("os.open", "import os; os.read(os.open('F', os.O_RDONLY), 9)"),
    python("O_CREAT for reading", "import os; os.read(os.open('F', os.O_RDONLY | os.O_CREAT), 9)"),
    python("bytes path", "open(b'F').read()"),
    python("folder descriptor", "import os; os.read(os.open('used.csv', 0, dir_fd=os.open('D', os.O_PATH)), 9)"),
    python("fchdir", "import os; os.fchdir(os.open('D', os.O_RDONLY)); open('used.csv').read()"),
    python("mmap", "import mmap; f = open('F'); mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)[:]"),
    python("csv", "import csv; list(csv.reader(open('F')))"),
    python("json", "import json; json.load(open('F'))", "json"),
    python("sqlite3", _DATABASE, "sqlite"),
    python("zipfile", "import zipfile; zipfile.ZipFile('F').read('t.csv')", "zip"),
    python("tarfile", "import tarfile; tarfile.open('F').extractfile('t.csv').read()", "tar"),
    python("gzip", "import gzip; gzip.open('F').read()", "gz"),
    python("runpy", "import runpy; runpy.run_path('F')", "py"),
    python("import", "import sys; sys.dont_write_bytecode = True; sys.path.insert(0, 'D'); import used", "py"),
    python("linecache", "import linecache; assert linecache.getline('F', 1)"),
    python("shutil", "import shutil; shutil.copyfile('F', '/tmp/copy')"),
    python("sendfile", _SENDFILE),
    python("splice", _SPLICE),
    python("libc by ctypes", _LIBC + "assert libc.read(libc.open(b'F', 0), ctypes.create_string_buffer(9), 9) > 0"),
    python("stdio by ctypes", _LIBC + "libc.fopen.restype = ctypes.c_void_p; assert libc.fopen(b'F', b'r')"),
    python("subprocess", "import subprocess; subprocess.run(['cat', 'F'], check=True)"),
    python("multiprocessing", _OTHER_PROCESS),
    python("fork", "import os; p = os.fork(); p or (open('F').read(), os._exit(0)); os.waitpid(p, 0)"),
    python("double fork", _DOUBLE_FORK),
    python("thread", _LATE_THREAD),
    python("descriptor over a socket", _PASSING),
    python("folder over a socket", _PASSING_FOLDER),
    python("pandas csv", "import pandas; pandas.read_csv('F')"),
    python("pandas csv, pyarrow engine", "import pandas; pandas.read_csv('F', engine='pyarrow')"),
    python("pandas json", "import pandas; pandas.read_json('F')", "json"),
    python("pandas parquet", "import pandas; pandas.read_parquet('F')", "parquet"),
    python("pandas excel", "import pandas; pandas.read_excel('F')", "xlsx"),
    python("pandas feather", "import pandas; pandas.read_feather('F')", "feather"),
    python("pandas zip", "import pandas; pandas.read_csv('F')", "zip"),
    python("numpy text", "import numpy; numpy.loadtxt('F')", "txt"),
    python("numpy memory map", "import numpy; numpy.load('F', mmap_mode='r').sum()", "npy"),
    python("polars csv", "import polars; polars.read_csv('F')"),
    python("polars lazy csv", "import polars; polars.scan_csv('F').collect()"),
    python("polars parquet", "import polars; polars.read_parquet('F')", "parquet"),
    python("polars lazy parquet", "import polars; polars.scan_parquet('F').collect()", "parquet"),
    python("duckdb csv", "import duckdb; duckdb.sql(\"select sum(a) from 'F'\").fetchall()"),
    python("duckdb parquet", "import duckdb; duckdb.sql(\"from read_parquet('F')\").fetchall()", "parquet"),
    python("pyarrow csv", "from pyarrow import csv; csv.read_csv('F')"),
    python("pyarrow memory map", "import pyarrow.parquet as p; p.read_table('F', memory_map=True)", "parquet"),
    python("pyarrow dataset", "import pyarrow.dataset as d; d.dataset('F').to_table()", "parquet"),
)  # fmt: skip

_SEEN_OR_REFUSED = ("openat2", "io_uring", "int80", "x32", "file-handle")
_WAYS = (
    *("openat", "open", "dirfd", "dirfd-handle", "pread", "preadv2", "mmap", "mmap-populate", "sendfile", "splice"),
    *("tee", "reopen-proc", "reopen-thread", "reopen-dev", "vfork"),
    *_SEEN_OR_REFUSED,
)
RAW_READS = tuple(raw(way, may_be_refused=way in _SEEN_OR_REFUSED) for way in _WAYS)

READS = (*SHELL_READS, *PYTHON_READS, *RAW_READS)

LOOKS = (
    shell("ls", "ls -la D"),
    shell("ls of the file", "ls -l F"),
    shell("stat", "stat F"),
    shell("find by size", "find D -size +0 -name '*.csv'"),
    shell("du", "du -a D"),
    shell("test", "[ -r F ] && [ -s F ]"),
    shell("realpath", "realpath F"),
    shell("readlink", "readlink F; true"),
    shell("basename", "basename F && dirname F"),
    shell("completion", "compgen -f D/"),
    shell("glob without reading", "echo D/*"),
    shell("the name alone", "echo F; grep -c F <<< F"),
    shell("a file that is not there", "cat D/missing.csv; true"),
    shell("a folder as a file", "cat D; true"),
    shell("appending", "echo x >> F; true"),
    shell("truncating", ": > F; true"),
    shell("removing", "rm -f F; mv F D/moved; true"),
    shell("linking", "ln F /data/other; ln -s F /tmp/unused-link; true"),
    shell("touching", "touch F; chmod u+w F; true"),
    python("os.scandir", "import os; [entry.stat() for entry in os.scandir('D')]"),
    python("glob", "import glob; glob.glob('D/**', recursive=True)"),
    python("os.access", "import os; os.access('F', os.R_OK)"),
    python("handle only", "import os; os.fstat(os.open('F', os.O_PATH))"),
    python("folder descriptor only", "import os; os.stat('used.csv', dir_fd=os.open('D', os.O_RDONLY))"),
    python("attributes", "import os; os.listxattr('F')"),
    python("refused for writing", _trying("os.open('F', os.O_RDWR)")),
    python("refused to be made", _trying("os.open('F', os.O_RDONLY | os.O_CREAT | os.O_EXCL)")),
    python("not a folder", _trying("os.open('F', os.O_DIRECTORY)")),
    python("inotify watch", _LIBC + "libc.inotify_add_watch(libc.inotify_init(), b'F', 0xFFF)"),
    python("socket at the path", _trying("socket.socket(socket.AF_UNIX).connect('F')")),
)  # fmt: skip
