"""The `react` agent with a scripted model, through the engine's real model path."""

from typing import Any

import pytest
from inspect_ai.model import ChatMessageAssistant, ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.tool import ToolCall

from coda_bench.errors import BadInput
from coda_bench.records.attempt import AttemptStatus
from coda_bench.records.run import Limits
from coda_bench.run.prices import Price

COUNT = "import pandas as pd; n = int((pd.read_csv('/data/cities/cities.csv').country == 'Peru').sum())"
SCRIPTS: dict[str, list[tuple[str, dict[str, str]] | str | Exception]] = {
    "file": [
        ("bash", {"command": "ls /data; head -n 1 /data/cities/cities.csv"}),
        ("python", {"code": f"{COUNT}; open('/workspace/result.txt', 'w').write(str(n))"}),
        ("submit", {"answer": "not what the file says"}),
    ],
    "submit": [("python", {"code": f"{COUNT}; print(n)"}), ("submit", {"answer": " 2\n"})],
    "never": ["I think the answer is 2."],
    "broken": [RuntimeError("the model's server is down")],
    "slow": [("bash", {"command": "echo 2 > /workspace/result.txt; sleep 300"})],
}


@modelapi(name="scripted")
class ScriptedModel(ModelAPI):
    """Plays a script by the number of turns so far, then repeats its last line; ten tokens in, five out."""

    async def generate(self, input: list[Any], **_: Any) -> ModelOutput:  # noqa: A002  # the engine's name
        """Return the script's next line."""
        script = SCRIPTS[self.model_name]
        turn = sum(message.role == "assistant" for message in input)
        step = script[min(turn, len(script) - 1)]
        if isinstance(step, Exception):
            raise step
        message = ChatMessageAssistant(content=step if isinstance(step, str) else "", tool_calls=_calls(step, turn))
        output = ModelOutput.from_message(message)
        output.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
        return output


def _calls(step: Any, turn: int) -> list[ToolCall] | None:
    return None if isinstance(step, str) else [ToolCall(id=f"call-{turn}", function=step[0], arguments=step[1])]


def test_the_answer_file_outranks_the_submitted_text(runs):
    """What stands in result.txt is the answer, even when submit says otherwise."""
    runs("react", model="scripted/file", instances=(1,))
    attempt = runs.attempts()[1, 1]
    assert (attempt.status, attempt.answer, attempt.answer_source) == (AttemptStatus.ANSWERED, "2", "file")
    assert attempt.code_generated == SCRIPTS["file"][1][1]["code"]
    assert attempt.file_access.used == ("cities/cities.csv",)
    assert attempt.file_access.commands[0].command.startswith("ls /data")


def test_without_a_file_the_submitted_text_counts(runs):
    """The submit tool's text is the answer when no file was written; usage and cost are counted."""
    runs("react", model="scripted/submit", instances=(1,), prices={"scripted/submit": Price(input=1e6, output=2e6)})
    attempt = runs.attempts()[1, 1]
    assert (attempt.answer, attempt.answer_source) == ("2", "submit")
    assert (attempt.usage.turns, attempt.usage.input_tokens, attempt.usage.output_tokens) == (2, 20, 10)
    assert attempt.usage.cost_usd == 40.0


def test_talk_is_no_answer(runs):
    """A model that never submits runs into its message limit and has answered nothing."""
    runs("react", model="scripted/never", instances=(1,), message_limit=8)
    attempt = runs.attempts()[1, 1]
    assert (attempt.status, attempt.answer) == (AttemptStatus.LIMIT_MESSAGES, "")
    assert "configured 8" in attempt.error


def test_a_failing_model_is_not_a_wrong_answer(runs):
    """A model that cannot be reached ends as a machine failure, is tried again, and is left out of the predictions."""
    summary = runs("react", model="scripted/broken", instances=(1,), retries=1)
    attempt = runs.attempts()[1, 1]
    assert (attempt.status, attempt.num_retries) == (AttemptStatus.MODEL_FAILED, 1)
    assert "the model's server is down" in attempt.error
    assert (summary.missing, runs.answers()) == (((1, 1),), {})


def test_at_the_time_limit_a_models_answer_file_still_counts(runs):
    """The running tool call is stopped with all its children; answer, code and usage are kept."""
    runs("react", model="scripted/slow", instances=(1,), limits=Limits(time_s=3))
    attempt = runs.attempts()[1, 1]
    assert (attempt.status, attempt.answer, attempt.usage.turns) == (AttemptStatus.LIMIT_TIME, "2", 1)
    assert attempt.code_generated == SCRIPTS["slow"][0][1]["command"]
    assert attempt.wall_seconds < 60


def test_a_price_that_is_not_known_is_never_zero(runs):
    """Unknown prices stay unknown, and a spending limit is refused rather than not kept."""
    runs("react", model="scripted/submit", instances=(1,))
    assert runs.attempts()[1, 1].usage.cost_usd is None
    with pytest.raises(BadInput, match="--price scripted/submit=INPUT,OUTPUT"):
        runs("react", model="scripted/submit", instances=(1,), max_cost_usd=1)


def test_the_spending_limit_leaves_the_rest_open(runs):
    """Once the limit is reached no attempt starts; a rerun with a higher one makes the others."""
    prices = {"scripted/submit": Price(input=1e6, output=2e6)}
    options = {"model": "scripted/submit", "prices": prices, "jobs": 1, "instances": (1, 2, 3)}
    first = runs("react", max_cost_usd=50, **options)
    assert (first.budget_reached, first.progress.done, len(first.missing)) == (True, 2, 1)
    assert runs("react", max_cost_usd=500, **options).missing == ()


def test_react_without_a_model_is_refused(runs):
    """The message says which option is missing."""
    with pytest.raises(BadInput, match="--model PROVIDER/NAME"):
        runs("react")
