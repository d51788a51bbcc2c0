"""Tasks made of the few words a test is about."""

import pytest

from coda_bench.records.task import Task

CODE = "import pandas as pd\ndf = pd.read_csv('sales/source/orders.csv')\nprint(f\"{df['price'].mean():.2f}\")\n"


@pytest.fixture
def make_task():
    """A function that makes a sound task and changes what it is told to."""
    ids = iter(range(1000))

    def make(**changes):
        n = next(ids)
        fields = {
            "instance_id": n,
            "question": f"What is the mean price of the orders shipped by carrier {n}?",
            "answer": f"{n + 3}.25",
            "answer_guidelines": "Answer must be a single number rounded to 2 decimal places.",
            "reference_code": CODE,
            "dataset": "sales",
            "notebook": f"notebook-{n}",
            "release_community": "community_1",
        }
        return Task.model_validate(fields | changes)

    return make
