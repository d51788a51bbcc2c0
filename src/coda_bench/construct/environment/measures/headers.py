"""Headers: when the columns of two files are the same, or nearly."""

import hashlib
import re
from collections.abc import Iterable, Sequence

from coda_bench.records.environment import FileClass, FileProfile

NEAR = 0.8
"""Jaccard similarity of the sets of column names from which two headers are nearly the same."""
FEWEST_COLUMNS = 2
"""A single column, such as `id`, makes no look-alike."""
_NO_WORD = re.compile(r"[\W_]+")
_INVENTED = re.compile(r"column\d+")

Header = tuple[str, ...]


def headers_of(profile: FileProfile) -> list[Header]:
    """Return the normalised headers of a file's tables: case, blanks and punctuation out, the order kept.

    Tables without names for their columns, and those of one column, have none.
    """
    if profile.header is False:
        return []
    found = [tuple(_NO_WORD.sub("", one.name.casefold()) for one in table.columns) for table in profile.tables]
    return [header for header in found if len(header) >= FEWEST_COLUMNS and not _is_invented(header)]


def _is_invented(header: Header) -> bool:
    return all(_INVENTED.fullmatch(name) for name in header)


def header_classes(profiles: Iterable[FileProfile]) -> tuple[FileClass, ...]:
    """Return the classes of files with a header in common and at least two different contents."""
    by_header: dict[Header, list[FileProfile]] = {}
    for profile in profiles:
        for header in set(headers_of(profile)):
            by_header.setdefault(header, []).append(profile)
    shared = {one: files for one, files in by_header.items() if len({file.sha256 for file in files}) > 1}
    return _classes((_key(header), files) for header, files in shared.items())


def copy_classes(profiles: Iterable[FileProfile]) -> tuple[FileClass, ...]:
    """Return the classes of files with the same bytes, two or more, empty ones left out."""
    by_content: dict[str, list[FileProfile]] = {}
    for profile in profiles:
        if profile.bytes:
            by_content.setdefault(profile.sha256, []).append(profile)
    return _classes((one, files) for one, files in by_content.items() if len(files) > 1)


def _classes(found: Iterable[tuple[str, Sequence[FileProfile]]]) -> tuple[FileClass, ...]:
    classes = [
        FileClass(
            key=key, paths=tuple(sorted(one.path for one in files)), n_datasets=len({dataset(one) for one in files})
        )
        for key, files in found
    ]
    return tuple(sorted(classes, key=lambda one: (-len(one.paths), one.paths, one.key)))


def _key(header: Header) -> str:
    return hashlib.sha256("\n".join(header).encode()).hexdigest()[:16]


def dataset(profile: FileProfile) -> str:
    """Return the folder of the data set that a file lies in."""
    return profile.path.split("/", 1)[0]


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of names in both among those in either, and 0 for two empty sets."""
    union = len(one | other)
    return len(one & other) / union if union else 0.0
