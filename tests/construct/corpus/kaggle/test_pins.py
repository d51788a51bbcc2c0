"""Lists of pins: one line each, every one with a version unless it is to be resolved."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coda_bench.construct.corpus.kaggle.pins import as_list, read_pins
from coda_bench.errors import BadInput
from coda_bench.records.kaggle import Kind, Pin

SLUGS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,20}", fullmatch=True)
PINS = st.builds(
    Pin, kind=st.sampled_from(Kind), owner=SLUGS, slug=SLUGS, version=st.integers(min_value=1, max_value=999_999_999)
)


def test_a_list_names_data_sets_and_notebooks(tmp_path):
    """Comments and blank lines are passed over."""
    path = tmp_path / "list.txt"
    path.write_text("# agriculture\n\ndataset ann/wheat/versions/2  # by field\nnotebook Ann_B/wheat/versions/11\n")
    first, second = read_pins(path)
    assert (first.kind, first.name, first.version) == (Kind.DATASET, "ann/wheat", 2)
    assert (second.kind, second.name, second.version) == (Kind.NOTEBOOK, "Ann_B/wheat", 11)


def test_a_line_without_a_version_is_refused_unless_it_is_to_be_resolved(tmp_path):
    """The message says what to do about it."""
    path = tmp_path / "list.txt"
    path.write_text("dataset ann/wheat\n")
    with pytest.raises(
        BadInput, match=r"list\.txt:1: dataset ann/wheat has no version; add /versions/N, or .*--resolve"
    ):
        read_pins(path)
    assert read_pins(path, resolve=True)[0].version is None


@pytest.mark.parametrize(
    "line",
    [
        "ann/wheat/versions/2",
        "dataset ann/wheat/versions/0",
        "dataset ann/wheat/versions/x",
        "dataset ../wheat/versions/2",
        "dataset ann/../../etc/versions/2",
        "dataset ann/.hidden/versions/1",
        "model ann/wheat/versions/2",
        "dataset ann/wheat/versions/2 extra",
        "dataset ann/wh\N{LATIN SMALL LETTER E WITH ACUTE}at/versions/2",
        "dataset ann/wheat/versions/\N{ARABIC-INDIC DIGIT TWO}",
    ],
)
def test_what_is_no_pin_is_refused_with_its_line(tmp_path, line):
    """Also what would leave the folder of downloads."""
    path = tmp_path / "list.txt"
    path.write_text(f"dataset ann/rye/versions/1\n{line}\n", "utf-8")
    with pytest.raises(BadInput, match=r"list\.txt:2: .* is not `dataset owner/slug"):
        read_pins(path)


def test_the_same_name_twice_is_refused(tmp_path):
    """Two versions would need one folder."""
    path = tmp_path / "list.txt"
    path.write_text("dataset ann/wheat/versions/1\nnotebook ann/wheat/versions/1\ndataset Ann/Wheat/versions/2\n")
    with pytest.raises(BadInput, match=r"list\.txt:3: dataset Ann/Wheat stands on line 1 already"):
        read_pins(path)


@pytest.mark.parametrize("content", [b"", b"# nothing\n", b"\xff\xfe\n"])
def test_a_list_of_nothing_is_refused(tmp_path, content):
    """An empty one, and one that is no text."""
    path = tmp_path / "list.txt"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=r"list\.txt"):
        read_pins(path)
    with pytest.raises(BadInput, match="cannot be read"):
        read_pins(tmp_path / "missing")


@given(pins=st.lists(PINS, min_size=1, max_size=8, unique_by=lambda pin: pin.folder.lower()))
def test_a_list_that_is_written_is_read_again(pins, tmp_path_factory):
    """Whatever the names."""
    path = tmp_path_factory.mktemp("pins") / "list.txt"
    path.write_text(as_list(tuple(pins)))
    assert sorted(map(str, read_pins(path))) == sorted(map(str, pins))
