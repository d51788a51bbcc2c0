"""From a dump of Meta Kaggle's size to stored communities, against what scanning and Leiden alone would take.

The floor, in the same run: DuckDB scanning the CSV files, igraph building the finished graph, two iterations of its
Leiden. The peer of the graph step, at a tenth of the size: pandas joining and grouping, networkx holding the graph.
Each measurement is a process of its own, in turn; memory is what it held at most.

Run: python benchmarks/construct.py [--datasets N] [--notebooks N] [--rounds N] [--plot FILE] [--json]
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

SIZES = (16, 4, 1)
"""Parts of the whole at which growth is measured."""
PEER = 10
ITERATIONS = 2


def ours(dump: Path, work: Path) -> dict[str, float]:
    """Go the whole way and return the seconds of each step."""
    import duckdb  # as for the floor, not in the time
    import igraph
    import pyarrow as pa

    from coda_bench.construct.communities.find import find_communities
    from coda_bench.construct.cooccurrence import build_graph
    from coda_bench.construct.corpus.meta_kaggle import read_meta_kaggle
    from coda_bench.records.community import PartitionOptions

    del duckdb, igraph, pa
    options = PartitionOptions(iterations=ITERATIONS)
    return timed(
        corpus=lambda: read_meta_kaggle(dump, work / "corpus"),
        graph=lambda: build_graph(work / "corpus", work / "graph"),
        communities=lambda: find_communities(work / "graph", work / "corpus", work / "communities", options),
    )


def floor(dump: Path, work: Path) -> dict[str, float]:
    """Do only what cannot be left out, with nothing stored."""
    import duckdb
    import igraph
    import numpy as np

    edges = duckdb.sql(f"SELECT a_row AS a, b_row AS b, weight FROM '{work}/graph/edges.parquet'").fetchnumpy()
    names, places = np.unique(np.concatenate([edges["a"], edges["b"]]), return_inverse=True)
    pairs = places.reshape(2, -1).T
    held: dict[str, Any] = {}

    def scan() -> None:
        for path in sorted(dump.glob("*.csv")):
            columns = [row[0] for row in duckdb.sql(f"DESCRIBE SELECT * FROM read_csv('{path}')").fetchall()]
            sums = ", ".join(f'count("{name}"), max("{name}")' for name in columns)
            duckdb.sql(f"SELECT {sums} FROM read_csv('{path}')").fetchall()

    def build() -> None:
        held["graph"] = igraph.Graph(n=len(names), edges=pairs, edge_attrs={"weight": edges["weight"]})

    def leiden() -> None:
        held["graph"].community_leiden(objective_function="modularity", weights="weight", n_iterations=ITERATIONS)

    return timed(scan=scan, build=build, leiden=leiden)


def graph(dump: Path, work: Path) -> dict[str, float]:
    """Take the graph step alone, from a stored corpus."""
    from coda_bench.construct.cooccurrence import build_graph

    del dump
    return timed(graph=lambda: build_graph(work / "corpus", work / "graph"))


def peer(dump: Path, work: Path) -> dict[str, float]:
    """Take the graph step as most would write it first: pandas groups, networkx counts."""
    import networkx as nx
    import pandas as pd

    del dump

    def build() -> None:
        uses = pd.read_parquet(work / "corpus/uses.parquet").drop_duplicates()
        names = pd.read_parquet(work / "corpus/datasets.parquet")["dataset"]
        uses["dataset"] = names[uses["dataset_row"]].to_numpy()
        made = nx.Graph()
        made.add_nodes_from(names)
        for _, datasets in uses.groupby("notebook_row")["dataset"]:
            for one, other in combinations(sorted(datasets), 2):
                weight = made.get_edge_data(one, other, {"weight": 0})["weight"]
                made.add_edge(one, other, weight=weight + 1)
        nx.to_pandas_edgelist(made).to_parquet(work / "peer.parquet")

    return timed(graph=build)


def timed(**steps: Callable[[], object]) -> dict[str, float]:
    """Run steps one after the other and return the seconds of each."""
    seconds = {}
    for name, step in steps.items():
        before = time.perf_counter()
        step()
        seconds[name] = time.perf_counter() - before
    return seconds


KINDS = {"ours": ours, "floor": floor, "graph": graph, "peer": peer}


def measure(kind: str, dump: Path, work: Path) -> dict[str, float]:
    """Measure one kind in a process of its own; `mb` is the most memory it held."""
    run = subprocess.run(
        [sys.executable, __file__, "--kind", kind, "--dump", dump, "--work", work], capture_output=True, check=False
    )
    if run.returncode:
        sys.exit(run.stderr.decode()[-2000:])
    return json.loads(run.stdout)


def one_size(folder: Path, datasets: int, notebooks: int, rounds: int) -> dict[str, Any]:
    """Return medians of the whole way and of the floor at one size, measured in turn."""
    from generation.kaggle import write_dump

    dump, work = folder / f"dump-{datasets}", folder / f"work-{datasets}"
    write_dump(dump, datasets=datasets, notebooks=notebooks)
    measure("ours", dump, work)  # thrown away: it leaves the graph that the floor starts from, and warm files
    found: dict[str, list[dict[str, float]]] = {"ours": [], "floor": []}
    for _ in range(rounds):
        for kind, results in found.items():
            results.append(measure(kind, dump, work))
    seconds = {kind: statistics.median(_seconds(one) for one in results) for kind, results in found.items()}
    steps = {
        f"{kind}: {step}": statistics.median(one[step] for one in results)
        for kind, results in found.items()
        for step in results[0]
        if step != "mb"
    }
    manifest = json.loads((work / "graph/graph.json").read_text())["counts"]
    return {
        "datasets": datasets, "notebooks": notebooks, "edges": manifest["edges"], **seconds,
        "ratio": seconds["ours"] / seconds["floor"], "mb": max(one["mb"] for one in found["ours"]), "steps": steps,
    }  # fmt: skip


def against_peer(folder: Path, datasets: int, notebooks: int, rounds: int) -> dict[str, float]:
    """Return the graph step's seconds and the peer's, at one size."""
    from generation.kaggle import write_dump

    dump, work = folder / "dump-peer", folder / "work-peer"
    write_dump(dump, datasets=datasets, notebooks=notebooks)
    measure("ours", dump, work)
    times: dict[str, list[float]] = {"graph": [], "peer": []}
    for _ in range(rounds):
        for kind, results in times.items():
            results.append(_seconds(measure(kind, dump, work)))
    mine, theirs = statistics.median(times["graph"]), statistics.median(times["peer"])
    return {"datasets": datasets, "graph": mine, "peer": theirs, "ratio": theirs / mine}


def _seconds(one: dict[str, float]) -> float:
    return sum(seconds for step, seconds in one.items() if step != "mb")


def plot(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw seconds against data sets, both axes logarithmic."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for kind, label in (("ours", "dump to communities"), ("floor", "scan and Leiden alone")):
        axes.loglog([row["datasets"] for row in rows], [row[kind] for row in rows], marker="o", label=label)
    axes.set(xlabel="data sets", ylabel="seconds", title="Growth of construction")
    axes.grid(visible=True, which="both", alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=150)


def show(rows: list[dict[str, Any]], compared: dict[str, float]) -> None:
    """Print the table."""
    print(f"{'data sets':>10} {'notebooks':>10} {'edges':>9} {'ours s':>8} {'floor s':>8} {'ratio':>6} {'memory':>8}")
    for row in rows:
        print(
            f"{row['datasets']:10,} {row['notebooks']:10,} {row['edges']:9,} {row['ours']:8.2f} {row['floor']:8.2f} "
            f"{row['ratio']:6.2f} {row['mb']:5.0f} MB"
        )
    for step, seconds in rows[-1]["steps"].items():
        print(f"  {step:22} {seconds:7.2f} s")
    print(
        f"graph step at {compared['datasets']:,.0f} data sets: {compared['graph']:.2f} s, "
        f"pandas and networkx {compared['peer']:.2f} s: {compared['ratio']:.1f} times"
    )


def main() -> None:
    """Measure and print, or be one of the processes that measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", type=int, default=640_000)
    parser.add_argument("--notebooks", type=int, default=1_500_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--json", action="store_true")
    for name in ("--kind", "--dump", "--work"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.kind:
        seconds = KINDS[options.kind](Path(options.dump), Path(options.work))
        print(json.dumps({**seconds, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [one_size(folder, options.datasets // part, options.notebooks // part, options.rounds) for part in SIZES]
        compared = against_peer(folder, options.datasets // PEER, options.notebooks // PEER, options.rounds)
    if options.plot:
        plot(rows, options.plot)
    if options.json:
        print(json.dumps({"sizes": rows, "peer": compared}, indent=2))
    else:
        show(rows, compared)


if __name__ == "__main__":
    main()
