"""What a command sees of the host: an allow-list of system directories, and what stands in for the rest."""

import errno
import os
from collections.abc import Iterable
from functools import cache

from coda_bench.sandbox.holder.room import places
from coda_bench.sandbox.holder.room.analysis import FONTS_CACHE, host_pythons

VISIBLE = ("bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "share")
"""Parts of the host's `/usr` that commands see; not `local`, `include` or `src`."""
DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty"))
WRITABLE = {"/workspace": 0o755, "/tmp": 0o1777, "/dev/shm": 0o1777}  # noqa: S108 - the sandbox's own
"""Directories that commands may write, with their modes; they share one size limit."""
ENVIRONMENT = {
    "PATH": "/opt/analysis/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    "HOME": "/workspace",
    "USER": "agent",
    "LOGNAME": "agent",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
    "MPLCONFIGDIR": FONTS_CACHE,
    "TMPDIR": "/tmp",  # noqa: S108 - the sandbox's own
}
_FONTS = b"<fontconfig><dir>/usr/share/fonts</dir><cachedir>/tmp/fontconfig</cachedir></fontconfig>\n"
_FILES = {
    "/etc/passwd": b"root:x:0:0::/:/usr/sbin/nologin\nagent:x:1000:1000::/workspace:/bin/bash\n",
    "/etc/group": b"root:x:0:\nagent:x:1000:\n",
    "/etc/hosts": b"127.0.0.1 localhost sandbox\n::1 localhost\n",
    "/etc/fonts/fonts.conf": _FONTS,
    "/etc/nsswitch.conf": b"passwd: files\ngroup: files\nhosts: files\n",
}
_DEVICE_LINKS = {
    "/dev/fd": "/proc/self/fd",
    "/dev/stdin": "/proc/self/fd/0",
    "/dev/stdout": "/proc/self/fd/1",
    "/dev/stderr": "/proc/self/fd/2",
    "/dev/ptmx": "pts/ptmx",
}


def survey() -> None:
    """Look at the host's system directories once, so that the holders forked later need not."""
    system_directories()
    links()
    _package_folders()
    host_pythons()


@cache
def system_directories() -> list[str]:
    """Return the host's directories to show where they are: programs, libraries, shared files."""
    inside_usr = [f"/usr/{name}" for name in VISIBLE]
    at_root = [f"/{name}" for name in VISIBLE if name not in ("libexec", "share")]
    found = [path for path in (*inside_usr, *at_root) if os.path.isdir(path) and not os.path.islink(path)]
    # Programs such as awk are links through here.
    return [*found, *(path for path in ("/etc/alternatives",) if os.path.isdir(path))]


@cache
def links() -> dict[str, str]:
    """Return the links to make: those of a merged `/usr`, and a device directory's usual ones."""
    merged = {f"/{name}": os.readlink(f"/{name}") for name in VISIBLE if os.path.islink(f"/{name}")}
    return {**merged, **_DEVICE_LINKS}


def files() -> dict[str, bytes]:
    """Return the files to make; the index of shared libraries is the host's."""
    try:
        with open("/etc/ld.so.cache", "rb") as cache:
            return {**_FILES, "/etc/ld.so.cache": cache.read()}
    except OSError as error:
        if error.errno != errno.ENOENT:
            raise
        return _FILES


def hidden_directories(more: Iterable[str]) -> list[str]:
    """Return what lies in the visible part but is shown empty: the host's Python packages, and `more`.

    The harness may be installed among them, with the golds it knows.
    """
    real = {*_package_folders(), *(os.path.realpath(folder) for folder in more)}
    return sorted(folder for folder in real if os.path.isdir(f"{places.ROOT}{folder}"))


@cache
def _package_folders() -> list[str]:
    """Return the real paths of what may be Python package folders of the host."""
    found: list[str] = []
    for part in ("/usr/lib", "/usr/lib64", "/usr/share", "/lib", "/lib64"):
        names = os.listdir(part) if os.path.isdir(part) else []
        for name in names:
            if name.startswith("python"):
                found += [f"{part}/{name}/site-packages", f"{part}/{name}/dist-packages"]
    return sorted({os.path.realpath(path) for path in found})


def command_options(view: str, cwd: str, env: dict[str, str]) -> list[str]:
    """Return bubblewrap's options for one command: namespaces of its own, the room, its view of the community."""
    variables = {**ENVIRONMENT, **env}
    return [
        *(
            "--unshare-user",
            "--unshare-pid",
            "--unshare-ipc",
            "--unshare-uts",
            "--unshare-cgroup-try",
            "--disable-userns",
        ),
        *("--die-with-parent", "--new-session", "--cap-drop", "ALL"),
        *("--uid", "1000", "--gid", "1000", "--hostname", "sandbox"),
        *("--dev-bind", places.ROOT, "/", "--proc", "/proc", "--ro-bind", view, "/data"),
        # The first process reports how the command ended: out of sight, its memory cannot be written.
        *("--ro-bind", places.EMPTY, "/proc/1"),
        "--clearenv",
        *(word for name, value in variables.items() for word in ("--setenv", name, value)),
        *("--chdir", cwd),
    ]
