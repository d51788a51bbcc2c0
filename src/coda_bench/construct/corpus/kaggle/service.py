"""Kaggle as a service: its client, patience with its limits, and its refusals told apart.

The client is kagglehub's, and so are credentials and their order: KAGGLE_API_TOKEN or `~/.kaggle/access_token`, then
KAGGLE_USERNAME with KAGGLE_KEY, then `kaggle.json` in KAGGLE_CONFIG_DIR or `~/.kaggle`, else nobody's, which public
data sets allow. kagglehub's own download functions are not used: they unpack without limits, know no licence, do not
wait when told to, and begin anew in a folder of ours after a cut.

Sources: kagglehub 1.0 (`clients.py`, `config.py`); kaggle-cli, `kernels_pull` (the version of a notebook stands behind
its slug); kaggle-cli issues 132 and 938 (limits are not published, and `Retry-After` is too short at times).
"""

import contextlib
import logging
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from coda_bench.errors import BadInput, CodaBenchError, MissingExtra
from coda_bench.records.kaggle import Outcome, Pin
from coda_bench.records.record import Record

HINT = "downloads from Kaggle need another package: pip install 'coda-bench[kaggle]'"
ATTEMPTS = 8
LONGEST_PAUSE_S = 900.0
"""A server that asks for more is obeyed by stopping: the same command goes on later."""
_UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND, _OK_BELOW = 401, 403, 404, 400
_RESERVE_BYTES = 256 << 20
_TRY_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
_CREDENTIALS = "set KAGGLE_API_TOKEN, or KAGGLE_USERNAME and KAGGLE_KEY, or write ~/.kaggle/kaggle.json"

T = TypeVar("T")


class Refused(CodaBenchError):
    """Kaggle does not give one thing away, which does not keep it from giving others."""

    def __init__(self, outcome: Outcome, message: str) -> None:
        super().__init__(message)
        self.outcome = outcome


class DatasetFacts(Record):
    """What Kaggle says of a data set."""

    title: str
    licence: str | None
    version: int | None
    """The current one."""


class NotebookSource(Record):
    """A notebook as Kaggle sends it."""

    title: str
    text: str
    language: str
    kernel_type: str
    version: int | None
    """The current one, whichever was asked for."""
    docker_image: str | None
    datasets: tuple[str, ...]
    competitions: tuple[str, ...]
    notebooks: tuple[str, ...]
    models: tuple[str, ...]


class Kaggle:
    """Asks Kaggle, waits where it says so, and tells refusals from trouble.

    Args:
        pause: waits; takes seconds.
        say: told about every wait.
    """

    def __init__(
        self, *, pause: Callable[[float], None] = time.sleep, say: Callable[[str], None] = lambda _: None
    ) -> None:
        self._pause = pause
        self._say = say
        with _kagglehub():
            from kagglehub.clients import build_kaggle_client, download_file  # noqa: PLC0415 - optional: extra `kaggle`
            from kagglehub.config import get_kaggle_credentials  # noqa: PLC0415
            from kagglehub.handle import DatasetHandle  # noqa: PLC0415
        self._client = build_kaggle_client
        self._download_file = download_file
        self._credentials = get_kaggle_credentials
        self._handle = DatasetHandle

    def credentials(self) -> str:
        """Return the kind of credentials that will be used: `token`, `key` or `none`.

        Raises:
            BadInput: a file of credentials cannot be read.
        """
        try:
            found = self._credentials()
        except (ValueError, OSError) as error:
            raise BadInput(f"credentials for Kaggle: {error}; {_CREDENTIALS}") from error
        if found is None:
            return "none"
        return "token" if found.api_key else "key"

    def dataset(self, pin: Pin) -> DatasetFacts:
        """Ask what a data set is.

        Raises:
            Refused: it is not there, or not for everybody.
            BadInput: Kaggle cannot be reached, stays busy, or refuses the credentials.
        """
        from kagglesdk.datasets.types.dataset_api_service import ApiGetDatasetRequest  # noqa: PLC0415

        request = ApiGetDatasetRequest()
        request.owner_slug, request.dataset_slug = pin.owner, pin.slug

        def facts(client: Any) -> DatasetFacts:
            found = client.datasets.dataset_api_client.get_dataset(request)
            version = found.current_version_number or None
            return DatasetFacts(title=found.title or pin.slug, licence=found.license_name or None, version=version)

        return self._ask(pin, facts)

    def archive(self, pin: Pin, target: Path, *, most_bytes: int) -> None:
        """Download a data set's archive, going on where an earlier attempt or run stopped.

        Args:
            pin: with its version.
            target: the file; what arrived stays there when the transfer fails.
            most_bytes: the largest archive that is taken.

        Raises:
            Refused: it is not there, not for everybody, or larger than allowed.
            BadInput: Kaggle cannot be reached, stays busy, or sends something else than it announces.
        """
        from kagglesdk.datasets.types.dataset_api_service import ApiDownloadDatasetRequest  # noqa: PLC0415

        request = ApiDownloadDatasetRequest()
        request.owner_slug, request.dataset_slug = pin.owner, pin.slug
        request.dataset_version_number = pin.version

        def transfer(client: Any) -> None:
            with client.datasets.dataset_api_client.download_dataset(request) as response:
                size = int(response.headers.get("Content-Length") or 0)
                if size > most_bytes:
                    message = f"its archive has {size >> 20} MiB, more than {most_bytes >> 20} MiB"
                    raise Refused(Outcome.REFUSED, message)
                _check_space(target, size)
                self._download_file(response, str(target), self._handle(pin.owner, pin.slug, pin.version))

        self._ask(pin, transfer)

    def notebook(self, pin: Pin) -> NotebookSource:
        """Get a notebook's source at the version of the pin, or the current one.

        Raises:
            Refused: it is not there, or not for everybody.
            BadInput: Kaggle cannot be reached, stays busy, or refuses the credentials.
        """
        from kagglesdk.kernels.types.kernels_api_service import ApiGetKernelRequest  # noqa: PLC0415

        request = ApiGetKernelRequest()
        request.user_name = pin.owner
        request.kernel_slug = f"{pin.slug}/{pin.version}" if pin.version else pin.slug
        return self._ask(pin, lambda client: _source(pin, client.kernels.kernels_api_client.get_kernel(request)))

    def _ask(self, pin: Pin, ask: Callable[[Any], T]) -> T:
        """Ask until there is an answer; what may pass is asked again after a pause."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with _quiet_output(), self._client() as client:
                    return ask(client)
            except Exception as error:
                trouble = _trouble(pin, error)
                if attempt == ATTEMPTS or trouble.pause_s > LONGEST_PAUSE_S:
                    raise BadInput(_gave_up(pin, trouble, attempt)) from error
                self._wait(pin, trouble, attempt)
        raise AssertionError  # the last attempt returns or raises

    def _wait(self, pin: Pin, trouble: "_Trouble", attempt: int) -> None:
        # Longer than asked for where the server keeps refusing: what it asks for is too short at times.
        pause_s = min(LONGEST_PAUSE_S, max(trouble.pause_s, 2.0**attempt if attempt > 1 or not trouble.pause_s else 0))
        self._say(f"{pin}: {trouble.message}; trying again in {pause_s:.0f} s")
        self._pause(pause_s)


def _source(pin: Pin, found: Any) -> NotebookSource:
    if found.blob is None or found.metadata is None:
        raise Refused(Outcome.REFUSED, "Kaggle sends no source")
    return NotebookSource(
        title=found.metadata.title or pin.slug,
        text=found.blob.source,
        language=found.blob.language.lower(),
        kernel_type=found.blob.kernel_type.lower(),
        version=found.metadata.current_version_number or None,
        docker_image=found.metadata.docker_image or None,
        datasets=tuple(found.metadata.dataset_data_sources or ()),
        competitions=tuple(found.metadata.competition_data_sources or ()),
        notebooks=tuple(found.metadata.kernel_data_sources or ()),
        models=tuple(found.metadata.model_data_sources or ()),
    )


def _check_space(target: Path, size: int) -> None:
    """Refuse to fill the disk.

    Raises:
        BadInput: the rest of an archive does not fit.
    """
    have = target.stat().st_size if target.is_file() else 0
    free = shutil.disk_usage(target.parent).free
    if free < size - have + _RESERVE_BYTES:
        raise BadInput(f"{target.parent}: {free >> 20} MiB free, the archive needs {size - have >> 20} MiB: make room")


class _Trouble(NamedTuple):
    message: str
    pause_s: float
    """What the server asks for; 0 where it does not say."""


def _gave_up(pin: Pin, trouble: _Trouble, attempts: int) -> str:
    if trouble.pause_s > LONGEST_PAUSE_S:
        return f"{pin}: {trouble.message} and asks to wait {trouble.pause_s:.0f} s; run the same command then to go on"
    return f"{pin}: {trouble.message} ({attempts} attempts); run the same command later to go on"


def _trouble(pin: Pin, error: Exception) -> _Trouble:
    """Return what may pass by itself.

    Raises:
        Refused: nothing but this pin is refused.
        BadInput: no pin will do better, or the client does not understand what it was sent.
        OSError: the disk's.
    """
    import requests  # noqa: PLC0415 - comes with kagglehub
    from kagglehub.exceptions import DataCorruptionError  # noqa: PLC0415

    if isinstance(error, DataCorruptionError):
        return _Trouble("what arrived is not what Kaggle announced, and was thrown away", 0)
    if isinstance(error, requests.HTTPError) and error.response is not None:
        return _from_answer(pin, error.response)
    if isinstance(error, requests.RequestException):
        return _Trouble(f"the connection failed ({type(error).__name__})", 0)
    if isinstance(error, CodaBenchError | OSError):
        raise error
    # Foreign code on foreign answers: whatever it raises, its user gets a line and not a traceback.
    raise BadInput(
        f"{pin}: Kaggle's client does not understand the answer ({type(error).__name__}: {_line(error)})"
    ) from error


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def _from_answer(pin: Pin, response: Any) -> _Trouble:
    status = _status(response)
    if status in _TRY_AGAIN:
        return _Trouble(f"Kaggle answers {status}", retry_after_s(response.headers.get("Retry-After", "")))
    if status == _UNAUTHORIZED:
        raise BadInput(f"{pin}: Kaggle answers 401, the credentials are missing or not valid; {_CREDENTIALS}")
    if status == _FORBIDDEN:
        raise Refused(
            Outcome.CONSENT_NEEDED,
            f"Kaggle answers 403: open {pin.page} signed in as the owner of the credentials, accept its terms or ask"
            f" for access, and run again",
        )
    if status == _NOT_FOUND:
        raise Refused(Outcome.NOT_FOUND, f"Kaggle answers 404: no such {pin.kind}, version, or not public; {pin.page}")
    raise BadInput(f"{pin}: Kaggle answers {status}; nothing more is asked of it")


def _status(response: Any) -> int:
    """Return the status of an answer; some refusals come with status 200 and say so in their body only."""
    if response.status_code >= _OK_BELOW:
        return int(response.status_code)
    try:
        return int(response.json()["code"])
    except (ValueError, KeyError, TypeError):
        return int(response.status_code)


def retry_after_s(header: str, now: datetime | None = None) -> float:
    """Return the seconds that a `Retry-After` header asks for, 0 where it says nothing (RFC 9110, 10.2.3).

    Args:
        header: seconds, or a date.
        now: for the difference to a date.
    """
    text = header.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        until = parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - (now or datetime.now(UTC))).total_seconds())


@contextmanager
def _kagglehub() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise MissingExtra(HINT) from error


@contextmanager
def _quiet_output() -> Iterator[None]:
    """Keep standard output for results: the client prints advice there, its log and its progress go to the errors."""
    logger = logging.getLogger("kagglehub")
    level, logger.level = logger.level, logging.ERROR
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        logger.level = level
