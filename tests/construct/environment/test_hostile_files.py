"""Files made to cost their reader dear: each costs a bounded part of time and memory, and becomes a problem."""

import gzip
import hashlib
import io
import json
import os
import signal
import sqlite3
import zipfile
from pathlib import Path

import pytest

from coda_bench.construct.environment.profiling.limits import Limits
from coda_bench.construct.environment.profiling.pool import Job, Pool

MIB = 1 << 20


def kinds(profile):
    return [problem.kind for problem in profile.problems]


def workbook_bomb(n_bytes):
    """A workbook whose one sheet unpacks to many bytes of nothing."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as part:
            for _ in range(n_bytes // MIB):
                part.write(b" " * MIB)
    return sink.getvalue()


def test_a_workbook_that_unpacks_to_too_much_is_not_read(profiled):
    """600 MiB in 600 kB."""
    found = profiled(workbook_bomb(600 * MIB), "x.xlsx")
    assert (found.format, found.read, kinds(found)) == ("xlsx", "nothing", ["broken"])
    assert "unpack to" in found.problems[0].message


def test_a_compressed_file_that_unpacks_to_too_much_is_not_read(profiled):
    """The bound on what may come out holds for each layer."""
    found = profiled(gzip.compress(b"\0" * (64 * MIB)), "x.csv.gz", unpacked_bytes=MIB)
    assert (found.format, found.read, kinds(found)) == ("gz", "nothing", ["broken"])
    assert "more than 1048576 bytes" in found.problems[0].message


def test_a_quine_of_layers_is_not_followed(profiled):
    """Four compressions around a table; two are taken off."""
    content = b"a,b\n1,2\n3,4\n"
    for _ in range(4):
        content = gzip.compress(content)
    found = profiled(content, "x.gz")
    assert kinds(found) == ["too_many_layers"]


def test_a_database_runs_nothing_of_its_own(profiled, tmp_path):
    """Views that never end, triggers and virtual tables stay as they are; plain tables are counted."""
    path = tmp_path / "made.db"
    with sqlite3.connect(path) as connection:
        connection.executescript("""
            create table plain (a integer, b as (a + 1));
            insert into plain values (1), (2);
            create view forever as with recursive n(i) as (select 1 union all select i + 1 from n) select * from n;
            create trigger t after insert on plain begin delete from plain; end;
            create virtual table words using fts5(text);
        """)
    connection.close()
    found = profiled(path.read_bytes(), "x.db")
    assert found.tables[0].name == "plain"
    assert found.tables[0].rows == 2
    assert "forever" not in {one.name for one in found.tables}
    assert kinds(found) == ["virtual_table"]


def test_a_database_beside_a_journal_is_read_as_it_is_and_nothing_is_written(profiled, tmp_path):
    """Opening one usually rolls its journal back."""
    path = tmp_path / "made.db"
    with sqlite3.connect(path) as connection:
        connection.execute("create table t (a)")
    connection.close()
    profiled(b"", "x.db-journal")
    found = profiled(path.read_bytes(), "x.db")
    assert found.tables[0].rows == 0
    assert sorted(one.name for one in (tmp_path / "made").iterdir()) == ["x.db", "x.db-journal"]


def test_entities_that_multiply_are_not_expanded(profiled):
    """A billion laughs: expat itself stops them."""
    laughs = "".join(f'<!ENTITY l{n} "{"".join([f"&l{n - 1};"] * 10)}">' for n in range(1, 12))
    found = profiled(f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "ha">{laughs}]><x>&l11;</x>', "x.xml")
    assert kinds(found) == ["malformed"]


def test_an_entity_from_outside_is_not_fetched(profiled, tmp_path):
    """Neither a file nor an address is opened."""
    secret = tmp_path / "secret"
    secret.write_text("do not read")
    text = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY s SYSTEM "file://{secret}">]><x>&s;</x>'
    assert "do not read" not in profiled(text, "x.xml").to_line()


def test_one_endless_line_costs_no_memory(in_worker, tmp_path):
    """A header, and a line of 300 MiB, in a process that may not use that much."""
    path = tmp_path / "x.csv"
    with path.open("wb") as out:
        out.write(b"a,b\n1,2\n3,4\n")
        for _ in range(300):
            out.write(b"x" * MIB)
    found = in_worker(path, memory_bytes=1500 * MIB)["x.csv"].profile
    assert kinds(found) == ["long_line"]
    assert found.tables[0].rows is None


def test_a_line_of_json_without_end_is_not_held(in_worker, tmp_path):
    """One object a line, the third of them of 100 MiB."""
    path = tmp_path / "x.jsonl"
    with path.open("wb") as out:
        out.write(b'{"a": 1}\n{"a": 2}\n{"a": "')
        for _ in range(100):
            out.write(b"x" * MIB)
        out.write(b'"}\n')
    found = in_worker(path, memory_bytes=1500 * MIB)["x.jsonl"].profile
    assert (found.read, kinds(found)) == ("nothing", ["broken"])


def test_what_needs_too_much_memory_is_a_problem_of_that_file_alone(in_worker, tmp_path):
    """A document of 40 MiB of little lists, and a table beside it, in processes with 1 GiB."""
    big, small = tmp_path / "big.json", tmp_path / "small.csv"
    big.write_bytes(b"[" + b",".join([b"[[],[]]"] * (5 * MIB)) + b"]")
    small.write_text("a,b\n1,2\n3,4\n")
    found = in_worker(big, small, memory_bytes=1 << 30)
    assert found["big.json"].profile.read == "nothing"
    assert kinds(found["big.json"].profile)[0] in {"out_of_memory", "crashed"}
    assert found["small.csv"].profile.tables[0].rows == 2


def test_a_file_that_takes_too_long_is_hashed_and_noted(in_worker, tmp_path):
    """A hundredth of a second is not enough to start a process."""
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2\n")
    found = in_worker(path, seconds=0.01)["x.csv"].profile
    assert (found.read, kinds(found)) == ("nothing", ["too_slow"])
    assert found.sha256 == hashlib.sha256(b"a,b\n1,2\n").hexdigest()


def test_a_killed_worker_loses_no_file(tmp_path):
    """All workers are killed at three outcomes; every file has a profile in the end, or was hashed."""
    paths = [tmp_path / f"{n}.csv" for n in range(12)]
    for path in paths:
        path.write_text("a,b\n1,2\n3,4\n" * 2_000)
    jobs = [Job(path, path.name, path.stat().st_size) for path in paths]
    found = {}
    with Pool(n_workers=2) as pool:
        for n, outcome in enumerate(pool.profile(jobs)):
            found[outcome.job.name] = outcome
            if n < 3:  # as often as a file may be given up and hashed by another one
                for worker in list(pool._workers):  # noqa: SLF001 nobody outside has reason to know them
                    os.kill(worker.process.pid, signal.SIGKILL)
    assert sorted(found) == sorted(path.name for path in paths)
    assert all(outcome.profile and outcome.profile.bytes == 24_000 for outcome in found.values())
    assert {outcome.profile.read for outcome in found.values()} <= {"whole", "nothing"}


def test_a_file_that_goes_away_is_an_outcome(tmp_path):
    """No exception, and a reason."""
    path = tmp_path / "x.csv"
    path.write_text("a")
    jobs = [Job(path, "x.csv", 1)]
    path.unlink()
    with Pool(n_workers=1) as pool:
        (outcome,) = pool.profile(jobs)
    assert outcome.profile is None
    assert "No such file" in outcome.error


def test_a_worker_is_told_no_secrets(tmp_path, monkeypatch):
    """It reads files that nobody vouches for: keys in the environment stay with its parent."""
    monkeypatch.setenv("SOME_API_KEY", "s3cret")
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2\n")
    with Pool(n_workers=1) as pool:
        for _ in pool.profile([Job(path, "x", 8)]):
            environments = [Path(f"/proc/{one.process.pid}/environ").read_bytes() for one in pool._workers]  # noqa: SLF001
    assert len(environments) == 1
    assert b"s3cret" not in environments[0]


def test_nothing_is_left_of_a_pool(tmp_path):
    """Folders for unpacked files go with it."""
    (tmp_path / "temp").mkdir()
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n"))
    with Pool(n_workers=1, temp=tmp_path / "temp") as pool:
        list(pool.profile([Job(path, "x", 10)]))
    assert list((tmp_path / "temp").iterdir()) == []


def test_names_of_columns_that_are_no_text_can_be_stored(profiled):
    """Half of a surrogate pair as a key, control characters, a name of a megabyte."""
    found = profiled(json.dumps([{"\ud800": 1, "\x1b[31m": 2, "x" * MIB: 3}]), "x.json")
    assert [len(column.name) for column in found.tables[0].columns] == [1, 5, 200]
    found.to_line().encode("utf-8")


def test_a_zip_that_lies_about_its_sizes_is_noted(profiled):
    """The directory says 10 bytes, 10 MiB come out: no more than it says is unpacked."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", b"\0" * (10 * MIB))
    content = sink.getvalue().replace((10 * MIB).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert kinds(profiled(content, "x.zip")) == ["broken_member"]


@pytest.mark.parametrize("seed", range(8))
def test_bytes_at_random_below_a_known_beginning_never_raise(profiled, seed):
    """Every signature, followed by noise."""
    import random  # noqa: PLC0415

    noise = random.Random(seed).randbytes(3_000)  # noqa: S311
    for begin in (
        b"PAR1",
        b"ARROW1\0\0",
        b"ORC\xff",
        b"PK\x03\x04",
        b"\x1f\x8b\x08",
        b"BZh91AY&SY",
        b"\xfd7zXZ\0",
        b"\x28\xb5\x2f\xfd",
        b"SQLite format 3\0",
        b"\x93NUMPY\x01\0",
        b"<stata_dta>",
        b"\x73\x02\x01\0",
        b"[",
        b"{",
        b"<?xml ",
        b"a,b\n",
        b"FEA1",
    ):
        found = profiled(begin + noise, "x")
        assert found.bytes == len(begin) + 3_000


def test_the_limits_grow_with_the_file():
    """120 seconds, and 240 more for each GiB."""
    assert Limits().deadline(0) == 120
    assert Limits().deadline(2 << 30) == 600
