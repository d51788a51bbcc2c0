"""Homes: which of the communities that were found each task belongs to."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from coda_bench.demo.tasks import DemoTask
from coda_bench.errors import BadInput


class HomedTask(NamedTuple):
    """A task in the community that holds its data."""

    number: int
    """Its instance id."""
    task: DemoTask
    community: str


def find_homes(tasks: Sequence[DemoTask], communities: Mapping[str, Collection[str]]) -> tuple[HomedTask, ...]:
    """Set every task in the one community that holds all of its data sets.

    Args:
        tasks: in the order of their instance ids.
        communities: the data sets of each community, as slugs or as `owner/slug`.

    Raises:
        BadInput: a task's data sets lie in several communities, or one of them in none; all such tasks are named.
    """
    home = {dataset.rpartition("/")[2]: community for community, some in communities.items() for dataset in some}
    homeless = [problem for number, task in enumerate(tasks) if (problem := _problem(number, task, home))]
    if homeless:
        raise BadInput("\n".join(homeless))
    return tuple(HomedTask(number, task, home[task.datasets[0]]) for number, task in enumerate(tasks))


def _problem(number: int, task: DemoTask, home: Mapping[str, str]) -> str:
    found = {dataset: home.get(dataset) for dataset in task.datasets}
    if len(set(found.values())) == 1 and None not in found.values():
        return ""
    places = ", ".join(f"{dataset} in {community or 'none'}" for dataset, community in found.items())
    return (
        f"task {task.theme}/{task.program} (instance_id {number}): no community holds all of its data sets "
        f"({places}); write a notebook that uses them together, or choose other communities"
    )
