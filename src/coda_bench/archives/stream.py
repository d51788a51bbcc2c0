"""The bytes inside a `.tar.zst`, decompressed as they are read, while the archive itself is hashed.

The `zstd` program is used where there is one: it runs on a core of its own, and a hostile archive can only harm it.
"""

import fcntl
import hashlib
import resource
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Protocol, cast

from coda_bench.archives.headers import BadArchive, EndsEarly
from coda_bench.errors import MissingExtra

BLOCK = 1 << 20
LARGEST_WINDOW = 128 << 20
"""Memory a frame may ask for, as the zstd program's own limit; 27 in `zstd --long=27`."""
_MOST_MEMORY = 1 << 30
"""Of the program, which would also unpack other formats, with windows of their own."""
_ZSTD, _SKIPPABLE = b"\x28\xb5\x2f\xfd", b"\x2a\x4d\x18"


class Source(Protocol):
    """Anything bytes can be read from."""

    def read(self, size: int = -1, /) -> bytes:
        """Return up to `size` bytes; none at the end."""


class Forward:
    """A stream that is read once, from front to end.

    Args:
        source: where the bytes come from.
        most_bytes: a stream that goes on beyond them is a bomb.
    """

    def __init__(self, source: Source, most_bytes: int) -> None:
        self._source = source
        self._left = most_bytes

    def some(self, size: int) -> bytes:
        """Return up to `size` bytes; none at the end.

        Raises:
            BadArchive: the stream is longer than it may be.
        """
        block = self._source.read(size)
        self._left -= len(block)
        if self._left < 0:
            raise BadArchive("it goes on and on: larger than its files may be together")
        return block

    def exactly(self, size: int) -> bytes:
        """Return `size` bytes.

        Raises:
            EndsEarly: the stream ends before.
        """
        block = self.some(size)
        while len(block) < size:
            if not (more := self.some(size - len(block))):
                raise EndsEarly("the archive ends in the middle")
            block += more
        return block


class Feed:
    """What was read of the archive so far; complete when the stream has ended."""

    def __init__(self) -> None:
        self.sha256 = hashlib.sha256()
        self.n_bytes = 0

    def take(self, block: bytes) -> bytes:
        """Count and hash a block."""
        self.sha256.update(block)
        self.n_bytes += len(block)
        return block


@contextmanager
def decompressed(archive: Path, most_bytes: int, progress: Callable[[int], None]) -> Iterator[tuple[Forward, Feed]]:
    """Yield the tar stream of an archive and what is known of the archive itself.

    Args:
        archive: a `.tar.zst` file.
        most_bytes: how long the tar stream may be.
        progress: called with the number of archive bytes read so far.

    Raises:
        BadArchive: the archive is no zstd stream, truncated or corrupt; said when the stream is left.
        MissingExtra: neither the program nor the package is there.
    """
    feed = Feed()
    program = shutil.which("zstd")
    with archive.open("rb") as stream:
        _check_magic(stream)
        if program is None:
            yield Forward(_in_process(stream, feed, progress), most_bytes), feed
            return
        with _program(program, stream, feed, progress) as source:
            yield Forward(source, most_bytes), feed


def _check_magic(stream: IO[bytes]) -> None:
    """Refuse other formats, which the program would take and the package would not."""
    magic = stream.read(4)
    stream.seek(0)
    if magic != _ZSTD and not (magic[1:] == _SKIPPABLE and magic[0] >> 4 == 0x5):  # noqa: PLR2004 sixteen of them
        raise BadArchive("not a sound zstd archive: it does not begin like one")


@contextmanager
def _program(program: str, stream: IO[bytes], feed: Feed, progress: Callable[[int], None]) -> Iterator[Source]:
    """Start the program, feed it from a thread, yield what it gives, and look at how it ended."""
    with subprocess.Popen(  # noqa: S603 the machine's own program
        [program, "-dcq"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        stdin, stdout = cast("IO[bytes]", child.stdin), cast("IO[bytes]", child.stdout)  # pipes, as asked for
        _bound(child, stdout)
        feeder = threading.Thread(target=_pour, args=(stream, stdin, feed, progress), daemon=True)
        feeder.start()
        try:
            yield stdout
            _check_end(child)
        except EndsEarly:
            _check_end(child)
            raise
        finally:
            child.kill()
            feeder.join()
            with suppress(OSError):  # what a refused archive still had to say
                stdin.close()


def _check_end(child: "subprocess.Popen[bytes]") -> None:
    """Wait for the program, which has nothing more to give, and say what it complains about."""
    message = child.stderr.read().decode(errors="replace").strip() if child.stderr else ""
    if child.wait() != 0:
        raise BadArchive(f"not a sound zstd archive: {_reason(message)}")


def _bound(child: "subprocess.Popen[bytes]", stdout: IO[bytes]) -> None:
    """Limit the program's memory, and widen its pipe: fewer switches between the two processes."""
    with suppress(AttributeError, OSError, ValueError):  # other systems; a pipe limit used up
        resource.prlimit(child.pid, resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    with suppress(AttributeError, OSError):
        fcntl.fcntl(stdout, fcntl.F_SETPIPE_SZ, BLOCK)


def _reason(message: str) -> str:
    if "memory" in message or "indow" in message:
        return f"it needs a window of more than {LARGEST_WINDOW >> 20} MiB; pack it without --long or --ultra"
    return message.splitlines()[-1].strip() if message else "zstd failed"


def _pour(stream: IO[bytes], into: IO[bytes], feed: Feed, progress: Callable[[int], None]) -> None:
    """Give the archive to the program; when that ended early, its exit status says why."""
    with suppress(OSError), into:
        while block := stream.read(BLOCK):
            into.write(feed.take(block))
            progress(feed.n_bytes)


def _in_process(stream: IO[bytes], feed: Feed, progress: Callable[[int], None]) -> Source:
    try:
        import zstandard  # noqa: PLC0415 optional
    except ImportError:
        raise MissingExtra("no zstd program; install one, or: pip install 'coda-bench[data]'") from None

    class Counted:
        def read(self, size: int = -1) -> bytes:
            block = feed.take(stream.read(size))
            progress(feed.n_bytes)
            return block

    return _Checked(
        zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW).stream_reader(
            cast("IO[bytes]", Counted()), read_size=BLOCK, read_across_frames=True
        ),
        zstandard.ZstdError,
    )


class _Checked:
    """The package's reader, with errors of our own."""

    def __init__(self, reader: Any, error: type[Exception]) -> None:
        self._reader = reader
        self._error = error

    def read(self, size: int = -1, /) -> bytes:
        """Return up to `size` bytes; none at the end."""
        try:
            return bytes(self._reader.read(size))
        except self._error as error:
            raise BadArchive(f"not a sound zstd archive: {_reason(str(error))}") from error
