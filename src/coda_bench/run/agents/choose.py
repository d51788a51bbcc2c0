"""Find an agent by its name or by dotted path."""

import importlib
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from coda_bench.errors import BadInput, MissingExtra
from coda_bench.run.agents.agent import Agent
from coda_bench.run.agents.command import Command
from coda_bench.run.agents.keyword import Keyword
from coda_bench.run.agents.nothing import Nothing
from coda_bench.run.agents.open_everything import OpenEverything
from coda_bench.run.agents.reference import Reference

BUILT_IN: dict[str, Callable[..., Any]] = {
    agent.name: agent for agent in (Reference, Nothing, OpenEverything, Command, Keyword)
}
REACT = "react"
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


def choose_agent(name: str, arguments: Mapping[str, Any]) -> Any:
    """Make the agent a run asks for.

    Args:
        name: a built-in name, or `package.module:Class`, found from the current directory too. The class
            may follow the `Agent` protocol or be a factory of one of Inspect's agents or solvers.
        arguments: keyword arguments for its constructor.

    Returns:
        An `Agent`, or an object of the engine's that has no `solve`.

    Raises:
        BadInput: no such agent, or the arguments do not fit.
        MissingExtra: the agent is one of the engine's, which is not installed.
    """
    factory = _find(name)
    try:
        return factory(**arguments)
    except TypeError as error:
        raise BadInput(f"agent {name}: cannot be made with arguments {dict(arguments)} ({error})") from error


def is_plain(agent: object) -> bool:
    """Whether the object follows the `Agent` protocol (and is not one of the engine's own agents)."""
    return callable(getattr(agent, "solve", None)) and isinstance(getattr(agent, "name", None), str)


def model_needed(name: str) -> bool:
    """Whether an agent of this name makes no sense without a model."""
    return name == REACT


def _find(name: str) -> Callable[..., Any]:
    if name == REACT:
        # The engine takes a second to import; agents without a model do not need it here.
        return _imported("coda_bench.run.agents.react", "react_agent", name)
    if name in BUILT_IN:
        return BUILT_IN[name]
    if not _DOTTED.fullmatch(name):
        known = ", ".join([*BUILT_IN, REACT])
        raise BadInput(f"agent {name!r}: not known. Built in: {known}; or give package.module:Class")
    module, _, attribute = name.partition(":")
    return _imported(module, attribute, name)


def _imported(module: str, attribute: str, name: str) -> Callable[..., Any]:
    here = str(Path.cwd())
    added = here not in sys.path
    if added:
        sys.path.insert(0, here)
    try:
        found: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "inspect_ai":
            raise MissingExtra(f"agent {name} needs inspect_ai: pip install 'coda-bench[run]'") from error
        raise BadInput(f"agent {name}: module {error.name} is not found (looked in {here} too)") from error
    except AttributeError as error:
        raise BadInput(f"agent {name}: {module} has no {attribute}") from error
    finally:
        if added:
            sys.path.remove(here)
    return found


def checked_plain(agent: object) -> Agent:
    """Return the object as an `Agent`.

    Raises:
        BadInput: it has no `solve(task, sandbox)` or no `name`.
    """
    if not is_plain(agent):
        raise BadInput(f"agent {type(agent).__name__}: needs a `name` and a method `solve(task, sandbox)`")
    return agent  # type: ignore[return-value]  # the protocol was checked in is_plain
