"""Files made byte by byte, and their profiles."""

import pytest

from coda_bench.construct.environment.profiling.limits import Limits
from coda_bench.construct.environment.profiling.pool import Job, Pool
from coda_bench.construct.environment.profiling.profile import Means, profile_file

pytest.importorskip("duckdb", reason="profiling needs the extra `construct`")


@pytest.fixture
def profiled(tmp_path):
    """A function that writes a file and returns its profile."""

    def make(content, name="file.bin", **limits):
        path = tmp_path / "made" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        temp = tmp_path / "temp"
        temp.mkdir(exist_ok=True)
        return profile_file(path, name=f"set/{name}", means=Means(Limits(**limits), temp, temp))

    return make


@pytest.fixture
def in_worker():
    """A function that profiles files in a worker, below limits, and returns the outcomes by name."""

    def run(*paths, n_workers=1, **limits):
        jobs = [Job(path, path.name, path.lstat().st_size) for path in paths]
        with Pool(n_workers=n_workers, limits=Limits(**limits)) as pool:
            return {outcome.job.name: outcome for outcome in pool.profile(jobs)}

    return run


@pytest.fixture
def dataset(tmp_path):
    """A function that makes the folder of a data set from names and contents."""

    def make(name, files):
        root = tmp_path / "corpus" / name
        root.mkdir(parents=True, exist_ok=True)
        for path, content in files.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return root

    return make


def kinds(profile):
    """Return the classes of a profile's problems."""
    return [problem.kind for problem in profile.problems]


def types(profile, table=0):
    """Return the types of a table's columns by name."""
    return {column.name: column.type for column in profile.tables[table].columns}
