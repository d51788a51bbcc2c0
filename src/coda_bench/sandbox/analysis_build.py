"""Building an analysis environment: a copy of the running Python, the locked packages, nothing else.

A virtual environment would not do: it needs the Python it was made from, which lies outside every
sandbox (`~/.pyenv`, `/usr/local`). So interpreter and standard library are copied, and the binary's
reference to a shared `libpython` is turned into one relative to itself.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from coda_bench.errors import AnalysisEnvironmentNotBuilt

INSIDE = "/opt/analysis"
"""Where sandboxes show the environment."""
NEEDED_BYTES = 3 << 30
"""Free disk space asked for before building: downloads, their unpacked copy, byte code."""

Progress = Callable[[str], None]

_UNUSED_STDLIB = (
    "__pycache__", "config-*", "dist-packages", "ensurepip", "EXTERNALLY-MANAGED", "idlelib", "site-packages",
    "test", "tests", "turtledemo",
)  # fmt: skip
_TABLES = (
    ".arff", ".csv", ".csv.bz2", ".csv.gz", ".dat", ".data", ".dta", ".feather", ".orc", ".parquet", ".rds",
    ".sas7bdat", ".sav", ".tsv", ".xls", ".xlsx", ".xpt", "data.txt",
)  # fmt: skip
"""Ends of names that are data wherever they stand in a package."""
_CODE = (".py", ".pyi", ".so")
"""All that stays in the folders below."""
_DATA_FOLDERS = frozenset({"datasets", "sample_data", "testing_data"})
_TEST_FOLDERS = frozenset({"test", "tests"})
_CHECK = """
import json, os, sys, importlib.metadata as metadata
from importlib.util import find_spec
for name in ("bz2", "ctypes", "hashlib", "lzma", "sqlite3", "ssl", "zlib"):
    __import__(name)
for name in sys.argv[2:]:
    if find_spec(name.partition(".")[0]):
        __import__(name)
outside = [m.__file__ for m in list(sys.modules.values()) if getattr(m, "__file__", None)]
with open("/proc/self/maps") as maps:
    outside += [line.split(None, 5)[5].strip() for line in maps if ".so" in line or "python" in line]
system = ("/usr/lib/", "/lib/", "/lib64/", "/usr/lib64/", "/lib/x86_64", sys.argv[1] + os.sep)
print(json.dumps({
    "outside": sorted({path for path in outside if not path.startswith(system)}),
    "packages": {d.metadata["Name"]: d.version for d in metadata.distributions()},
    "python": ".".join(map(str, sys.version_info[:3])),
}))
"""
_MODULES = (
    "duckdb", "lxml.etree", "matplotlib.pyplot", "numpy.testing", "openpyxl", "pandas.testing", "polars",
    "pyarrow.parquet", "pyreadstat", "sklearn.datasets", "sklearn.ensemble", "scipy.stats", "seaborn",
    "statsmodels.api", "tabulate", "xlrd",
)  # fmt: skip


def build_into(root: Path, lock: Path, *, progress: Progress) -> tuple[str, dict[str, str]]:
    """Fill an empty directory with a self-contained Python and the packages of a lock file.

    Returns:
        The Python's version, and the packages' versions by name.

    Raises:
        AnalysisEnvironmentNotBuilt: some step failed; the message says which and what to do.
    """
    _check_space(root)
    progress("copying Python and its standard library (1 of 4; all steps take 1 to 3 minutes)")
    python = copy_interpreter(root)
    packages = Path(_output([str(python), "-I", "-B", "-c", "import site; print(site.getsitepackages()[0])"]).strip())
    count = sum(1 for line in lock.read_text(encoding="utf-8").splitlines() if re.match(r"[\w.-]+==", line))
    progress(f"downloading and installing up to {count} packages (2 of 4)")
    _install(lock, packages, scratch=root, progress=progress)
    progress("removing shipped data sets, compiling to byte code (3 of 4)")
    strip(packages)
    cache_fonts(root, python)
    _compile(root, python)
    _make_readable(root)
    progress("checking that it stands on its own (4 of 4)")
    return _checked(root, python)


def copy_interpreter(root: Path) -> Path:
    """Copy the Python this process runs on into `root`, without site-packages, and return the copy's binary.

    Raises:
        AnalysisEnvironmentNotBuilt: the base Python has no binary or standard library where CPython installs them.
    """
    base = Path(sys.base_prefix)
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    binary, stdlib = base / "bin" / name, Path(sysconfig.get_path("stdlib"))
    if not binary.is_file() or not stdlib.is_relative_to(base):
        raise AnalysisEnvironmentNotBuilt(
            f"{base}: no {binary} with its standard library below it; "
            "make the harness's environment from another Python"
        )
    shutil.copytree(
        stdlib,
        root / stdlib.relative_to(base),
        ignore=shutil.ignore_patterns(*_UNUSED_STDLIB),
        ignore_dangling_symlinks=True,
    )
    _hide_origin(root / stdlib.relative_to(base))
    (root / "bin").mkdir()
    copy = root / "bin" / name
    copy.write_bytes(_with_own_library(binary.read_bytes(), root / "bin"))
    copy.chmod(0o755)
    for alias in ("python3", "python"):
        (root / "bin" / alias).symlink_to(name)
    return copy


def _hide_origin(stdlib: Path) -> None:
    """Name `/opt/analysis` instead of the host's directories in what the copy says of its own build."""
    if sys.base_prefix != "/usr":
        for path in stdlib.glob("_sysconfigdata*.py"):
            path.write_text(path.read_text(encoding="utf-8").replace(sys.base_prefix, INSIDE), encoding="utf-8")


def _with_own_library(binary: bytes, folder: Path) -> bytes:
    """Make a binary load `libpython.so` beside itself, when it loads a shared libpython at all.

    The needed library's name is overwritten in place: the loader expands `$ORIGIN` there as it does in
    run paths (ld.so(8)), and no tool to rewrite ELF files is needed.
    """
    soname = str(sysconfig.get_config_var("INSTSONAME") or "")
    entry, own = b"\0" + os.fsencode(soname) + b"\0", b"\0$ORIGIN/libpython.so"
    if ".so" not in soname or entry not in binary:
        return binary
    library = _loaded_library(soname)
    if library is None or len(own) >= len(entry):
        raise AnalysisEnvironmentNotBuilt(f"{soname}: shared Python library not found; use a Python built without one")
    shutil.copyfile(library, folder / "libpython.so")
    return binary.replace(entry, own.ljust(len(entry), b"\0"))


def _loaded_library(soname: str) -> Path | None:
    """Return where this very process has its libpython from."""
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        if line.endswith("/" + soname):
            return Path(line.split(None, 5)[5])
    return None


def _install(lock: Path, packages: Path, *, scratch: Path, progress: Progress) -> None:
    temporary = scratch / ".tmp"
    temporary.mkdir()
    command = [
        *_pip(temporary, progress), "install", "--require-hashes", "--no-deps", "--only-binary", ":all:",
        "--no-compile", "--ignore-installed", "--disable-pip-version-check", "--progress-bar", "off",
        "--target", str(packages), "--requirement", str(lock),
    ]  # fmt: skip
    # pip unpacks into TMPDIR and moves: on the same disk that is a rename. User installs exclude --target.
    settings = {"TMPDIR": str(temporary), "PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0", "PIP_NO_INPUT": "1"}
    _run_pip(command, os.environ | settings, progress=progress)
    shutil.rmtree(temporary)
    # Scripts name the harness's Python in their first line.
    shutil.rmtree(packages / "bin", ignore_errors=True)


def _run_pip(command: list[str], environment: dict[str, str], *, progress: Progress) -> None:
    lines: list[str] = []
    with subprocess.Popen(  # noqa: S603  (fixed arguments, no shell)
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace",
    ) as process:  # fmt: skip
        try:
            for line in process.stdout or ():
                lines.append(line.rstrip())
                if found := re.match(r"(?:Collecting|Processing) (?:\S*/)?([^ /]+)|Installing collected", line):
                    progress(found[1] or "unpacking")
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        raise AnalysisEnvironmentNotBuilt(
            "pip could not install the packages; its last words:\n" + "\n".join(lines[-6:])
        )


def _pip(scratch: Path, progress: Progress) -> list[str]:
    """Return the command of the harness's own pip, or of one in a throw-away environment below `scratch`."""
    if find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    progress("this environment has no pip; making a throw-away one")
    try:
        venv.create(scratch / "pip", with_pip=True, symlinks=True)
    except (subprocess.CalledProcessError, OSError) as error:
        raise AnalysisEnvironmentNotBuilt(
            f"no pip in {sys.prefix} and none could be made ({error}); install one there: `uv pip install pip`, "
            "or on Debian `apt-get install python3-venv`"
        ) from error
    return [str(scratch / "pip" / "bin" / "python"), "-m", "pip"]


def strip(packages: Path) -> None:
    """Remove test folders and the data sets that packages ship: a benchmark's targets may be among them."""
    for parent, folders, names in os.walk(packages):
        for folder in _TEST_FOLDERS.intersection(folders):
            shutil.rmtree(Path(parent, folder))
            folders.remove(folder)
        in_data = not _DATA_FOLDERS.isdisjoint(Path(parent).relative_to(packages).parts)
        for name in names:
            if name.lower().endswith(_TABLES) or (in_data and not name.endswith(_CODE)):
                Path(parent, name).unlink()


def _compile(root: Path, python: Path) -> None:
    """Compile every module; sandboxes see the tree read-only, so what is missing now is compiled at each import.

    Byte code is not checked against sources, whose times are lost in copies; tracebacks name `/opt/analysis`.
    No step before or after may leave byte code of its own (`-B`): it would name this build's directory.
    """
    command = [
        str(python), "-I", "-B", "-m", "compileall", "-q", "-q", "-j", str(os.cpu_count() or 1),
        "--invalidation-mode", "unchecked-hash", "-s", str(root), "-p", INSIDE, str(root),
    ]  # fmt: skip
    # A few files of test suites are no valid Python on purpose: the exit code says nothing.
    subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True)  # noqa: S603  (ours)


def cache_fonts(root: Path, python: Path) -> None:
    """Have matplotlib look through the fonts now, not in each sandbox that draws; only fonts that are shown there."""
    if not next(root.glob("lib*/python*/site-packages/matplotlib"), None):
        return
    folder = root / "share" / "matplotlib"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        _output([str(python), "-I", "-B", "-c", "import matplotlib.font_manager"], MPLCONFIGDIR=scratch)
        for found in Path(scratch).glob("fontlist-*.json"):
            fonts = json.loads(found.read_text(encoding="utf-8"))
            for kind in ("ttflist", "afmlist"):
                fonts[kind] = [font for font in fonts[kind] if _is_shown(font["fname"])]
            (folder / found.name).write_text(json.dumps(fonts), encoding="utf-8")


def _is_shown(font: str) -> bool:
    """Whether a font of matplotlib's list (its own have relative paths) is there in sandboxes."""
    return not font.startswith("/") or font.startswith("/usr/share/")


def _make_readable(root: Path) -> None:
    """Let everybody read, and nobody write by group: sandboxes run under a user of their own."""
    for parent, _, names in os.walk(root):
        Path(parent).chmod(0o755)
        for name in names:
            path = Path(parent, name)
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)


def _checked(root: Path, python: Path) -> tuple[str, dict[str, str]]:
    found = json.loads(_output([str(python), "-I", "-B", "-c", _CHECK, str(root), *_MODULES]))
    if found["outside"]:
        raise AnalysisEnvironmentNotBuilt(
            f"the copy of {sys.base_prefix} still needs {found['outside'][0]}, which no sandbox shows; "
            "make the harness's environment from another Python"
        )
    return str(found["python"]), dict(found["packages"])


def _output(command: list[str], **variables: str) -> str:
    bare = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8", "MPLCONFIGDIR": "/nonexistent"}
    done = subprocess.run(  # noqa: S603  (the copied interpreter)
        command,
        env=bare | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise AnalysisEnvironmentNotBuilt(f"the copied Python of {sys.base_prefix} does not work: {last[0]}")
    return done.stdout


def _check_space(root: Path) -> None:
    free = shutil.disk_usage(root).free
    if free < NEEDED_BYTES:
        raise AnalysisEnvironmentNotBuilt(
            f"{root.parent}: {free >> 20} MiB free, {NEEDED_BYTES >> 20} needed; set CODA_BENCH_HOME to another disk"
        )
