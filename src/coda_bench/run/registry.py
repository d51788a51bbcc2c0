"""What Inspect AI finds of this package by entry point: the task `coda` and the sandbox provider `coda_bench`."""

from coda_bench.run.engine.native import coda
from coda_bench.run.engine.provider import CodaSandboxEnvironment

__all__ = ["CodaSandboxEnvironment", "coda"]
