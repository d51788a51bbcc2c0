"""The list of what to download: one pin a line.

    dataset owner/slug/versions/3
    notebook owner/slug/versions/12   # handles as kagglehub writes them, with the kind before

Blank lines and what follows `#` are passed over.
"""

import re
from pathlib import Path

from coda_bench.errors import BadInput
from coda_bench.records.kaggle import Pin
from coda_bench.records.storage import check_readable

LARGEST_LIST_BYTES = 16 << 20
_SLUG = r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}"  # never a path: pins become names of folders
_LINE = re.compile(
    rf"(?P<kind>dataset|notebook)\s+(?P<owner>{_SLUG})/(?P<slug>{_SLUG})(?:/versions/(?P<version>[1-9][0-9]{{0,8}}))?",
    re.ASCII,
)
_SHAPE = "`dataset owner/slug/versions/N` or `notebook owner/slug/versions/N`"


def read_pins(path: Path, *, resolve: bool = False) -> tuple[Pin, ...]:
    """Read a list of pins.

    Args:
        path: the list.
        resolve: whether lines without a version are taken, for the version that is current when it is downloaded.

    Raises:
        BadInput: a line is no pin, has no version, or names what another line names already.
    """
    try:
        check_readable(path)
        if path.stat().st_size > LARGEST_LIST_BYTES:
            raise BadInput(f"{path}: larger than {LARGEST_LIST_BYTES >> 20} MiB; split the list")
        lines = path.read_text("utf-8-sig").splitlines()
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: not UTF-8 text (byte {error.start})") from error
    pins = _distinct(path, [(number, text) for number, line in enumerate(lines, 1) if (text := _content(line))])
    if not resolve:
        _refuse_unpinned(path, pins)
    if not pins:
        raise BadInput(f"{path}: no line names anything; each is {_SHAPE}")
    return tuple(pins.values())


def _content(line: str) -> str:
    return line.partition("#")[0].strip()


def _distinct(path: Path, lines: list[tuple[int, str]]) -> dict[int, Pin]:
    """Return pins by line; the same name twice is refused, for two versions would need the same folder."""
    pins: dict[int, Pin] = {}
    seen: dict[str, int] = {}
    for number, text in lines:
        found = _LINE.fullmatch(text)
        if found is None:
            raise BadInput(f"{path}:{number}: {text[:80]!r} is not {_SHAPE}")
        pin = Pin.model_validate(found.groupdict())
        first = seen.setdefault(pin.folder.lower(), number)
        if first != number:
            raise BadInput(f"{path}:{number}: {pin.kind} {pin.name} stands on line {first} already; keep one of them")
        pins[number] = pin
    return pins


def _refuse_unpinned(path: Path, pins: dict[int, Pin]) -> None:
    for number, pin in pins.items():
        if pin.version is None:
            raise BadInput(
                f"{path}:{number}: {pin} has no version; add /versions/N, or take the current one and have it recorded"
                f" with --resolve"
            )


def as_list(pins: tuple[Pin, ...]) -> str:
    """Return pins as the text of a list, sorted."""
    return "".join(f"{line}\n" for line in sorted(map(str, pins)))
