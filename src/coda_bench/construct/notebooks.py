"""Notebooks of a build: where each lies, and in which of the chosen communities all its data sets are."""

from pathlib import Path
from typing import NamedTuple

from coda_bench.construct.communities import select
from coda_bench.construct.environment.walk import folder_names
from coda_bench.construct.tables import database, needed

_QUERY = """
SELECT n.notebook, n.title, n.path, list(d.dataset ORDER BY d.dataset) AS datasets,
       list(DISTINCT p.community) AS communities
FROM (SELECT *, file_row_number AS row FROM read_parquet($notebooks, file_row_number = true)) n
LEFT JOIN read_parquet($uses) u ON u.notebook_row = n.row
LEFT JOIN (SELECT *, file_row_number AS row FROM read_parquet($datasets, file_row_number = true)) d
  ON d.row = u.dataset_row
LEFT JOIN read_parquet($partition) p ON p.dataset = d.dataset
WHERE n.path IS NOT NULL AND n.folded_into IS NULL
GROUP BY ALL ORDER BY n.notebook
"""
_MEMBERS = "SELECT community, list(dataset ORDER BY dataset) FROM read_parquet(?) GROUP BY community"


class PlacedNotebook(NamedTuple):
    """One notebook of a corpus that is no near-duplicate of another."""

    name: str
    title: str
    path: str
    """Relative to the corpus's root."""
    community: str | None
    """The chosen community that all its data sets are in; None where there is none."""
    datasets: dict[str, str]
    """Folders in the community of all its data sets, by their ids: `owner/slug`, or a plain name."""


def placed_notebooks(build: Path) -> list[PlacedNotebook]:
    """Return the notebooks of a build, by name.

    Args:
        build: the directory of `construct.build`.

    Raises:
        BadInput: a stage of it is missing.
    """
    remedy = "build first: `coda-bench build`"
    files = {
        "notebooks": "corpus/notebooks.parquet",
        "uses": "corpus/uses.parquet",
        "datasets": "corpus/datasets.parquet",
        "partition": "communities/partition.parquet",
    }
    paths = {name: str(needed(build / file, remedy)) for name, file in files.items()}
    selection = select.read(build / "communities")
    chosen = set(selection.chosen) if selection else set()
    with database() as connection:
        rows = connection.execute(_QUERY, paths).fetchall()
        members = dict(connection.execute(_MEMBERS, [paths["partition"]]).fetchall())
    found = []
    for name, title, path, _datasets, communities in rows:
        known = [one for one in communities if one is not None]
        community = known[0] if len(known) == 1 and known[0] in chosen else None
        folders = folder_names(members[community])[0] if community else {}
        found.append(PlacedNotebook(name, title, path, community, folders))
    return found
