"""Sandboxes for agents: closed rooms on bubblewrap that tell which data files each command opened."""

from coda_bench.sandbox.sandbox import Sandbox
from coda_bench.sandbox.spec import CommandResult, SandboxSpec

__all__ = ["CommandResult", "Sandbox", "SandboxSpec"]
