"""The commands `environment` and `profile`, as a person calls them."""

import gzip
import json
import subprocess
import sys

import pytest

from coda_bench.construct.environment.lay_out import lay_out

CSV = "age,bp\n1,2\n3,4\n"
OTHER = "title,year\nx,1990\ny,1991\nz,1992\n"


def run(*arguments, code=0):
    """Run a command and return what it printed; check its exit code."""
    line = [sys.executable, "-m", "coda_bench.cli", *map(str, arguments)]
    done = subprocess.run(line, capture_output=True, text=True, check=False, env=None)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture
def release(dataset, tmp_path):
    """A release of two communities with one task and its target."""
    out = tmp_path / "release"
    lay_out({"ckd": dataset("ckd", {"ckd.csv": CSV, "copy.csv": CSV, "other.csv": CSV.replace("1", "7")})}, out, "c1")
    lay_out({"films": dataset("films", {"films.csv": OTHER})}, out, "c2")
    texts = dict.fromkeys(("reference_code", "dataset", "notebook", "answer_guidelines"), "x")
    task = {"instance_id": 0, "question": "q", "answer": "1234", "release_community": "c1", **texts}
    (out / "coda_bench.json").write_text(json.dumps([task]))
    (out / "targets.jsonl").write_text('{"instance_id": 0, "target_files": ["ckd/ckd.csv"]}\n')
    return out


def test_the_numbers_of_a_release_are_printed_as_json(release):
    """Every community, with the targets of its tasks."""
    found = json.loads(run("environment", release, "--targets", release / "targets.jsonl", "--json").stdout)
    assert [one["community"] for one in found] == ["c1", "c2"]
    assert found[0]["signal"]["snr"] == pytest.approx(1 / 3)
    assert found[0]["look_alikes"]["share"] == 1.0
    assert found[0]["copies"][0]["paths"] == ["ckd/ckd.csv", "ckd/copy.csv"]
    assert found[0]["similarities"][0]["auc"] == 1.0
    assert found[1]["signal"]["snr"] is None


def test_the_table_has_a_row_a_community_and_details_of_one(release):
    """Words a person looks for."""
    printed = run("environment", release).stdout
    assert all(word in printed for word in ("community", "SNR", "c1", "c2"))
    details = run("environment", release, "--community", "c1", "--targets", release / "targets.jsonl").stdout
    assert "0.3333" in details
    assert "ckd/other.csv" in details


def test_a_folder_of_data_sets_is_profiled_where_it_lies(dataset, tmp_path):
    """Nothing is written there."""
    dataset("ckd", {"ckd.csv": CSV})
    found = json.loads(run("environment", tmp_path / "corpus", "--json").stdout)
    assert [(one["community"], one["n_files"]) for one in found] == [("corpus", 1)]
    assert sorted(path.name for path in (tmp_path / "corpus").rglob("*")) == ["ckd", "ckd.csv"]


def test_profiles_are_stored_when_asked_for(release):
    """An extracted community has none at first; the second time they are read."""
    folder = release / "communities" / "c1"
    before = (folder / "profile.jsonl").read_bytes()
    for name in ("profile.jsonl", "findings.jsonl", "environment.json"):
        (folder / name).unlink()
    run("environment", release, "--save")
    assert (folder / "profile.jsonl").read_bytes() == before
    assert (folder / "environment.json").is_file()


def test_what_cannot_be_shown_is_one_line(tmp_path):
    """A folder that is not there, one without files, a community that is not there."""
    assert "no such folder" in run("environment", tmp_path / "gone", code=2).stderr
    assert "no file in it" in run("environment", tmp_path, code=2).stderr
    (tmp_path / "a.csv").write_text(CSV)
    assert "no community" in run("environment", tmp_path, "--community", "x", code=2).stderr
    assert "leave out --save" in run("environment", tmp_path, "--save", code=2).stderr


def test_a_cluster_that_is_not_there_is_one_line(release):
    """Also where the package is not installed."""
    (release / "communities" / "c1" / "profile.jsonl").unlink()
    printed = run("environment", release, "--ray", "127.0.0.1:1", code=2).stderr
    assert "--ray" in printed


def test_profiles_of_files_are_printed(tmp_path):
    """As a table, and as JSON; a compression and its inside."""
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(CSV.encode()))
    printed = run("profile", path).stdout
    assert "csv.gz" in printed
    assert "2 rows" in printed
    (found,) = json.loads(run("profile", path, "--json").stdout)
    assert [column["name"] for column in found["tables"][0]["columns"]] == ["age", "bp"]


def test_problems_of_files_are_the_exit_code(tmp_path):
    """1 for a problem, 2 for a file that is not there."""
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1 and no more")
    assert "broken" in run("profile", path, code=1).stdout
    assert "no such file" in run("profile", tmp_path / "gone", code=2).stderr


def test_a_name_full_of_escapes_obeys_nothing(tmp_path):
    """What a terminal would act on is not printed."""
    path = tmp_path / "x\x1b[31m.csv"
    path.write_text(CSV)
    assert "\x1b[31m" not in run("profile", path).stdout
