"""What every command inherits, whatever holds it: limits of single processes."""

import resource
from collections.abc import Mapping

_OPEN_FILES = 4096
_NO_CORE = 1
"""Byte. With 0 the kernel still starts the program that `core_pattern` may name, on the host and as root (core(5))."""
_DATA_PER_MEMORY = 2
"""A process may reserve this many times the memory that its tree may hold."""


def of_a_command(memory_mb: int) -> dict[int, int]:
    """Return limits by number of the resource; `memory_mb` is what the tree may hold."""
    return {
        resource.RLIMIT_CORE: _NO_CORE,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
        # Data, not address space: mapped files and the reservations of language runtimes are no memory yet.
        resource.RLIMIT_DATA: _DATA_PER_MEMORY * memory_mb << 20,
    }


def impose(wanted: Mapping[int, int]) -> None:
    """Set limits of this process and of what it starts, as far as its own allow."""
    for limit, value in wanted.items():
        hard = resource.getrlimit(limit)[1]
        bounded = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (bounded, bounded))
