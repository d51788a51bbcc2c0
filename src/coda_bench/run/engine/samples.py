"""One of the engine's finished samples as an Attempt: status first, score never."""

from collections.abc import Mapping

from inspect_ai.log import EvalSample
from inspect_ai.model import ModelUsage

from coda_bench.records.attempt import Attempt, AttemptStatus, Usage
from coda_bench.records.run import RunConfig
from coda_bench.run.engine.solving import GATHERED, OUTCOME, STARTED, AgentEnd, Gathered, Outcome
from coda_bench.run.prices import Price, Tokens, cost_usd, price_of

_LIMITS = {
    "time": AttemptStatus.LIMIT_TIME,
    "working": AttemptStatus.LIMIT_TIME,
    "message": AttemptStatus.LIMIT_MESSAGES,
    "turn": AttemptStatus.LIMIT_MESSAGES,
    "token": AttemptStatus.LIMIT_TOKENS,
    "cost": AttemptStatus.LIMIT_COST,
    "operator": AttemptStatus.CANCELLED,
}
_AGENT_ENDS = {
    AgentEnd.FAILED: AttemptStatus.AGENT_FAILED,
    AgentEnd.MODEL_FAILED: AttemptStatus.MODEL_FAILED,
    AgentEnd.SANDBOX_LOST: AttemptStatus.SANDBOX_LOST,
}


def attempt_of(
    sample: EvalSample, config: RunConfig, *, retries: int, log: str, prices: Mapping[str, Price]
) -> Attempt:
    """Build the journal's row.

    Args:
        sample: as the engine hands it over when it has ended.
        config: the run.
        retries: earlier attempts at the same key that the machine ended.
        log: name of the engine's log file, relative to the run directory.
        prices: the user's own prices.
    """
    gathered = Gathered.model_validate(sample.store.get(GATHERED) or {})
    status, error = _status(sample, gathered)
    return Attempt(
        instance_id=sample.metadata["instance_id"],
        epoch=sample.metadata["epoch"],
        agent=config.agent,
        model=config.model,
        setting=config.setting,
        status=status,
        answer=gathered.answer,
        answer_source=gathered.answer_source,
        error=error,
        file_access=gathered.file_access,
        sandbox=gathered.sandbox,
        usage=_usage(sample, prices),
        wall_seconds=round(sample.total_time or 0.0, 3),
        working_seconds=round(sample.working_time or 0.0, 3),
        code_generated=gathered.code,
        num_retries=retries,
        started_at=str(sample.started_at or ""),
        log=log,
    )


def _status(sample: EvalSample, gathered: Gathered) -> tuple[AttemptStatus, str | None]:
    """Decide how the attempt ended; the machine's trouble outranks limits, limits outrank the agent's own end."""
    failure = _machine_failure(sample, gathered)
    if failure:
        return failure
    if sample.limit:
        return _LIMITS.get(sample.limit.type, AttemptStatus.AGENT_FAILED), _limit_line(sample)
    stored = sample.store.get(OUTCOME)
    outcome = Outcome.model_validate(stored) if stored else Outcome(end=AgentEnd.FINISHED)
    if outcome.end in _AGENT_ENDS:
        return _AGENT_ENDS[outcome.end], outcome.message
    if sample.error or not sample.store.get(GATHERED):
        return AttemptStatus.HARNESS_FAILED, _line(sample.error.message if sample.error else "nothing was gathered")
    return (AttemptStatus.ANSWERED if gathered.answer else AttemptStatus.NO_ANSWER), None


def _machine_failure(sample: EvalSample, gathered: Gathered) -> tuple[AttemptStatus, str] | None:
    if sample.error and "Cancelled" in sample.error.message:
        return AttemptStatus.CANCELLED, "the run was interrupted"
    if not sample.store.get(STARTED):
        message = sample.error.message if sample.error else "no reason given"
        return AttemptStatus.SANDBOX_LOST, f"the sandbox did not start: {_line(message)}"
    return (AttemptStatus.SANDBOX_LOST, gathered.lost) if gathered.lost else None


def _line(text: str) -> str:
    return " ".join(text.split())[:1000]


def _limit_line(sample: EvalSample) -> str:
    if not sample.limit:
        return ""
    actual = {
        "time": f"{sample.total_time or 0:.1f} s",
        "working": f"{sample.working_time or 0:.1f} s",
        "message": f"{len(sample.messages)} messages",
        "token": f"{sum(use.total_tokens for use in sample.model_usage.values())} tokens",
    }.get(sample.limit.type, "reached")
    return f"{sample.limit.type} limit: configured {sample.limit.limit:g}, actual {actual}"


def _usage(sample: EvalSample, prices: Mapping[str, Price]) -> Usage:
    used = sample.model_usage
    turns = sum(1 for event in sample.events if event.event == "model")
    return Usage(
        turns=turns or sum(1 for message in sample.messages if message.role == "assistant" and used),
        input_tokens=sum(_input(use) for use in used.values()),
        output_tokens=sum(use.output_tokens for use in used.values()),
        cache_read_tokens=sum(use.input_tokens_cache_read or 0 for use in used.values()),
        reasoning_tokens=sum(use.reasoning_tokens or 0 for use in used.values()),
        cost_usd=_cost(used, prices),
    )


def _input(use: ModelUsage) -> int:
    return use.input_tokens + (use.input_tokens_cache_read or 0) + (use.input_tokens_cache_write or 0)


def _cost(used: Mapping[str, ModelUsage], prices: Mapping[str, Price]) -> float | None:
    total = 0.0
    for model, use in used.items():
        price = price_of(model, prices)
        if price is None:
            return None
        tokens = Tokens(
            input=use.input_tokens,
            output=use.output_tokens,
            cache_read=use.input_tokens_cache_read or 0,
            cache_write=use.input_tokens_cache_write or 0,
        )
        total += cost_usd(tokens, price)
    return round(total, 6)
