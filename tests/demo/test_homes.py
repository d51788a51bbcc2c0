"""Setting tasks in the communities that were found."""

import pytest

from coda_bench.demo.catalog import load_catalog
from coda_bench.demo.homes import find_homes
from coda_bench.demo.tasks import load_demo_tasks
from coda_bench.errors import BadInput

TASKS = load_demo_tasks(load_catalog().themes)
ONE = next(task for task in TASKS if task.program == "share_of_rainy_days")
TWO = next(task for task in TASKS if task.program == "emissions_by_region")


def test_a_task_lives_where_its_data_lie():
    """Data sets may be named with their owner or without; the number is the task's place."""
    members = {"c1": ["somebody/west-coast-weather"], "c2": ["nations-in-figures", "o/carbon-emissions-by-nation", "x"]}
    homes = find_homes([TWO, ONE], members)
    assert [(home.number, home.task, home.community) for home in homes] == [(0, TWO, "c2"), (1, ONE, "c1")]


def test_a_task_whose_data_are_split_is_named_with_where_they_lie():
    """And with what can be done."""
    members = {"c1": ["west-coast-weather", "nations-in-figures"], "c2": ["carbon-emissions-by-nation"]}
    with pytest.raises(BadInput) as caught:
        find_homes([ONE, TWO], members)
    assert str(caught.value) == (
        "task places/emissions_by_region (instance_id 1): no community holds all of its data sets "
        "(nations-in-figures in c1, carbon-emissions-by-nation in c2); "
        "write a notebook that uses them together, or choose other communities"
    )


def test_a_data_set_that_stands_alone_is_in_none():
    """All homeless tasks are told of at once."""
    with pytest.raises(BadInput, match=r"(?s)rainy_days.*weather in none.*emissions_by_region.*figures in none"):
        find_homes([ONE, TWO], {"c1": ["carbon-emissions-by-nation"]})
