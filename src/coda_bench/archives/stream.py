"""The bytes inside a `.tar.zst`, decompressed as they are read, while the archive itself is hashed.

The package `zstandard` reads ahead on a thread of its own. Where it is missing the program `zstd` serves, through two
pipes: everything is copied twice more, for nine seconds of processor time in place of six on 2 GB.
"""

import fcntl
import hashlib
import resource
import shutil
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Protocol, cast

from coda_bench.archives.headers import BadArchive, EndsEarly
from coda_bench.errors import MissingExtra

BLOCK = 1 << 20
LARGEST_WINDOW = 128 << 20
"""Memory a frame may ask for, as the zstd program's own limit; 27 in `zstd --long=27`."""
_READ_AHEAD = 8
"""Blocks of `BLOCK` bytes."""
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
        self._block = memoryview(b"")

    def some(self, size: int) -> memoryview:
        """Return up to `size` bytes; none at the end.

        Raises:
            BadArchive: the stream is longer than it may be.
        """
        if not self._block:
            self._block = memoryview(self._source.read(BLOCK))
            self._left -= len(self._block)
            if self._left < 0:
                raise BadArchive("it goes on and on: larger than its files may be together")
        found, self._block = self._block[:size], self._block[size:]
        return found

    def exactly(self, size: int) -> bytes:
        """Return `size` bytes.

        Raises:
            EndsEarly: the stream ends before.
        """
        parts: list[memoryview] = []
        while size:
            if not (part := self.some(size)):
                raise EndsEarly("the archive ends in the middle")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


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
    package, program = _package(), shutil.which("zstd")
    with archive.open("rb") as stream:
        _check_magic(stream)
        if package:
            source = _ahead(_in_process(package, stream, feed, progress))
        elif program:
            source = _program(program, stream, feed, progress)
        else:
            raise MissingExtra("nothing here decompresses zstd: pip install 'coda-bench[data]', or install zstd")
        with source as decoded:
            yield Forward(decoded, most_bytes), feed


def _package() -> Any:
    try:
        import zstandard  # noqa: PLC0415 optional
    except ImportError:
        return None
    return zstandard


@contextmanager
def _ahead(source: Source) -> Iterator[Source]:
    """Yield a source that is read ahead by a thread: decompressing goes on while files are written."""

    class Ahead:
        def read(self, _: int = -1, /) -> bytes:
            waiting.append(reader.submit(source.read, BLOCK))
            return waiting.popleft().result()

    with ThreadPoolExecutor(1) as reader:
        waiting = deque(reader.submit(source.read, BLOCK) for _ in range(_READ_AHEAD))
        try:
            yield Ahead()
        finally:
            reader.shutdown(cancel_futures=True)


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


def _in_process(package: Any, stream: IO[bytes], feed: Feed, progress: Callable[[int], None]) -> Source:
    class Counted:
        def read(self, size: int = -1) -> bytes:
            block = feed.take(stream.read(size))
            progress(feed.n_bytes)
            return block

    decompressor = package.ZstdDecompressor(max_window_size=LARGEST_WINDOW)
    return _Checked(decompressor.stream_reader(Counted(), read_size=BLOCK, read_across_frames=True), package.ZstdError)


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
