"""Cells as statements: what of a cell is Python, and how its statements are numbered."""

import ast
import re

_LINE = re.compile(r"^(?P<indent>[ \t]*)(?P<what>%%?|!|\?).*$")
_HELP = re.compile(r"^[ \t]*[\w.]+\?{1,2}[ \t]*$")
_ASSIGNED = re.compile(r"^[ \t]*[\w, ]+=[ \t]*[%!](?!=).*$")
_TRANSPARENT = frozenset({"time", "timeit", "capture", "prun", "python", "python3", "pypy"})
"""Cell magics whose body is Python that runs in the notebook's own process."""


def clean(source: str) -> str:
    """Return a cell's source as Python: lines of IPython's own syntax are blanked, all others keep their numbers.

    A line magic (`%x`), a command (`!x`), help (`x?`) and what is assigned from them become `pass`. A cell magic that
    only times or captures is taken off; any other makes the whole cell foreign, which leaves nothing.
    """
    lines = source.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), None)
    if first is None:
        return source
    if lines[first].lstrip().startswith("%%"):
        name = lines[first].lstrip()[2:].split(" ")[0].strip()
        if name not in _TRANSPARENT:
            return "\n" * (len(lines) - 1)
        lines[first] = ""
    try:
        ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        lines = [_blanked(line) for line in lines]
    return "\n".join(lines)


def _blanked(line: str) -> str:
    found = _LINE.match(line)
    if found:
        return f"{found['indent']}pass"
    if _HELP.match(line) or _ASSIGNED.match(line):
        return f"{line[: len(line) - len(line.lstrip())]}pass"
    return line


def statements(source: str) -> list[ast.stmt]:
    """Return the top-level statements of a cleaned cell.

    Raises:
        SyntaxError: it is not Python of this interpreter.
        ValueError: it holds a null byte.
    """
    try:
        return ast.parse(source).body
    except (RecursionError, MemoryError) as error:
        raise SyntaxError(f"too deeply nested ({error})") from error


def is_quiet(source: str) -> bool:
    """Whether a semicolon at the end of a cell keeps its last value from being shown, as in IPython."""
    lines = [line for line in source.rstrip().split("\n") if line.strip() and not line.lstrip().startswith("#")]
    return bool(lines) and lines[-1].split("#")[0].rstrip().endswith(";")
