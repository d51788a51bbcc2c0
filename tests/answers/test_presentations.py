"""However an agent presents its parts, as lines, bullets, printed lists or JSON, they are the same answer."""

from pathlib import Path

import pytest

from coda_bench.answers.verdict import judge, spec_of
from coda_bench.records.task import load_tasks
from generation.presentations import named_presentations, presentations

TASK_FILE = Path(__file__).parents[3] / "shared" / "upstream" / "coda_bench.json"
GOLDS = [
    ("106; 93", "Format: [Count for O]; [Count for A].", ("count for o", "count for a")),
    ("South Dakota; 289", "Format: State; Count.", ("state", "count")),
    ("-5.736482; 0.000001; Stationary", "Answer format: ADF Statistic; p-value; Conclusion.", ()),
    ("March 2017 to March 2018; April 2018", "Format: 'Month Year to Month Year; Month Year'.", ()),
]


@pytest.mark.parametrize(("gold", "guideline", "names"), GOLDS)
def test_presentations_of_invented_golds_are_accepted(gold, guideline, names):
    """Each is accepted, and refused once a part is another."""
    parts = gold.split("; ")
    spec = spec_of(gold, guideline)
    if names:
        assert tuple(field.name for field in spec.fields) == names
    texts = [*presentations(parts), *(named_presentations(names, parts) if names else ())]
    assert [name for name, text in texts if not judge(text, gold, guideline).ea] == []
    other = ["Zzyx", *parts[1:]]
    wrong = [*presentations(other), *(named_presentations(names, other) if names else ())]
    assert [name for name, text in wrong if judge(text, gold, guideline).ea] == []


def test_names_of_other_fields_refuse_an_answer():
    """A part under the name of another one is wrong, whatever the order."""
    for text in ("Loser: A; Winner: B", '{"loser": "A", "winner": "B"}', "- **Loser**: A\n- **Winner**: B"):
        assert not judge(text, "A; B", "Format: Winner; Loser.").ea


@pytest.mark.skipif(not TASK_FILE.is_file(), reason="the released task file is not on this machine")
def test_presentations_of_released_golds_are_accepted():
    """About 10,000 of them, none refused."""
    n, refused = 0, []
    for task in load_tasks(TASK_FILE):
        spec = spec_of(task.answer, task.answer_guidelines, question=task.question)
        if len(spec.fields) == 1 or spec.separator != ";":
            continue
        parts = [part.strip() for part in task.answer.split(";")]
        names = [field.name for field in spec.fields]
        has_names = all(names) and len(set(names)) == len(names)
        for name, text in [*presentations(parts), *(named_presentations(names, parts) if has_names else ())]:
            n += 1
            if not judge(text, task.answer, task.answer_guidelines, question=task.question).ea:
                refused.append((task.instance_id, name))
    assert n > 9_000
    assert refused == []
