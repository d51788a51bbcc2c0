"""The kernel as one file that the sandbox's interpreter runs."""

import io
import zipfile
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent / "kernel"
_PACKAGE = "coda_bench/tasks/execution/kernel"
_EPOCH = (1980, 1, 1, 0, 0, 0)


@cache
def bundle() -> bytes:
    """Return an archive with the kernel's modules under their own names, and a start."""
    parts = _PACKAGE.split("/")
    files = {"/".join([*parts[:depth], "__init__.py"]): "" for depth in range(1, len(parts) + 1)}
    files |= {f"{_PACKAGE}/{path.name}": path.read_text("utf-8") for path in sorted(_HERE.glob("[!_]*.py"))}
    files["__main__.py"] = f"from {_PACKAGE.replace('/', '.')}.main import main\nmain()\n"
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), text)
    return target.getvalue()
