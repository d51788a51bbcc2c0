"""Tasks and predictions files for the tests of scoring."""

import json

import pytest

from coda_bench.records.task import Task


def make_task(instance_id, answer="38%", *, community="community_1", guideline="", **fields):
    """Return a task with the fields that matter to scoring."""
    return Task(
        instance_id=instance_id,
        question="How much?",
        answer=answer,
        answer_guidelines=guideline,
        reference_code="",
        dataset="set",
        notebook="notebook",
        release_community=community,
        **fields,
    )


@pytest.fixture
def gold_file(tmp_path):
    """A task file with ids 0 to 2."""
    path = tmp_path / "gold.json"
    rows = [
        make_task(0).to_row(),
        make_task(1, "106; 93").to_row(),
        make_task(2, "Bobcat", community="community_2").to_row(),
    ]
    path.write_text(json.dumps(rows), "utf-8")
    return path


@pytest.fixture
def pred_file(tmp_path):
    """A function that writes a predictions file from bytes, text or rows, and returns its path."""

    def write(content):
        path = tmp_path / "predictions.jsonl"
        if isinstance(content, list):
            content = "".join(json.dumps(row) + "\n" for row in content)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return path

    return write
