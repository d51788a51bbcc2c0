"""Reading communities back."""

from pathlib import Path

from coda_bench.construct.tables import database, needed
from coda_bench.records.community import PARTITION, CommunityRecord, PartitionManifest
from coda_bench.records.storage import read_json

_REMEDY = "communities have to be found first: `coda-bench communities`"


def read_partition(folder: Path) -> PartitionManifest:
    """Return a partition's manifest.

    Raises:
        BadInput: there is none, or it cannot be read.
    """
    path = needed(folder / PARTITION, _REMEDY)
    return PartitionManifest.from_stored(read_json(path), where=str(path))


def read_communities(folder: Path, *, most: int | None = None) -> list[CommunityRecord]:
    """Return communities of at least two data sets, the largest first.

    Args:
        folder: where they are stored.
        most: how many; None for all.

    Raises:
        BadInput: there is no such table.
    """
    path = needed(folder / "communities.parquet", _REMEDY)
    with database() as connection:
        found = connection.execute("SELECT * FROM read_parquet(?) LIMIT ?", [str(path), most or 1 << 60])
        names = [column[0] for column in found.description]
        return [CommunityRecord.model_validate(dict(zip(names, row, strict=True))) for row in found.fetchall()]


def read_members(folder: Path) -> dict[str, list[str]]:
    """Return the data sets of every community of at least two, by its name, sorted.

    Raises:
        BadInput: there is no such table.
    """
    query = """
    SELECT community, list(dataset ORDER BY dataset) FROM read_parquet(?) GROUP BY community HAVING count(*) > 1
    ORDER BY community
    """
    with database() as connection:
        return dict(connection.execute(query, [str(needed(folder / "partition.parquet", _REMEDY))]).fetchall())
