"""Several communities at once: here, and on a Ray cluster."""

import pytest

from coda_bench.construct.environment.measures.measure import Tasks
from coda_bench.construct.environment.spread import OnRay, lay_out_communities

CSV = "a,b\n1,2\n3,4\n"
RECORDS = ("manifest.jsonl", "profile.jsonl", "environment.json")


@pytest.fixture
def communities(dataset, tmp_path):
    """Two communities, and one of which nothing is there."""
    return {
        "c1": {"iris": dataset("iris", {"iris.csv": CSV, "iris2.csv": CSV.replace("1", "9")})},
        "c2": {"films": dataset("films", {"films.csv": "title,year\nx,1990\ny,1991\nz,1992\n"})},
        "c3": {"gone": tmp_path / "gone"},
    }


def test_communities_are_compared_with_one_another_and_a_failed_one_is_named(communities, tmp_path):
    """The files of c2 are what is random for c1."""
    tasks = {"c1": Tasks(targets={1: ("iris/iris.csv",)})}
    found, failed = lay_out_communities(communities, tmp_path / "out", tasks=tasks)
    assert sorted(found) == ["c1", "c2"]
    assert list(failed) == ["c3"]
    assert "no such folder" in failed["c3"]
    assert found["c1"].similarities[0].auc == 1.0
    assert found["c1"].signal.snr == 0.5
    assert found["c1"].look_alikes.n_same_header == 1


@pytest.mark.slow
def test_a_cluster_builds_the_same_bytes(communities, tmp_path):
    """Ray started on this machine, each community a task of it."""
    ray = pytest.importorskip("ray", reason="needs the extra `ray`")
    try:
        found, failed = lay_out_communities(communities, tmp_path / "ray", executor=OnRay("local"))
    finally:
        ray.shutdown()
    here, _ = lay_out_communities(communities, tmp_path / "here")
    assert found == here
    assert list(failed) == ["c3"]
    for name in found:
        for record in RECORDS:
            one, other = (tmp_path / where / "communities" / name / record for where in ("ray", "here"))
            assert one.read_bytes() == other.read_bytes()
