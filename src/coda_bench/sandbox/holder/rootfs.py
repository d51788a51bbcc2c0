"""What a command sees: the arguments of bubblewrap for an allow-listed root file system."""

import glob
import os

from .stage import ANALYSIS, EMPTY, ETC, READONLY, WRITABLE
from .wire import Plan

VISIBLE = ("bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "share")
"""Parts of the host's `/usr` that commands see; not `local`, `include` or `src`."""
_PACKAGE_FOLDERS = "/usr/{}/python*/{}-packages"

ENVIRONMENT = {
    "PATH": "/opt/analysis/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    "HOME": "/workspace",
    "USER": "agent",
    "LOGNAME": "agent",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
    "TMPDIR": "/tmp",  # noqa: S108 - the sandbox's own
}


def fixed_arguments(plan: Plan) -> list[str]:
    """Return the arguments that all commands of a sandbox share: namespaces, root file system, environment."""
    arguments = [
        *("--unshare-user", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try", "--disable-userns"),
        *("--die-with-parent", "--new-session", "--cap-drop", "ALL"),
        *("--uid", "1000", "--gid", "1000", "--hostname", "sandbox", "--clearenv"),
        *_system(),
        *_hidden(plan),
        *("--proc", "/proc", "--dev", "/dev", "--bind", f"{WRITABLE}/shm", "/dev/shm"),  # noqa: S108
        *("--bind", f"{WRITABLE}/tmp", "/tmp", "--bind", f"{WRITABLE}/workspace", "/workspace"),  # noqa: S108
        *("--ro-bind", ANALYSIS, "/opt/analysis"),
    ]
    for number, (_, inside) in enumerate(plan.readonly):
        arguments += ["--ro-bind", f"{READONLY}/{number}", inside]
    return arguments


def command_arguments(view: str, cwd: str, env: dict[str, str]) -> list[str]:
    """Return the arguments of one command: its view of the community, directory and variables.

    What bubblewrap made itself to hold the mounts is sealed last: memory written there would count as nobody's.
    """
    arguments = ["--ro-bind", view, "/data", "--remount-ro", "/dev", "--remount-ro", "/"]
    for name, value in {**ENVIRONMENT, **env}.items():
        arguments += ["--setenv", name, value]
    return [*arguments, "--chdir", cwd]


def _system() -> list[str]:
    arguments = []
    for name in VISIBLE:
        inside_usr, at_root = f"/usr/{name}", f"/{name}"
        if os.path.isdir(inside_usr):
            arguments += ["--ro-bind", inside_usr, inside_usr]
        if os.path.islink(at_root):
            arguments += ["--symlink", os.readlink(at_root).lstrip("/"), at_root]
        elif os.path.isdir(at_root):
            arguments += ["--ro-bind", at_root, at_root]
    arguments += ["--ro-bind", ETC, "/etc"]
    if os.path.isdir("/etc/alternatives"):
        arguments += ["--ro-bind", "/etc/alternatives", "/etc/alternatives"]
    return arguments


def _hidden(plan: Plan) -> list[str]:
    """Show the host's Python packages as empty: the harness may be among them, with what it knows."""
    folders = [
        found
        for part in ("lib", "lib64", "share")
        for kind in ("site", "dist")
        for found in glob.glob(_PACKAGE_FOLDERS.format(part, kind))
    ]
    real = {os.path.realpath(folder) for folder in (*folders, *plan.hidden)}
    return [argument for folder in sorted(real) for argument in ("--ro-bind", EMPTY, folder)]
