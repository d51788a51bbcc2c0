"""Tasks and predictions files for the tests of scoring."""

import json

import pytest

TEXTS = ("question", "answer_guidelines", "reference_code", "dataset", "notebook")


@pytest.fixture
def gold_file(tmp_path):
    """A task file with ids 0 to 2."""
    path = tmp_path / "gold.json"
    answers = [("38%", "community_1"), ("106; 93", "community_1"), ("Bobcat", "community_2")]
    rows = [
        {"instance_id": id_, "answer": answer, "release_community": community, **dict.fromkeys(TEXTS, "x")}
        for id_, (answer, community) in enumerate(answers)
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
