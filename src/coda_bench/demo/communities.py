"""Communities: the data sets laid out as agents will see them, with a manifest beside each community."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from coda_bench.demo.catalog import Catalog, DataSet, package_folder
from coda_bench.demo.convert import convert
from coda_bench.layout import file_sha256
from coda_bench.records.targets import DataFile

OWNER = "coda-bench-demo"
"""Whose the data sets are, in Kaggle's metadata."""


def write_communities(catalog: Catalog, root: Path, *, progress: Callable[[str], None]) -> None:
    """Write `communities/<community>/full_community/…` and `manifest.jsonl` of every community below `root`.

    Raises:
        MissingExtra: a package of the catalog is not installed.
        BadInput: an installed package lacks a file of the catalog.
    """
    for number, dataset in enumerate(catalog.datasets, 1):
        progress(f"data sets {number}/{len(catalog.datasets)}: {dataset.slug}")
        write_dataset(catalog, dataset, root / "communities" / dataset.community / "full_community" / dataset.slug)
    for community in catalog.communities:
        write_manifest(root / "communities" / community)


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


def write_manifest(community: Path) -> None:
    """Write `manifest.jsonl`, one DataFile a line in path order, beside `full_community`."""
    lines = [file.model_dump_json() for file in _data_files(community / "full_community")]
    (community / "manifest.jsonl").write_text("".join(line + "\n" for line in lines), "utf-8")


def _data_files(root: Path) -> Iterable[DataFile]:
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        name = path.relative_to(root).as_posix()
        yield DataFile(path=name, bytes=path.stat().st_size, sha256=file_sha256(path))


def data_card(catalog: Catalog) -> str:
    """Return LICENSES.md: licence, source package and origin of every data set."""
    head = (
        "# Data card\n\n"
        "Every file of this release comes from an installed Python package; some were converted to another\n"
        "format by coda-bench (decompressed, or CSV to xlsx, Parquet or SQLite, texts to PDF). Nothing was\n"
        "downloaded. Licences are those the packages state for the files.\n\n"
        "| community | data set | licence | credit | package | source |\n|---|---|---|---|---|---|\n"
    )
    return head + "".join(_card_row(catalog, dataset) for dataset in catalog.datasets)


def _card_row(catalog: Catalog, dataset: DataSet) -> str:
    package = catalog.packages[dataset.package]
    return (
        f"| {dataset.community} | {dataset.slug} | {catalog.licence_of(dataset)} "
        f"| {dataset.credit or ''} | {package.distribution} {package.version} | {package.url} |\n"
    )
