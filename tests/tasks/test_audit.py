"""Each class of defect is found where it is, and not in a task that nearly has it."""

import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coda_bench.records.audit import AuditSeverity, DefectClass
from coda_bench.records.task import Task, load_tasks
from coda_bench.tasks.audit.audit import audit_tasks
from coda_bench.tasks.audit.page import audit_page

TASK_FILE = Path(__file__).parents[3] / "shared" / "upstream" / "coda_bench.json"
NAMES = "Format: Name; Count. List the two."

READ = "import pandas as pd\na = pd.read_csv('a.csv').x.sum()\n"

CASES = [
    (
        "gold_not_an_answer",
        {"answer": "A table with one row per city. Each row should contain the count."},
        {"answer": "A table for two", "question": "Which song is played most often?"},
    ),
    ("gold_not_an_answer", {"answer": "Not Applicable"}, {"answer": "0"}),
    (
        "gold_not_an_answer",
        {
            "answer": "Action must be a concise phrase describing the step",
            "answer_guidelines": "Answer format: 'Count; Action'. Action must be a concise phrase describing the step.",
        },
        {
            "answer": "Fail to reject the null hypothesis at all levels",
            "answer_guidelines": "'Reject the null hypothesis' or 'Fail to reject the null hypothesis at all levels'.",
        },
    ),
    (
        "annotator_note",
        {"question": "add the London condition"},
        {"question": "Count rows?"},
    ),
    ("annotator_note", {"question": "加上条件这里 boroughs only"}, {"question": "Which city is 東京 in?"}),
    (
        "gold_incomplete",
        {"answer": "5; 6", "answer_guidelines": "Format: 'City; Mean; Median'."},
        {"answer": "X; 5; 6; Y; 7; 8", "answer_guidelines": "Format: 'City; Mean; Median', repeated."},
    ),
    (
        "gold_against_guideline",
        {"answer": "3.251"},
        {"answer": "3.25"},
    ),
    (
        "gold_against_guideline",
        {"answer": "5%", "answer_guidelines": "An integer. Do not include the percentage sign."},
        {"answer": "5", "answer_guidelines": "An integer. Do not include the percentage sign."},
    ),
    (
        "gold_against_guideline",
        {"answer": "Pears; Apples", "answer_guidelines": "List both in alphabetical order."},
        {"answer": "Apples; Pears", "answer_guidelines": "List both in alphabetical order."},
    ),
    (
        "question_answer_mismatch",
        {"question": "How many orders were late?", "answer": "Blue Carrier"},
        {"question": "How many orders were late, and by which carrier?", "answer": "Blue Carrier"},
    ),
    (
        "question_answer_mismatch",
        {"question": "Which company hires most?", "answer": "Ore; 5", "answer_guidelines": "Format: 'Industry; Share'"},
        {"question": "Which company hires most?", "answer": "Ace; 5", "answer_guidelines": "Format: 'Company; Share'"},
    ),
    (
        "output_shape",
        {"answer": "5; 6", "reference_code": "import pandas as pd\na = pd.read_csv('a.csv').x.sum()\nprint(f'{a}')\n"},
        {
            "answer": "5; 6",
            "reference_code": "import pandas as pd\na = pd.read_csv('a.csv').x.sum()\nprint(f'{a}; {a}')",
        },
    ),
    (
        "leaked_answer",
        {"answer": "Skewed right", "answer_guidelines": "Use 'Skewed right' for a tail to the right."},
        {"answer": "Skewed right", "answer_guidelines": "Use 'Skewed right' or 'Skewed left'."},
    ),
    (
        "leaked_answer",
        {"answer": "1284", "question": "How many of the 1,284 orders were shipped?"},
        {"answer": "1284", "question": "How many of the 12,841 orders were shipped?"},
    ),
    (
        "hidden_notebook",
        {"question": "What cause is mentioned in the notebook for the low prices?"},
        {"question": "Which hosted notebook product is used most, by kernel density?"},
    ),
    (
        "gold_literal_in_code",
        {
            "answer": "1284; Blue",
            "reference_code": "import pandas as pd\npd.read_csv('a')\nprint(f'{1284}; ' + 'Blue')",
        },
        {"answer": "1284; Blue", "reference_code": "import pandas as pd\npd.read_csv('a')\nprint(1283, 'Blue')"},
    ),
    ("no_computation", {"reference_code": "  "}, {}),
    ("no_computation", {"reference_code": "print('5')"}, {}),
    (
        "inline_data",
        {"reference_code": "import pandas as pd\nprint(pd.DataFrame({'a': [1]}).a.mean())"},
        {"reference_code": "import pandas as pd\nprint(pd.read_csv('a.csv').a.mean())"},
    ),
    ("unparsable_code", {"reference_code": "print 'Python 2'"}, {"reference_code": "open('a')\nprint('Python 3')"}),
    (
        "unseeded_randomness",
        {"reference_code": "import pandas as pd\nprint(pd.read_csv('a').sample(5).x.mean())"},
        {"reference_code": "import pandas as pd\nprint(pd.read_csv('a').sample(5, random_state=1).x.mean())"},
    ),
    (
        "seeded_randomness",
        {"reference_code": "import numpy as np\nnp.random.seed(1)\nprint(open('a').read(), np.random.rand())"},
        {"reference_code": "import numpy as np\nprint(open('random.csv').read(), np.mean([1]))"},
    ),
    (
        "dummy_data",
        {"reference_code": READ + "# create dummy data if missing\nd = pd.DataFrame({})"},
        {"reference_code": READ + "# dummy variables for each language\nd = pd.get_dummies(a)"},
    ),
    (
        "network",
        {"reference_code": "import pandas as pd\npd.read_csv('https://example.org/a.csv')"},
        {"reference_code": "import pandas as pd  # from https://example.org/a.csv\npd.read_csv('a.csv')"},
    ),
    (
        "free_text",
        {
            "answer": "Prices rose because fewer orders were shipped late in the year",
            "answer_guidelines": "A concise phrase.",
        },
        {"answer": "Blue Carrier"},
    ),
    (
        "approximate_wording",
        {"question": "What is the approximate price at the peak?"},
        {"question": "In the data of approximately 5,000 orders, what is the price at the peak?"},
    ),
    ("file_named", {"question": "How many rows has orders.csv?"}, {"question": "How many rows have orders?"}),
    (
        "non_english",
        {"question": "在清理后, what is the mean price of orders?"},
        {"question": "What is São Paulo's μ?"},
    ),
    (
        "outside_paths",
        {"reference_code": "import pandas as pd\npd.read_csv('/kaggle/input/a/b.csv')"},
        {"reference_code": "import pandas as pd\npd.read_csv('a/source/b.csv')"},
    ),
    (
        "third_party",
        {"reference_code": "import geopandas\ngeopandas.read_file('a')"},
        {"reference_code": "import math"},
    ),
]


@pytest.mark.parametrize(
    ("defect", "has_it", "nearly"), CASES, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_defect_is_found_where_it_is(make_task, defect, has_it, nearly):
    """The finding names the task and quotes evidence; the near miss has none of that class."""
    found = audit_tasks([make_task(**has_it), make_task(**nearly)])
    assert found.ids_of(DefectClass(defect)) == {0}
    assert all(finding.evidence for finding in found.findings if finding.defect == defect)


def test_every_class_has_a_case():
    """No detector is without a test; those about several tasks are below."""
    together = {"conflicting_duplicates", "contradicting_golds", "exact_duplicate", "same_answer", "over_represented"}
    assert {defect for defect, _, _ in CASES} | together | {"missing_targets"} == {item.value for item in DefectClass}


def test_a_sound_task_has_no_finding(make_task):
    """The task the other tests start from is clean."""
    assert audit_tasks([make_task(), make_task()]).findings == ()


def test_repeated_questions_are_told_apart_from_contradicting_ones(make_task):
    """Equal golds make a duplicate, other golds a contradiction that no score can survive."""
    question = "How many streets have exactly one record?"
    same = [make_task(question=question, answer="129934"), make_task(question=question.upper(), answer="129,934")]
    found = audit_tasks(same)
    assert found.ids_of(DefectClass.EXACT_DUPLICATE) == {0, 1}
    assert found.fatal_ids == set()
    other = [make_task(question=question, answer="1"), make_task(question=question, answer="2")]
    assert audit_tasks(other).fatal_ids == {2, 3}


@pytest.mark.parametrize(
    ("one", "other", "conflicts"),
    [
        ("What was the average number of orders per day?", "What was the average daily number of orders?", True),
        ("How many orders were late in 2019?", "How many orders were late in 2020?", False),
        ("What is the mean price for Ohio?", "What is the mean price for Utah?", False),
        ("Which carrier is fastest?", "Which carrier is slowest?", False),
    ],
)
def test_nearly_equal_questions_conflict_when_their_golds_do(make_task, one, other, conflicts):
    """Other numbers, names or words of weight make another question."""
    found = audit_tasks([make_task(question=one, answer="5"), make_task(question=other, answer="6")])
    assert found.ids_of(DefectClass.CONFLICTING_DUPLICATES) == ({0, 1} if conflicts else set())
    agreeing = audit_tasks([make_task(question=one, answer="5"), make_task(question=other, answer="5")])
    assert agreeing.ids_of(DefectClass.CONFLICTING_DUPLICATES) == set()


def test_telling_golds_that_recur_and_large_notebooks_are_noted(make_task):
    """Within a community; a yes or a small number recurs by chance."""
    tasks = [make_task(answer="Blue Carrier; 74.25") for _ in range(3)] + [make_task(answer="Yes") for _ in range(3)]
    assert audit_tasks(tasks).ids_of(DefectClass.SAME_ANSWER) == {0, 1, 2}
    many = [make_task(notebook="big") for _ in range(12)] + [make_task() for _ in range(3)]
    assert audit_tasks(many).ids_of(DefectClass.OVER_REPRESENTED) == set(range(6, 18))


def test_tasks_without_targets_are_found_where_provenance_is_given(make_task):
    """Without provenance nothing is said."""
    tasks = [make_task(), make_task()]
    assert audit_tasks(tasks).ids_of(DefectClass.MISSING_TARGETS) == set()
    assert audit_tasks(tasks, {0: ("a.csv",)}).ids_of(DefectClass.MISSING_TARGETS) == {1}


texts = st.text(max_size=60) | st.sampled_from(["(" * 300, "f'{" * 90, "\ud800", "a; " * 50, "'a' or 'b'", "é" * 50])


@settings(max_examples=60)
@given(st.lists(st.tuples(texts, texts, texts, texts), max_size=4))
def test_no_task_makes_the_audit_fail(rows):
    """Whatever its texts are, a task is looked at and shown."""
    tasks = [
        Task(
            instance_id=n,
            question=question,
            answer=answer,
            answer_guidelines=guideline,
            reference_code=code,
            dataset="",
            notebook="",
            release_community="c",
        )
        for n, (question, answer, guideline, code) in enumerate(rows)
    ]
    found = audit_tasks(tasks)
    assert "<!doctype html>" in audit_page(found, tasks, title="x")
    assert found.fatal_ids <= {task.instance_id for task in tasks}


def test_the_page_escapes_what_tasks_say(make_task):
    """No markup of a task reaches the page."""
    task = make_task(answer="<script>alert(1)</script> must be <b>", question="<img src=x onerror=alert(1)>")
    page = audit_page(audit_tasks([task]), [task], title="<title>")
    assert "<script>" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.skipif(not TASK_FILE.is_file(), reason="the released task file is not on this machine")
def test_the_documented_figures_of_the_labelled_sample_hold():
    """The sample is the one its seed draws; right, found and missed are those of docs/guide/audit.md."""
    tasks = load_tasks(TASK_FILE)
    known = json.loads(Path(__file__).with_name("audit_sample.json").read_text())
    ids = sorted(task.instance_id for task in tasks)
    sample = set(random.Random(known["seed"]).sample(ids, 100))  # noqa: S311 the same draw each time
    found = audit_tasks(tasks)
    page = (Path(__file__).parents[2] / "docs" / "guide" / "audit.md").read_text("utf-8")
    figures = re.findall(r"^\| `(\w+)` \| (\d+) \| .* \| (\d+) of (\d+) \| (\d+) \|$", page, re.MULTILINE)
    for name, *numbers in figures:
        labelled = set(known["labels"].get(name, ()))
        assert labelled <= sample
        own = found.ids_of(DefectClass(name)) & sample
        assert [int(number) for number in numbers] == [
            len(labelled),
            len(own & labelled),
            len(own),
            len(labelled - own),
        ], name
    assert set(known["labels"]) <= {name for name, *_ in figures}
    assert found.fatal_ids & sample == set(known["fatal"])


@pytest.mark.skipif(not TASK_FILE.is_file(), reason="the released task file is not on this machine")
def test_the_released_defects_that_anyone_can_check():
    """Facts of the released file: three golds that are none, one note, one program that is none, one contradiction."""
    found = audit_tasks(load_tasks(TASK_FILE))
    assert found.ids_of(DefectClass.GOLD_NOT_AN_ANSWER) == {4, 534, 855}
    assert found.ids_of(DefectClass.ANNOTATOR_NOTE) == {21}
    assert found.ids_of(DefectClass.UNPARSABLE_CODE) == {907}
    assert found.ids_of(DefectClass.CONTRADICTING_GOLDS) == {248, 249}
    assert found.ids_of(DefectClass.NON_ENGLISH) == {4, 21, 24, 25, 63, 240}
    assert all(finding.severity in AuditSeverity for finding in found.findings)
