"""Which data sets a notebook uses: paths in its code, and what Kaggle's metadata says.

Paths as they stand in notebooks: `../input/<slug>/…`, `/kaggle/input/<slug>/…`, since 2026
`/kaggle/input/datasets/<owner>/<slug>/…`, relative ones to a folder of the corpus, `/data/<slug>/…`. Slugs are compared
without anything but letters and digits, since code has underscores where folders have hyphens; where nothing but a
folder's name tells that a text is a path, only hyphens and underscores are taken for one another.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from coda_bench.notebook import Notebook, storable
from coda_bench.programs.quotes import Found, quoted
from coda_bench.programs.strings import Strings, Unparsable

_INPUT = re.compile(r"(?:^|/)input/(?:datasets/(?P<owner>[^/]+)/)?(?P<slug>[^/]+)(?:/|$)")
_KAGGLE = re.compile(r"(?:^|/)(?:kaggle/|\.\./)input/")
_TO_FILL = re.compile(r"[*{}]|%[sd(]")
_SEPARATOR = re.compile(r"[/\\]+")
_LONGEST = 1000
_ROOTS = frozenset({"", ".", "..", "~", "*", "data", "datasets", "input"})
"""First parts of what is a path even if it ends with the data set's name."""
_NOT_SLUGS = frozenset({"", ".", "..", "~", "data", "input", "kaggle", "datasets", "working", "home", "users", "tmp"})


class Reference(NamedTuple):
    """A data set that a notebook names, or a path of Kaggle's that names none that is known."""

    dataset: str | None
    how: str
    """`path`, `text` (code that does not parse) or `metadata`."""
    cell: int
    """0 for metadata."""
    line: int
    text: str


class Slugs:
    """The data sets of a corpus, found by owner and slug."""

    def __init__(self, datasets: Iterable[str]) -> None:
        self._by_slug: dict[str, list[str]] = {}
        for name in sorted(datasets):
            self._by_slug.setdefault(plain(name.rpartition("/")[2]), []).append(name)

    def find(self, slug: str, owner: str | None = None, *, exactly: bool = False) -> str | None:
        """Return the data set of a slug; of several owners the one named, else None.

        Args:
            slug: as it is written.
            owner: as it is written, if it is.
            exactly: whether hyphens and underscores are all that may differ, and case.
        """
        known = self._by_slug.get(plain(slug), [])
        if exactly:
            known = [name for name in known if _hyphened(name.rpartition("/")[2]) == _hyphened(slug)]
        if owner:
            named = [name for name in known if plain(name.rpartition("/")[0]) == plain(owner)]
            known = named or [name for name in known if "/" not in name]
        return known[0] if len(known) == 1 else None


def plain(slug: str) -> str:
    """Return a slug without anything but letters and digits, in lower case."""
    return re.sub(r"[\W_]+", "", slug).lower()


def _hyphened(slug: str) -> str:
    return slug.replace("_", "-").lower()


class Unparsed(NamedTuple):
    """A cell whose strings were taken from its text."""

    cell: int
    reason: str


def references(
    notebook: Notebook, slugs: Slugs, kernel: Mapping[str, Any] | None = None
) -> tuple[list[Reference], list[Unparsed]]:
    """Return what a notebook refers to, and which of its cells do not parse.

    Args:
        notebook: as read.
        slugs: of the corpus.
        kernel: the notebook's `kernel-metadata.json`, if there is one.
    """
    found: list[Reference] = []
    strings = Strings()
    unparsed: list[Unparsed] = []
    for cell in notebook.code:
        try:
            texts, how = list(strings.of_cell(cell.source)), "path"
        except Unparsable as error:
            texts, how = list(quoted(cell.source)), "text"
            unparsed.append(Unparsed(cell.number, str(error)))
        found += [one for text in texts for one in _resolved(text, slugs, how, cell.number)]
    found += _told(kernel or {}, slugs)
    return list(dict.fromkeys(found)), unparsed


def _resolved(found: Found, slugs: Slugs, how: str, cell: int) -> Iterator[Reference]:
    text = found.text
    if len(text) > _LONGEST or "://" in text or not _SEPARATOR.search(text):
        return
    path = _SEPARATOR.sub("/", text)
    name = _by_input(path, slugs) or _by_folder(path, slugs)
    if name or (_KAGGLE.search(path) and not _is_pattern(path)):
        yield Reference(name, how, cell, found.line, text)


def _is_pattern(path: str) -> bool:
    """Whether the data set's part of a path is still to be filled in; what fills it has forms of its own."""
    match = _INPUT.search(path)
    return match is None or bool(_TO_FILL.search(match["slug"]))


def _by_input(path: str, slugs: Slugs) -> str | None:
    match = _INPUT.search(path)
    return slugs.find(match["slug"], match["owner"]) if match else None


def _by_folder(path: str, slugs: Slugs) -> str | None:
    """Find a folder of a path that is called as a data set is; with its owner before it where that tells."""
    parts = path.split("/")
    folders = parts if parts[0].lower() in _ROOTS or parts[0].endswith(":") else parts[:-1]
    for owner, slug in zip(["", *folders], folders, strict=False):
        if slug.lower() in _NOT_SLUGS:
            continue
        if name := slugs.find(slug, exactly=True) or slugs.find(slug, owner, exactly=True):
            return name
    return None


def _told(kernel: Mapping[str, Any], slugs: Slugs) -> Iterator[Reference]:
    sources = kernel.get("dataset_sources")
    for source in sources if isinstance(sources, list) else ():
        if isinstance(source, str):
            owner, _, slug = source.split("/versions/")[0].rpartition("/")
            yield Reference(slugs.find(slug, owner or None), "metadata", 0, 0, storable(source))


def unresolved_ids(notebook: Notebook) -> int:
    """Return how many sources a notebook's own metadata names by numbers, which only Kaggle's tables can resolve."""
    kaggle = notebook.metadata.get("kaggle")
    sources = kaggle.get("dataSources") if isinstance(kaggle, dict) else None
    return len([one for one in sources if isinstance(one, dict)]) if isinstance(sources, list) else 0


def docker_image(notebook: Notebook) -> str | None:
    """Return the number of Kaggle's image that a notebook was run in, which pins its environment."""
    kaggle = notebook.metadata.get("kaggle")
    found = kaggle.get("dockerImageVersionId") if isinstance(kaggle, dict) else None
    return storable(str(found)) if isinstance(found, int | str) and str(found) else None
