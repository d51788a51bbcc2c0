"""The catalog of data sets."""

import pytest

from coda_bench.demo.catalog import DataSet, load_catalog, package_folder
from coda_bench.errors import MissingExtra


def dataset(**rule):
    return DataSet(theme="c", slug="s", title="t", package="p", files=(rule,))


def test_a_rule_with_names_makes_one_file_each():
    """Each name takes the place of the braces, in the source as in the target."""
    made = dataset(**{"from": "d/{}.csv.bz2", "to": "docs/{}.csv", "names": "a b"})
    assert list(made.expand()) == [("docs/a.csv", ("d/a.csv.bz2",)), ("docs/b.csv", ("d/b.csv.bz2",))]


def test_a_rule_with_into_collects_all_names():
    """One file is made from all sources, in the order of the names."""
    made = dataset(**{"from": "{}.txt", "into": "book.pdf", "names": "b a"})
    assert list(made.expand()) == [("book.pdf", ("b.txt", "a.txt"))]


def test_every_file_of_the_catalog_is_installed():
    """The installed packages hold every file the catalog names."""
    missing = [
        f"{entry.package}/{source}"
        for entry in load_catalog().datasets
        for _, sources in entry.expand()
        for source in sources
        if not (package_folder(entry.package) / source).is_file()
    ]
    assert missing == []


def test_every_dataset_has_a_licence_and_a_known_package():
    """No data set is passed on without a stated licence."""
    catalog = load_catalog()
    assert all(catalog.licence_of(entry) for entry in catalog.datasets)
    assert {entry.package for entry in catalog.datasets} == set(catalog.packages)


def test_a_package_that_is_not_installed_is_named_with_the_remedy():
    """The message carries the install command."""
    with pytest.raises(MissingExtra, match=r"no_such_package_here.*pip install 'coda-bench\[demo\]'"):
        package_folder("no_such_package_here")
