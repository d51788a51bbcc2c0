"""Task files of the two released schemas."""

import json
from pathlib import Path

import pytest

from coda_bench import load_tasks, map_by_question
from coda_bench.errors import BadInput

FIXTURE = Path(__file__).parents[1] / "fixtures" / "released_tasks.json"
UPSTREAM = Path(__file__).parents[3] / "shared" / "upstream"
released = pytest.mark.skipif(not UPSTREAM.is_dir(), reason="the released task files are not on this machine")


@pytest.fixture
def rows():
    return json.loads(FIXTURE.read_text("utf-8"))


@pytest.fixture
def write(tmp_path):
    def write_rows(content):
        path = tmp_path / "tasks.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        return path

    return write_rows


def test_released_rows_load_and_come_back_unchanged(rows):
    """The eight fields of v1.0.0, no field added."""
    assert [task.to_row() for task in load_tasks(FIXTURE)] == rows


def test_the_newer_schema_and_unknown_fields_are_kept(rows, write):
    """The three fields of v1.0.1 by name, others as they are."""
    newer = {"data_path": "communities/c/full_community", "source_type": "t", "source_community": "c"}
    row = {**rows[0], **newer, "difficulty": {"level": 3}}
    (task,) = load_tasks(write([row]))
    assert task.source_community == "c"
    assert task.to_row() == row


@released
@pytest.mark.parametrize(("name", "count"), [("coda_bench.json", 1009), ("coda_bench_hard.json", 119)])
def test_both_released_files_load(name, count):
    """All rows, unchanged."""
    path = UPSTREAM / name
    tasks = load_tasks(path)
    assert len(tasks) == count
    assert [task.to_row() for task in tasks] == json.loads(path.read_text("utf-8"))


@released
def test_hard_ids_map_to_full_ids_by_question():
    """The Hard file numbers its tasks anew: its 0 and 1 are 39 and 44."""
    hard, full = load_tasks(UPSTREAM / "coda_bench_hard.json"), load_tasks(UPSTREAM / "coda_bench.json")
    mapping = map_by_question(hard, full)
    assert len(mapping) == len(set(mapping.values())) == 119
    assert (mapping[0], mapping[1]) == (39, 44)


def test_a_subset_maps_by_question_answer_and_guideline(rows, write):
    """Renumbered tasks are found again; a foreign one is not."""
    full = load_tasks(FIXTURE)
    renumbered = load_tasks(write([{**row, "instance_id": id_} for id_, row in enumerate(rows[3:6])]))
    assert map_by_question(renumbered, full) == {id_: rows[id_ + 3]["instance_id"] for id_ in range(3)}
    foreign = load_tasks(write([{**rows[0], "question": "Another?"}]))
    with pytest.raises(BadInput, match="no task"):
        map_by_question(foreign, full)
    with pytest.raises(BadInput, match="tasks"):
        map_by_question(full[:1], [*full, full[0]])


@pytest.mark.parametrize("content", ["", "{}", "[]", "null", "[1]", "[[]]", "nonsense", "[" * 100_000])
def test_what_is_no_task_file_is_bad_input(write, content):
    """The message names the file."""
    with pytest.raises(BadInput, match=r"tasks\.json"):
        load_tasks(write(content))


def test_a_malformed_task_is_named_by_index_and_id(rows, write):
    """So that it can be found in the file."""
    del rows[1]["question"]
    with pytest.raises(BadInput, match=rf"index 1 \(instance_id {rows[1]['instance_id']}\): question: Field required"):
        load_tasks(write(rows))


@pytest.mark.parametrize("value", ["3", 3.0, True, None])
def test_an_id_is_an_integer_and_nothing_like_it(rows, write, value):
    """Strings, floats and booleans are refused."""
    with pytest.raises(BadInput, match="instance_id"):
        load_tasks(write([{**rows[0], "instance_id": value}]))


def test_repeated_ids_are_refused(rows, write):
    """Scores could not say which of the two was meant."""
    with pytest.raises(BadInput, match="more than once"):
        load_tasks(write([rows[0], rows[0]]))
