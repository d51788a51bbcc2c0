"""The graph: w(i, j) is the number of distinct notebooks that use both data sets, and nothing else."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coda_bench.construct.cooccurrence import build_graph
from coda_bench.errors import BadInput
from coda_bench.records.community import GraphOptions
from construct.tables import edges_of, make_corpus, nodes_of


def test_weights_are_the_notebooks_that_use_both(tmp_path):
    """Three notebooks, counted by hand: a and b meet twice, b and c once, d meets nobody."""
    make_corpus(tmp_path / "corpus", {"one": ["a", "b"], "two": ["a", "b", "c"], "three": ["d"]}, datasets="abcde")
    manifest = build_graph(tmp_path / "corpus", tmp_path / "graph")
    assert edges_of(tmp_path) == {("a", "b"): 2.0, ("a", "c"): 1.0, ("b", "c"): 1.0}
    assert nodes_of(tmp_path) == {"a": 2, "b": 2, "c": 1, "d": 1, "e": 0}
    counts = {"datasets": 5, "notebooks": 3, "edges": 3, "isolated": 2}
    assert {name: manifest.counts[name] for name in counts} == counts


def test_a_pair_that_is_listed_twice_counts_once(tmp_path):
    """A notebook that names a data set in many cells uses it once; with itself a data set never meets."""
    make_corpus(tmp_path / "corpus", {"one": ["a", "a", "b", "b"], "two": ["a", "a"]}, datasets="ab")
    build_graph(tmp_path / "corpus", tmp_path / "graph")
    assert edges_of(tmp_path) == {("a", "b"): 1.0}


def test_forks_count_what_they_are_told_to(tmp_path):
    """A fork repeats what its original said: it can count less, or not at all."""
    uses = {"one": ["a", "b"], "two": ["a", "b"], "three": ["b", "c"]}
    make_corpus(tmp_path / "corpus", uses, datasets="abc", forks={"two", "three"})
    for weight, edges in ((1.0, {("a", "b"): 2, ("b", "c"): 1}), (0.25, {("a", "b"): 1.25, ("b", "c"): 0.25})):
        build_graph(tmp_path / "corpus", tmp_path / "graph", GraphOptions(fork_weight=weight))
        assert edges_of(tmp_path) == edges
    manifest = build_graph(tmp_path / "corpus", tmp_path / "graph", GraphOptions(fork_weight=0))
    assert edges_of(tmp_path) == {("a", "b"): 1}
    assert manifest.counts["forks_left_out"] == 2


def test_notebooks_with_too_many_sources_are_left_out_and_counted(tmp_path):
    """A notebook that lists everything says nothing about any two."""
    make_corpus(tmp_path / "corpus", {"all": list("abcdef"), "two": ["a", "b"]}, datasets="abcdef")
    manifest = build_graph(tmp_path / "corpus", tmp_path / "graph", GraphOptions(max_sources=5))
    assert edges_of(tmp_path) == {("a", "b"): 1}
    assert manifest.counts["notebooks_with_too_many_sources"] == 1


def test_light_edges_can_be_dropped(tmp_path):
    """With a least weight of two, what met once is no edge."""
    make_corpus(tmp_path / "corpus", {"one": ["a", "b"], "two": ["a", "b"], "three": ["b", "c"]}, datasets="abc")
    build_graph(tmp_path / "corpus", tmp_path / "graph", GraphOptions(min_weight=2))
    assert edges_of(tmp_path) == {("a", "b"): 2}


def test_a_missing_table_is_named(tmp_path):
    """Without a corpus there is a sentence, with what makes one."""
    with pytest.raises(BadInput, match=r"notebooks\.parquet: no such file; .*coda-bench corpus"):
        build_graph(tmp_path / "corpus", tmp_path / "graph")


def test_the_same_corpus_gives_the_same_bytes(tmp_path):
    """Whatever order rows were read in, tables and manifest are equal to the byte."""
    uses = {f"n{number}": [f"d{number % 7}", f"d{number % 11}", f"d{number % 5}"] for number in range(60)}
    stored = []
    for name, order in (("one", 1), ("other", -1)):
        make_corpus(
            tmp_path / name / "corpus", dict(list(uses.items())[::order]), datasets=[f"d{n}" for n in range(12)]
        )
        build_graph(tmp_path / name / "corpus", tmp_path / name / "graph")
        stored.append({path.name: path.read_bytes() for path in (tmp_path / name / "graph").iterdir()})
    assert stored[0] == stored[1]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.sampled_from("abcdefg"), max_size=6), max_size=12))
def test_it_agrees_with_counting_pairs_by_hand(tmp_path_factory, lists):
    """For any corpus the weights are those of a dictionary of pairs."""
    folder = tmp_path_factory.mktemp("graph")
    make_corpus(folder / "corpus", {f"n{number}": names for number, names in enumerate(lists)}, datasets="abcdefg")
    build_graph(folder / "corpus", folder / "graph")
    counted = Counter(pair for names in lists for pair in combinations(sorted(set(names)), 2))
    assert edges_of(folder) == dict(counted)
