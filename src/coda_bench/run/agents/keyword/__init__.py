"""`keyword`: a baseline without a model. It ranks files by the question's words and computes what it can."""

from coda_bench.run.agents.keyword.agent import Keyword

__all__ = ["Keyword"]
