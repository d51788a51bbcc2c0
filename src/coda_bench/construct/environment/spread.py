"""Many communities: one after the other here, or spread over a Ray cluster, each community on one machine."""

import logging
import re
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from coda_bench.construct.environment.lay_out import Progress, lay_out, quiet, remeasure
from coda_bench.construct.environment.measures.measure import Tasks
from coda_bench.construct.environment.profiling.limits import Limits
from coda_bench.errors import BadInput, CodaBenchError, MissingExtra
from coda_bench.records.environment import Environment, FileProfile, load_profiles

_RETRIES = 2
_CONNECT_SECONDS = 10.0
_PLACE = re.compile(r"(?:ray://)?(?P<host>[^:/]+):(?P<port>\d+)")


class Order(NamedTuple):
    """One community to lay out."""

    community: str
    members: Mapping[str, Path]
    out: Path
    limits: Limits
    n_workers: int | None
    may_link: bool = True
    progress: Progress = quiet
    """A function of a module where another machine is to call it; what it does there is not seen here."""


class Result(NamedTuple):
    """What came of it: None, or the reason why it is not there."""

    community: str
    error: str | None


Work = Callable[[Order], None]
"""A function of a module: a cluster's machines import it by its name."""


class Executor(Protocol):
    """Where work on communities is done."""

    def carry_out(self, work: Work, orders: Sequence[Order]) -> Iterator[Result]:
        """Work on each community; yield as they are done. A failed one is a result, never an end."""


@dataclass(frozen=True)
class Local:
    """This machine: one community after the other, its files in processes."""

    def carry_out(self, work: Work, orders: Sequence[Order]) -> Iterator[Result]:
        """Work on each community in turn."""
        for order in orders:
            yield _try(work, order)


@dataclass(frozen=True)
class OnRay:
    """A Ray cluster whose machines see the same paths; coda-bench must be installed on each."""

    address: str
    """Such as `auto` or `ray://host:10001`; `local` starts Ray on this machine."""

    def carry_out(self, work: Work, orders: Sequence[Order]) -> Iterator[Result]:
        """Give each community to one machine; a machine that is lost has its communities done by another.

        Raises:
            MissingExtra: the ray package is not installed.
            BadInput: no cluster answers at the address.
        """
        ray = self._connected()
        task = ray.remote(_try).options(num_cpus=1, max_retries=_RETRIES)
        waiting = {task.remote(work, order): order.community for order in orders}
        while waiting:
            done, _ = ray.wait(list(waiting), num_returns=1)
            for one in done:
                yield _result(ray, one, waiting.pop(one))

    def _connected(self) -> Any:
        try:
            import ray  # noqa: PLC0415 an optional library
        except ImportError as error:
            raise MissingExtra("--ray needs the ray package: pip install 'coda-bench[ray]'") from error
        if not ray.is_initialized():
            _check_listening(self.address)
            try:
                ray.init(address=self.address, log_to_driver=False, logging_level=logging.ERROR)
            except (ConnectionError, ValueError, RuntimeError) as error:
                raise BadInput(f"--ray {self.address}: no cluster answers there ({error})") from error
        return ray


def _check_listening(address: str) -> None:
    """Refuse an address where nobody listens: Ray itself tries for minutes."""
    found = _PLACE.fullmatch(address)
    if found is None:
        return
    try:
        socket.create_connection((found["host"], int(found["port"])), timeout=_CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise BadInput(f"--ray {address}: no cluster answers there ({error})") from error


def _result(ray: Any, one: Any, community: str) -> Result:
    try:
        found: Result = ray.get(one)
    except ray.exceptions.RayError as error:
        return Result(community, f"lost with its machine: {str(error).splitlines()[0]}")
    return found


def _try(work: Work, order: Order) -> Result:
    try:
        work(order)
    except CodaBenchError as error:
        return Result(order.community, str(error))
    return Result(order.community, None)


def _lay_out(order: Order) -> None:
    lay_out(
        order.members,
        order.out,
        order.community,
        limits=order.limits,
        n_workers=order.n_workers,
        may_link=order.may_link,
        progress=order.progress,
    )


def lay_out_communities(
    communities: Mapping[str, Mapping[str, Path]],
    out: Path,
    *,
    tasks: Mapping[str, Tasks] | None = None,
    executor: Executor | None = None,
    limits: Limits | None = None,
    n_workers: int | None = None,
    may_link: bool = True,
    embed: bool = False,
    progress: Progress = quiet,
) -> tuple[dict[str, Environment], dict[str, str]]:
    """Lay out several communities, then compare each one's noise with files of the others.

    Args:
        communities: by name, the folder of each member data set by its id.
        out: the release directory.
        tasks: targets and answers of the tasks of each community, where there are any.
        executor: where; by default this machine.
        limits: what profiling one file may cost.
        n_workers: processes that profile the files of one community.
        may_link: whether hard links to the sources may stand for copies.
        embed: whether to take similarities by embeddings.
        progress: called after each file, of the community at hand; on a cluster a function of a module.

    Returns:
        The environments, and by name the reason of each community that could not be laid out.
    """
    orders = [
        Order(name, members, out, limits or Limits(), n_workers, may_link, progress)
        for name, members in communities.items()
    ]
    results = list((executor or Local()).carry_out(_lay_out, orders))
    failed = {one.community: one.error for one in results if one.error is not None}
    names = sorted(set(communities) - set(failed))
    profiles = {name: load_profiles(out / "communities" / name / "profile.jsonl") for name in names}
    found = {
        name: remeasure(
            out / "communities" / name,
            tasks=(tasks or {}).get(name),
            background=others(profiles, name),
            embed=embed,
        )
        for name in names
    }
    return found, failed


def others(profiles: Mapping[str, Sequence[FileProfile]], community: str) -> list[FileProfile]:
    """Return the profiles of all communities but one."""
    return [one for name, ones in sorted(profiles.items()) if name != community for one in ones]
