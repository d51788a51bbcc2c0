"""Catalog: which files of which installed package make up which data set (`catalog.toml`)."""

import tomllib
from collections.abc import Iterator
from importlib import metadata, resources
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

from pydantic import ConfigDict, Field, ValidationError

from coda_bench.errors import BadInput, MissingExtra
from coda_bench.records.record import Record, first_problem


class DataPackage(Record):
    """An installed package whose data sets the demo uses, with the licence it gives them."""

    distribution: str
    licence: str
    url: str

    @property
    def version(self) -> str:
        """The installed version."""
        return metadata.version(self.distribution)


class FileRule(Record):
    """From which files of a package one or more files of a data set are made."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    source: str = Field(alias="from")
    to: str | None = None
    into: str | None = None
    names: str | None = None

    def expand(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield (file in the data set, files in the package it is made from)."""
        names = self.names.split() if self.names else [""]
        if self.into:
            yield self.into, tuple(self.source.replace("{}", name) for name in names)
        else:
            for name in names:
                yield (self.to or self.source).replace("{}", name), (self.source.replace("{}", name),)


class DataSet(Record):
    """One data set."""

    theme: str
    """Which of the files of questions it may stand in."""
    slug: str
    title: str
    package: str
    """Import name of the package its files come from."""
    licence: str | None = None
    """Where the package's own record names another licence for these files."""
    credit: str | None = None
    """Whom that licence asks to name."""
    files: tuple[FileRule, ...]

    def expand(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield (file in the data set, files in the package it is made from) for all rules."""
        for rule in self.files:
            yield from rule.expand()


class Catalog(Record):
    """All data sets of the demo and the packages they come from."""

    packages: dict[str, DataPackage]
    datasets: tuple[DataSet, ...]

    @property
    def themes(self) -> tuple[str, ...]:
        """Themes in order of first mention."""
        return tuple(dict.fromkeys(dataset.theme for dataset in self.datasets))

    def licence_of(self, dataset: DataSet) -> str:
        """Return the licence under which the files of a data set are passed on."""
        return dataset.licence or self.packages[dataset.package].licence


def load_catalog() -> Catalog:
    """Read the catalog that ships with this package.

    Raises:
        BadInput: the catalog is malformed or two rules write one file.
    """
    text = resources.files(__package__).joinpath("catalog.toml").read_text("utf-8")
    try:
        catalog = Catalog.model_validate(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        problem = first_problem(error) if isinstance(error, ValidationError) else str(error)
        raise BadInput(f"demo/catalog.toml: {problem}") from error
    _refuse_repeated_files(catalog)
    return catalog


def _refuse_repeated_files(catalog: Catalog) -> None:
    seen: set[PurePosixPath] = set()
    for dataset in catalog.datasets:
        for name, _ in dataset.expand():
            path = PurePosixPath(dataset.slug, name)
            if path in seen:
                raise BadInput(f"demo/catalog.toml: two rules write {path}")
            seen.add(path)


def package_folder(package: str) -> Path:
    """Return the folder of an installed package without importing it.

    Raises:
        MissingExtra: the package is not installed.
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra(f"the demo needs the package {package}: pip install 'coda-bench[demo]'")
    return Path(next(iter(spec.submodule_search_locations)))
