"""Data sets: written from the files of installed packages, and the card that says where each comes from."""

import json
from collections.abc import Mapping
from pathlib import Path

from coda_bench.demo.catalog import Catalog, DataSet, package_folder
from coda_bench.demo.convert import convert

OWNER = "coda-bench-demo"
"""Whose the data sets are, in Kaggle's metadata."""


def write_dataset(catalog: Catalog, dataset: DataSet, folder: Path) -> None:
    """Write the files of one data set and its `dataset-metadata.json` into a folder.

    Raises:
        MissingExtra: its package is not installed.
        BadInput: the installed package lacks a file.
    """
    package = package_folder(dataset.package)
    for name, sources in dataset.expand():
        convert([package / source for source in sources], folder / name)
    text = json.dumps(_kaggle_metadata(catalog, dataset), indent=2) + "\n"
    (folder / "dataset-metadata.json").write_text(text, "utf-8")


def _kaggle_metadata(catalog: Catalog, dataset: DataSet) -> dict[str, object]:
    """Return what `dataset-metadata.json` holds (format: Kaggle's data set metadata)."""
    package = catalog.packages[dataset.package]
    return {
        "title": dataset.title,
        "id": f"{OWNER}/{dataset.slug}",
        "licenses": [{"name": catalog.licence_of(dataset)}],
        "description": f"{dataset.title}. Taken from the Python package {package.distribution}.",
    }


def data_card(catalog: Catalog, communities: Mapping[str, str]) -> str:
    """Return LICENSES.md: licence, source package and origin of every data set of a release.

    Args:
        catalog: of all data sets.
        communities: by slug, the community of each data set that is in the release.
    """
    head = (
        "# Data card\n\n"
        "Every file of this release comes from an installed Python package; some were converted to another\n"
        "format by coda-bench (decompressed, or CSV to xlsx, Parquet or SQLite, texts to PDF). Nothing was\n"
        "downloaded. Licences are those the packages state for the files.\n\n"
        "| community | data set | licence | credit | package | source |\n|---|---|---|---|---|---|\n"
    )
    rows = (
        _card_row(catalog, dataset, communities[dataset.slug])
        for dataset in catalog.datasets
        if dataset.slug in communities
    )
    return head + "".join(rows)


def _card_row(catalog: Catalog, dataset: DataSet, community: str) -> str:
    package = catalog.packages[dataset.package]
    return (
        f"| {community} | {dataset.slug} | {catalog.licence_of(dataset)} "
        f"| {dataset.credit or ''} | {package.distribution} {package.version} | {package.url} |\n"
    )
