"""Rooms: what a notebook finds around it, in the places where its author found it.

Everything that may be read lies below `/data`, which is watched. Links lead there from where notebooks look: Kaggle's
`/kaggle/input/<slug>` and `/kaggle/input/datasets/<owner>/<slug>`, `../input/<slug>`, and the files beside a notebook.
The folders of the notebook itself are real and writable; data is not.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

DATA = "/data"
KAGGLE = "/kaggle"
_MOST_BESIDE = 2000
"""Entries of one folder that are linked."""


class Room(NamedTuple):
    """Where a notebook runs."""

    data: Path
    """Host folder shown at `/data`."""
    datasets: Mapping[str, str] = {}
    """By `owner/slug` or slug, a data set's folder relative to `data`."""
    folder: str = "notebooks"
    """The notebook's folder relative to `data`; its own when it is not there."""

    def links(self, root: str) -> list[tuple[str, str]]:
        """Return places below a job's root with what they lead to; an empty target means a folder to be made."""
        here = PurePosixPath(root, self.folder)
        found = {str(here): ""} | dict(self._beside(root))
        above = str(here.parent / "input")
        found.setdefault(above, f"{KAGGLE}/input")
        found.setdefault(str(here / "input"), f"{KAGGLE}/input")
        return list(found.items())

    def _beside(self, root: str) -> Iterator[tuple[str, str]]:
        """Yield a link for each entry of the notebook's folder and of those above it, up to the root of the data."""
        parts = PurePosixPath(self.folder).parts
        for depth in range(len(parts) + 1):
            folder = PurePosixPath(*parts[:depth])
            host = self.data / folder
            if not host.is_dir() or host.is_symlink():
                return
            names = sorted(one.name for one in host.iterdir())[:_MOST_BESIDE]
            for name in names:
                if not name.startswith(".") and (depth == len(parts) or name != parts[depth]):
                    yield str(PurePosixPath(root, folder, name)), str(PurePosixPath(DATA, folder, name))

    def write_kaggle(self, folder: Path) -> None:
        """Make the host folder that is shown at `/kaggle`: links to every data set."""
        for name, path in self.datasets.items():
            slug = name.rpartition("/")[2]
            target = f"{DATA}/{path}"
            places = [folder / "input" / slug]
            if "/" in name:
                places.append(folder / "input" / "datasets" / name)
            for place in places:
                place.parent.mkdir(parents=True, exist_ok=True)
                if not place.is_symlink():
                    place.symlink_to(target)
        (folder / "input").mkdir(parents=True, exist_ok=True)
