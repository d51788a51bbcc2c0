"""A reference program taken apart: what it reads, calls, imports and prints. It is parsed, never run."""

import ast
import warnings
from dataclasses import dataclass
from functools import cached_property

LONGEST_CODE = 200_000
"""Characters; longer programs are not parsed."""


class Unparsable(Exception):
    """A text that is no Python 3 program; the message says where and why."""


@dataclass(frozen=True)
class Program:
    """The syntax tree of a program, with the lookups that detectors share."""

    source: str
    tree: ast.Module

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node, in no particular order."""
        return tuple(ast.walk(self.tree))

    @cached_property
    def calls(self) -> tuple[ast.Call, ...]:
        """Every call."""
        return tuple(node for node in self.nodes if isinstance(node, ast.Call))

    @cached_property
    def called(self) -> frozenset[str]:
        """Dotted names of everything called, such as `pd.read_csv` or `.sample`."""
        return frozenset(name_of(call.func) for call in self.calls)

    @cached_property
    def handling(self) -> frozenset[ast.AST]:
        """Nodes inside exception handlers: what happens only when something failed."""
        handlers = (node for node in self.nodes if isinstance(node, ast.ExceptHandler))
        return frozenset(inner for handler in handlers for inner in ast.walk(handler))

    @cached_property
    def constants(self) -> tuple[ast.Constant, ...]:
        """Every literal that is no docstring."""
        docs = {id(node.value) for node in self.nodes if isinstance(node, ast.Expr)}
        return tuple(node for node in self.nodes if isinstance(node, ast.Constant) and id(node) not in docs)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Every text literal."""
        return tuple(node.value for node in self.constants if isinstance(node.value, str))

    @cached_property
    def imports(self) -> frozenset[str]:
        """First names of the imported modules."""
        names: set[str] = set()
        for node in self.nodes:
            if isinstance(node, ast.Import):
                names.update(alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.split(".")[0])
        return frozenset(names)


def parse(source: str) -> Program:
    """Parse a program.

    Raises:
        Unparsable: it is no Python 3, or too long or too deeply nested to be parsed.
    """
    if len(source) > LONGEST_CODE:
        raise Unparsable(f"{len(source)} characters, more than {LONGEST_CODE}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the foreign program: invalid escapes and the like
            return Program(source, ast.parse(source))
    except SyntaxError as error:
        raise Unparsable(f"line {error.lineno}: {error.msg}: {(error.text or '').strip()}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise Unparsable(type(error).__name__) from error


def name_of(node: ast.AST) -> str:
    """Return the dotted name of an expression; what stands before a call's or item's result is left out."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    parts.append(node.id if isinstance(node, ast.Name) else "")
    return ".".join(reversed(parts))
