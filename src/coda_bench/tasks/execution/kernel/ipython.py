"""What notebooks import of IPython: enough for those that only display something, where IPython is not installed."""

import importlib.util
import types
from collections.abc import Callable
from typing import Any, Self


class _Shown(str):
    """Something to be displayed; what it would look like plays no part."""

    __slots__ = ()

    def __new__(cls, data: Any = "", *_more: Any, **_options: Any) -> Self:
        return super().__new__(cls, "" if data is None else str(data))


class _Shell:
    """Takes magics and configuration, and does nothing."""

    def __getattr__(self, _name: str) -> Any:
        return lambda *_arguments, **_options: None


def shell() -> _Shell:
    """Return what stands for IPython's shell."""
    return _Shell()


def modules(display: Callable[..., None]) -> dict[str, types.ModuleType]:
    """Return stand-ins for `IPython` and its parts, unless it is installed."""
    if importlib.util.find_spec("IPython") is not None:
        return {}
    names = ("IPython", "IPython.display", "IPython.core", "IPython.core.display", "IPython.core.interactiveshell")
    made = {name: types.ModuleType(name) for name in names}
    for name, module in made.items():
        module.__dict__["__path__"] = []
        parent, _, last = name.rpartition(".")
        if parent:
            made[parent].__dict__[last] = module
    for name in ("IPython", "IPython.display", "IPython.core.display"):
        shown = dict.fromkeys(("HTML", "Image", "Markdown", "Math", "Latex", "SVG", "IFrame", "Javascript"), _Shown)
        made[name].__dict__.update(shown, display=display, clear_output=_nothing, set_matplotlib_formats=_nothing)
    made["IPython"].__dict__.update(get_ipython=shell, version_info=(8, 0))
    made["IPython.core.interactiveshell"].__dict__["InteractiveShell"] = _Shell()
    return made


def _nothing(*_arguments: Any, **_options: Any) -> None:
    pass
