"""The failure tree: what can go wrong, told apart so that trouble is never taken for a wrong answer.

Every message says what happened, where (file:line, task id) and what to do about it.
"""


class CodaBenchError(Exception):
    """Base of every error this project raises on purpose; the command line prints it without a traceback."""


class BadInput(CodaBenchError):
    """A file or option the user gave cannot be used as it is; the message names the place and the remedy."""


class UnknownFormat(BadInput):
    """A stored file carries a format version this release does not read."""


class CommunityMissing(BadInput):
    """A community's files are not on this disk; its archive was not extracted."""


class MissingExtra(CodaBenchError):
    """An optional dependency is needed; the message carries the install command."""


class ModelUnavailable(CodaBenchError):
    """A model's server could not be started, or stopped answering; never scored as a wrong answer."""


class AnalysisEnvironmentMissing(CodaBenchError):
    """The Python that agents find inside the sandbox has not been built on this machine yet."""


class AnalysisEnvironmentNotBuilt(CodaBenchError):
    """Building that Python failed; the message names the step (download, disk, pip, interpreter) and the remedy."""


class SandboxError(CodaBenchError):
    """Base of machine trouble in a sandbox; never scored as a wrong answer without being counted aloud."""


class SandboxUnavailable(SandboxError):
    """This machine cannot start a sandbox; the message names the step that failed and the remedy."""


class SandboxLost(SandboxError):
    """A started sandbox died or stopped answering; fatal for its attempt, which may be repeated."""


class SandboxFileError(SandboxError):
    """A file inside the sandbox could not be read or written (missing, a directory, too large)."""


class AgentFailed(CodaBenchError):
    """The agent's own program ended with an error; its attempt counts, with whatever answer it left."""


class HarnessFailed(CodaBenchError):
    """The engine that drives agents gave up on a whole round; attempts already stored stay stored."""


class RunConflict(BadInput):
    """A run directory belongs to a run with other settings; continuing it would mix two experiments."""


class GoldMismatch(CodaBenchError):
    """A reference program did not compute the gold that is checked in for its task."""
