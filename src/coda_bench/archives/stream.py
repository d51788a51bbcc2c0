"""The bytes inside a `.tar.zst`, decompressed as they are read, while the archive itself is hashed.

The `zstd` program is used where there is one; it is faster than Python by half and runs on a core of its own.
"""

import hashlib
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol, cast

from coda_bench.archives.members import BadArchive
from coda_bench.errors import MissingExtra

BLOCK = 1 << 20
LONGEST_READ = 4 << 20
"""A header that asks for more at once lies about its size."""


class Source(Protocol):
    """Anything bytes can be read from."""

    def read(self, size: int = -1, /) -> bytes:
        """Return up to `size` bytes; none at the end."""


class Forward:
    """A stream as `tarfile` wants it: `seek` and `tell`, but forward only and never much at once."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._at = 0
        self.last_block = b""
        """What was read last; tells an end of the archive from a broken header."""

    def read(self, size: int) -> bytes:
        """Return exactly `size` bytes, fewer only at the end."""
        if size > LONGEST_READ:
            raise BadArchive(f"a header of {size} bytes")
        parts: list[bytes] = []
        missing = size
        while missing and (part := self._source.read(missing)):
            parts.append(part)
            missing -= len(part)
        self.last_block = b"".join(parts)
        self._at += len(self.last_block)
        return self.last_block

    def tell(self) -> int:
        """Return the position."""
        return self._at

    def seek(self, position: int) -> int:
        """Go forward to a position.

        Raises:
            BadArchive: the stream ends before it, or it lies behind.
        """
        if position < self._at:
            raise BadArchive("a header that points backwards")
        while self._at < position:
            if not self.read(min(BLOCK, position - self._at)):
                raise BadArchive("the archive ends in the middle of a file")
        return self._at


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
def decompressed(archive: Path, progress: Callable[[int], None]) -> Iterator[tuple[Forward, Feed]]:
    """Yield the tar stream of an archive and what is known of the archive itself.

    Args:
        archive: a `.tar.zst` file.
        progress: called with the number of archive bytes read so far.

    Raises:
        BadArchive: the archive is no zstd stream, truncated or corrupt; said when the stream is left.
        MissingExtra: neither the program nor the package is there.
    """
    feed = Feed()
    program = shutil.which("zstd")
    with archive.open("rb") as stream:
        if program is None:
            yield Forward(_in_process(stream, feed, progress)), feed
            return
        with subprocess.Popen(  # noqa: S603 the machine's own program
            [program, "-dcq", "--memory=2048MB"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as child:
            yield from _through(child, stream, feed, progress)


def _through(
    child: "subprocess.Popen[bytes]", stream: IO[bytes], feed: Feed, progress: Callable[[int], None]
) -> Iterator[tuple[Forward, Feed]]:
    """Feed the program from a thread, read what it gives, and look at how it ended."""
    if child.stdin is None or child.stdout is None or child.stderr is None:  # three pipes were asked for
        raise BadArchive("zstd has no pipes")
    feeder = threading.Thread(target=_pour, args=(stream, child.stdin, feed, progress), daemon=True)
    feeder.start()
    try:
        yield Forward(child.stdout), feed
        feeder.join()
        message = child.stderr.read().decode(errors="replace").strip()
        if child.wait() != 0:
            raise BadArchive(f"not a sound zstd archive: {message.splitlines()[-1] if message else 'zstd failed'}")
    finally:
        child.kill()
        feeder.join()


def _pour(stream: IO[bytes], into: IO[bytes], feed: Feed, progress: Callable[[int], None]) -> None:
    try:
        while block := stream.read(BLOCK):
            into.write(feed.take(block))
            progress(feed.n_bytes)
        into.close()
    except OSError:  # the program ended early; its exit status says why
        return


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

    reader = zstandard.ZstdDecompressor(max_window_size=1 << 31).stream_reader(
        cast("IO[bytes]", Counted()), read_size=BLOCK, read_across_frames=True
    )

    class Checked:
        def read(self, size: int = -1) -> bytes:
            try:
                return reader.read(size)
            except zstandard.ZstdError as error:
                raise BadArchive(f"not a sound zstd archive: {error}") from error

    return Checked()
