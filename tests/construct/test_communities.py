"""Communities: found as the paper finds them, described by numbers a person can check, chosen with reasons."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ET

import duckdb
import pytest

from coda_bench.construct.communities import select
from coda_bench.construct.communities.export import draw, write_graphml
from coda_bench.construct.communities.find import find_communities
from coda_bench.construct.communities.stability import stability
from coda_bench.construct.communities.stored import read_communities, read_members
from coda_bench.construct.cooccurrence import build_graph
from coda_bench.errors import BadInput
from coda_bench.records.community import Choice, PartitionOptions, SelectionRules
from construct.tables import make_corpus

# Two triangles joined by one notebook, a pair, and one data set alone.
USES = {
    "n1": ["a", "b", "c"], "n2": ["a", "b"], "n3": ["b", "c"],
    "n4": ["d", "e", "f"], "n5": ["d", "e"], "n6": ["e", "f"],
    "n7": ["c", "d"],
    "n8": ["g", "h"],
}  # fmt: skip
TITLES = {
    "a": "Wine red",
    "b": "wine white",
    "c": "Wine of 2019",
    "d": "crime rates",
    "e": "Crime by city",
    "f": "crime",
}


@pytest.fixture
def built(tmp_path):
    sizes = {name: 10 * (place + 1) for place, name in enumerate("abcdefghi")}
    two = dict.fromkeys("abcdefghi", 2)
    licences = {**dict.fromkeys("abcdef", "CC0-1.0"), "g": "GPL"}
    columns = {"bytes": sizes, "files": two, "tabular": {**two, "g": 0}, "licence": licences}
    make_corpus(tmp_path / "corpus", USES, datasets="abcdefghi", titles=TITLES, **columns)
    build_graph(tmp_path / "corpus", tmp_path / "graph")
    find_communities(tmp_path / "graph", tmp_path / "corpus", tmp_path / "communities")
    return tmp_path


def test_the_numbers_are_those_counted_by_hand(built):
    """Members, notebooks, files, bytes, edges, density, clustering and themes of a graph drawn on paper."""
    known = {
        tuple(read_members(built / "communities")[one.community]): one
        for one in read_communities(built / "communities")
    }
    assert set(known) == {("a", "b", "c"), ("d", "e", "f"), ("g", "h")}
    wine = known["a", "b", "c"]
    assert (wine.datasets, wine.notebooks, wine.files, wine.bytes, wine.edges) == (3, 4, 6, 60, 3)
    assert (wine.density, wine.clustering, wine.themes[0]) == (1.0, 1.0, "wine")
    pair = known["g", "h"]
    assert (pair.notebooks, pair.edges, pair.density, pair.clustering, pair.tabular) == (1, 1, 1.0, 0.0, 2)
    assert pair.licences == ("GPL", "unknown")


def test_modularity_is_the_textbooks(built):
    """Q is the sum over communities of inner weight by all weight, less the square of its share of degrees."""
    manifest = find_communities(built / "graph", built / "corpus", built / "communities")
    # Weights: ab 2, bc 2, ac 1 | de 2, ef 2, df 1 | cd 1 | gh 1: m = 12.
    shares = [(5, 11), (5, 11), (1, 2)]
    assert manifest.quality == pytest.approx(sum(inner / 12 - (degree / 24) ** 2 for inner, degree in shares))
    assert manifest.counts == {"datasets": 9, "communities": 4, "single": 1, "of_two_or_more": 3}


def test_names_are_made_of_the_members(built, tmp_path):
    """Another corpus with the same two triangles has the same names for them, whatever else is in it."""
    names = {tuple(members): name for name, members in read_members(built / "communities").items()}
    other = tmp_path / "other"
    make_corpus(
        other / "corpus", {f"0{name}": uses for name, uses in USES.items()} | {"z": ["x", "y"]}, datasets="abcdefghixy"
    )
    build_graph(other / "corpus", other / "graph")
    find_communities(other / "graph", other / "corpus", other / "communities")
    again = {tuple(members): name for name, members in read_members(other / "communities").items()}
    assert again["a", "b", "c"] == names["a", "b", "c"]
    assert again["g", "h"] == names["g", "h"]


def test_the_same_seed_gives_the_same_bytes(built):
    """Partition, table and manifest are equal to the byte when found again."""
    before = {path.name: path.read_bytes() for path in (built / "communities").iterdir()}
    find_communities(built / "graph", built / "corpus", built / "communities")
    assert {path.name: path.read_bytes() for path in (built / "communities").iterdir()} == before


def test_every_data_set_has_a_community(built):
    """One without any edge is a community of its own."""
    rows = duckdb.sql(f"SELECT dataset, community FROM '{built}/communities/partition.parquet'").fetchall()
    assert len(rows) == 9
    assert sum(community == dict(rows)["i"] for _, community in rows) == 1


def test_a_corpus_without_edges_is_all_alone(tmp_path):
    """No two data sets meet: nothing to partition, nothing to fail on."""
    make_corpus(tmp_path / "corpus", {"one": ["a"]}, datasets="abc")
    build_graph(tmp_path / "corpus", tmp_path / "graph")
    manifest = find_communities(tmp_path / "graph", tmp_path / "corpus", tmp_path / "communities")
    assert manifest.counts == {"datasets": 3, "communities": 3, "single": 3, "of_two_or_more": 0}
    assert read_communities(tmp_path / "communities") == []


@pytest.mark.parametrize(
    ("rules", "kept"),
    [
        (SelectionRules(min_datasets=3), 2),
        (SelectionRules(max_datasets=2), 1),
        (SelectionRules(min_notebooks=2), 2),
        (SelectionRules(max_files=4), 1),
        (SelectionRules(max_bytes=100), 1),
        (SelectionRules(min_tabular_share=0.9), 2),
        (SelectionRules(licences=("CC0-1.0",)), 2),
        (SelectionRules(), 3),
    ],
)
def test_rules_keep_what_breaks_none(built, rules, kept):
    """Each rule leaves out what it is about and counts it under its name."""
    chosen = select.by_rule(read_communities(built / "communities"), rules)
    assert len(chosen.chosen) == kept
    assert sum(chosen.dropped.values()) == 3 - kept


def test_choosing_by_hand_needs_names_that_exist(built):
    """A list with reasons is stored as given; a name that is not there is refused."""
    known = read_communities(built / "communities")
    chosen = select.by_hand(known, [Choice(community=known[0].community, reason="tables that analysts use")])
    select.store(chosen, built / "communities")
    assert select.read(built / "communities") == chosen
    with pytest.raises(BadInput, match="no such community"):
        select.by_hand(known, [Choice(community="c0", reason="?")])


def test_seeds_are_compared(built):
    """On a graph with one sensible partition every seed finds it: the index is 1."""
    found = stability(built / "graph", PartitionOptions(), 3)
    assert (found.seeds, found.mean, found.least) == (3, 1.0, 1.0)


def test_other_programs_can_read_the_graph(built):
    """GraphML with every data set, its community and title, and every weight."""
    write_graphml(built, built / "graph.graphml")
    space = "{http://graphml.graphdrawing.org/xmlns}"
    root = ET.parse(built / "graph.graphml").getroot()  # noqa: S314 - written a line above
    assert len(root.findall(f".//{space}node")) == 9
    assert sorted(float(one.find(f"{space}data").text) for one in root.findall(f".//{space}edge")) == [1] * 4 + [2] * 4


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_the_picture_is_drawn(built, ending):
    """A picture by the ending asked for; the same twice but for what the format dates."""
    draw(built, built / f"picture.{ending}")
    drawn = (built / f"picture.{ending}").read_bytes()
    assert len(drawn) > 5000
    if ending == "png":
        draw(built, built / "again.png")
        assert (built / "again.png").read_bytes() == drawn


def test_the_command_lists_and_chooses(built):
    """`coda-bench communities --json` gives communities, selection and stability; the selection is stored."""
    words = ["communities", str(built), "--min-datasets", "3", "--seeds", "2", "--json"]
    run = subprocess.run([sys.executable, "-m", "coda_bench.cli", *words], capture_output=True, check=True)
    told = json.loads(run.stdout)
    assert [one["datasets"] for one in told["communities"]] == [3, 3, 2]
    assert told["selection"]["dropped"] == {"min_datasets": 1}
    assert told["stability"]["mean"] == 1.0
    assert len(select.read(built / "communities").chosen) == 2


def test_the_command_names_what_is_missing(tmp_path):
    """Without a corpus: a sentence, exit code 2, no traceback."""
    run = subprocess.run(
        [sys.executable, "-m", "coda_bench.cli", "communities", tmp_path], capture_output=True, check=False
    )
    assert run.returncode == 2
    assert b"coda-bench corpus" in run.stderr
    assert b"Traceback" not in run.stderr
