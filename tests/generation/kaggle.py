"""A dump of Meta Kaggle with the shape of the real one, at any size.

Notebooks per data set follow a zero-inflated Zipf law (p0 = 0.69, alpha = 2.02, at most 7,445), data sets per notebook
one of alpha = 2.9, forks and old versions copy their sources; as measured on the dump of July 2025.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

UNUSED = 0.69
NOTEBOOKS_PER_DATASET, MOST_NOTEBOOKS = 2.02, 7445
DATASETS_PER_NOTEBOOK = 2.9
FORKS = 0.21
VERSIONS = 4.7
"""Per notebook: 6.7 source rows each, of 1.4 data sets."""
TOPICS = 400
_WORDS = ["sales", "housing", "weather", "covid", "football", "stocks", "movies", "crime", "airline", "wine", "energy"]


def write_dump(folder: Path, *, datasets: int, notebooks: int, seed: int = 0) -> None:
    """Write the eight tables with `datasets` data sets and `notebooks` notebooks."""
    draw = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    _write_people(folder)
    _write_datasets(folder, datasets, draw)
    _write_notebooks(folder, datasets, notebooks, draw)


def _write(folder: Path, name: str, **columns) -> None:
    csv.write_csv(pa.table(columns), folder / f"{name}.csv")


def _write_people(folder: Path) -> None:
    ids = np.arange(1, 1001)
    _write(folder, "Users", Id=ids, UserName=[f"user{number}" for number in ids])
    _write(folder, "Organizations", Id=ids[:50], Slug=[f"org{number}" for number in ids[:50]])
    _write(folder, "KernelLanguages", Id=[2, 5, 9], Name=["Python", "R", "IPython Notebook"])


def _write_datasets(folder: Path, count: int, draw) -> None:
    ids = np.arange(1, count + 1)
    owned = draw.random(count) < 0.05
    users = pa.array(draw.integers(1, 1001, count), mask=owned)
    organizations = pa.array(draw.integers(1, 51, count), mask=~owned)
    _write(
        folder,
        "Datasets",
        Id=ids,
        OwnerUserId=users,
        OwnerOrganizationId=organizations,
        CurrentDatasetVersionId=ids * 2,
    )
    versions = np.concatenate([ids * 2 - 1, ids * 2])
    of = np.concatenate([ids, ids])
    words = np.array(_WORDS)[of % TOPICS % len(_WORDS)]
    _write(
        folder, "DatasetVersions",
        Id=versions, DatasetId=of, DatasourceVersionId=versions + 7, VersionNumber=2 - versions % 2,
        Title=np.char.add(np.char.add(words, " of place "), of.astype(str)),
        Slug=np.char.add("set-", of.astype(str)), LicenseName=np.array(["CC0: Public Domain", "Unknown"])[of % 2],
        TotalUncompressedBytes=draw.integers(1_000, 10**9, 2 * count),
    )  # fmt: skip


def zipf(draw, alpha: float, most: int, count: int):
    """Return `count` integers from 1 to `most` with probability proportional to n to the power of minus alpha."""
    weights = np.arange(1, most + 1, dtype=np.float64) ** -alpha
    return draw.choice(most, size=count, p=weights / weights.sum()) + 1


def _write_notebooks(folder: Path, datasets: int, count: int, draw) -> None:
    popularity = np.where(
        draw.random(datasets) < UNUSED, 0, zipf(draw, NOTEBOOKS_PER_DATASET, MOST_NOTEBOOKS, datasets)
    )
    order = np.argsort(np.arange(datasets) % TOPICS, kind="stable")
    slots = np.repeat(order, popularity[order])
    sources = zipf(draw, DATASETS_PER_NOTEBOOK, 100, count)
    first = draw.integers(0, max(1, len(slots) - 100), count)
    notebook = np.repeat(np.arange(1, count + 1), sources)
    step = np.arange(len(notebook)) - np.repeat(np.cumsum(sources) - sources, sources)
    spread = step * draw.integers(1, 40, len(notebook))
    data = slots[(np.repeat(first, sources) + spread) % len(slots)] + 1
    forks = draw.random(count) < FORKS
    ids = np.arange(1, count + 1)
    versions = draw.poisson(VERSIONS - 1, count) + 1
    current = np.cumsum(versions)
    parents = pa.array(np.where(forks, np.roll(current, 1), 0), mask=~forks)
    authors = draw.integers(1, 1001, count)
    slugs = np.char.add("notebook-", ids.astype(str))
    _write(
        folder, "Kernels", Id=ids, AuthorUserId=authors, CurrentKernelVersionId=current,
        ForkParentKernelVersionId=parents, CurrentUrlSlug=slugs,
    )  # fmt: skip
    every = np.arange(1, current[-1] + 1)
    _write(
        folder, "KernelVersions", Id=every, ScriptId=np.repeat(ids, versions),
        ScriptLanguageId=np.where(every % 20 == 0, 5, 9), Title=np.repeat(slugs, versions),
    )  # fmt: skip
    repeated = np.repeat(np.arange(len(notebook)), versions[notebook - 1])
    back = np.arange(len(repeated)) - np.repeat(
        np.cumsum(versions[notebook - 1]) - versions[notebook - 1], versions[notebook - 1]
    )
    _write(
        folder, "KernelVersionDatasetSources", Id=np.arange(1, len(repeated) + 1),
        KernelVersionId=current[notebook[repeated] - 1] - back, SourceDatasetVersionId=data[repeated] * 2,
    )  # fmt: skip
