"""No text of any size or content makes judging slow, big or fail: as prediction, gold or guideline.

The judging runs in a process of its own with limits on CPU time and memory, so that a pattern that
backtracks or a text that is copied too often ends the test instead of the machine.
"""

import json
import resource
import subprocess
import sys

import pytest

CPU_SECONDS = 10
MEMORY_BYTES = 1 << 30

PROGRAM = """
import json, sys
from coda_bench.answers.verdict import judge
from coda_bench.answers.spec import compile_spec
from coda_bench.answers.explain import explain_answer, explain_field
from coda_bench.answers.legacy import coda_exact, coda_numeric
from coda_bench.answers.paper import ea_paper
text = eval(sys.argv[1])  # the test's own expression
role = sys.argv[2]
results = []
for gold in ("38%", "1; 2; 3; 4; 5", "[1]", "A; B", "Male: 88%; Female: 12%", "80-125 minutes", "2020-03-19"):
    prediction, guideline = text, "Answer format: 'Name; Count'. Round each value to 2 decimal places."
    if role == "gold":
        prediction, gold = gold, text
    if role == "guideline":
        prediction, guideline = gold, text
    verdict = judge(prediction, gold, guideline, question=guideline)
    results.append(verdict.ea)
    if len(results) == 1:
        coda_exact(prediction, gold), coda_numeric(prediction, gold), ea_paper(prediction, gold)
    if role != "prediction":
        spec = compile_spec(gold, guideline)
        explain_answer(spec), [explain_field(field, spec.rules) for field in spec.fields], spec.sha256
print(json.dumps(results))
"""

HUGE = {
    "digits": '"9" * 10_000_000',
    "decimals": '"0." + "3" * 10_000_000',
    "opening brackets": '"[" * 10_000_000',
    "zero-width characters": '"\\u200b" * 10_000_000',
    "zero-width digits": '"\\u200b3" * 5_000_000',
    "direction marks": '"\\u202e1\\u202d" * 3_000_000',
    "combining marks": '"a" + "\\u0301" * 10_000_000',
    "ligatures": '"\\ufdfa" * 3_000_000',
    "blanks": '" " * 10_000_000',
    "separators": '";" * 10_000_000',
    "lines": '"1\\n" * 5_000_000',
    "nuls": '"\\x00" * 10_000_000',
    "lone surrogates": '"\\ud800" * 5_000_000',
}
"""Texts of 10 MB and more."""

BAIT = {
    "nested objects": "'{\"a\":' * 390",
    "nested arrays": '"[" * 990 + "1" + "]" * 990',
    "nested parentheses": '"(" * 900 + "5" + ")" * 900',
    "letters": '"a" * 1990',
    "letters and a mark": '"a" * 1980 + "!"',
    "groups": '"1," * 990',
    "lakhs": '"11," * 650',
    "versions": '"1." * 990',
    "hyphens": '"a-" * 990',
    "ranges": '"1-" * 990',
    "pairs": '"a - " * 490 + "("',
    "colons": '"a: " * 650',
    "equals": '"a = " * 490',
    "signs": '"-" * 1990',
    "bold": '"** " * 650',
    "backticks": '"`" * 1990',
    "quotes": '"\'" * 1990',
    "double quotes": "'\"' * 1990",
    "escapes": "'\"' + '\\\\' * 1980",
    "labels": '"answer: " * 240',
    "months": '"jan " * 490',
    "clocks": '"1:00" * 490',
    "dates": '"1/1/" * 490',
    "ands": '"a and " * 330',
    "between": '"between 1 and " * 140',
    "at least": '"at least " * 220',
    "exponents": '"1e" * 990',
    "huge exponent": '"1e999999999"',
    "tiny exponent": '"1e-400"',
    "three-digit exponents": '"1e999 " * 330',
    "units": '"5km " * 490',
    "seasons": '"2013/14" * 280',
    "refusal": '"sorry " * 330',
    "tags": '"<answer>" * 240',
    "fences": '"```a" * 490',
    "hashes": '"#" * 1990',
    "lone surrogate": '"\\ud800"',
    "nul": '"\\x00"',
    "superscripts": '"\\u00b2" * 1990',
    "choices": "\"'a' or \" * 330",
    "examples": '"(e.g., " * 280',
    "parts": "\"'a; b', \" * 240",
    "numbered": '"1) a 2) b " * 190',
    "rounding": '"round to 2 decimal places, and " * 64',
    "how many": '"how many " * 220',
}
"""Texts short enough to be read in full, made to trap patterns."""


def run(expression, role):
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))

    command = [sys.executable, "-c", PROGRAM, expression, role]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limit)
    assert ended.returncode == 0, ended.stderr[-1000:]
    return json.loads(ended.stdout)


@pytest.mark.parametrize("name", HUGE)
def test_ten_megabytes_of_anything_are_judged(name):
    """Within 10 s of CPU and 1 GB for seven golds and every matcher; none is right."""
    assert run(HUGE[name], "prediction") == [False] * 7


@pytest.mark.parametrize("role", ["prediction", "gold", "guideline"])
def test_bait_for_patterns_is_judged(role):
    """All baits together take less than the limits, in each role."""
    expression = "[" + ", ".join(BAIT.values()) + "]"
    looped = PROGRAM.replace("text = eval(sys.argv[1])", "texts = eval(sys.argv[1])")
    head, _, body = looped.partition("role = sys.argv[2]\n")
    body = body.replace("print(json.dumps(results))", "").replace("results = []\n", "")
    program = head + "role = sys.argv[2]\nresults = []\nfor text in texts:\n"
    program += "".join(f"    {line}\n" for line in body.splitlines()) + "print(json.dumps(results))\n"
    ended = subprocess.run(
        [sys.executable, "-c", program, expression, role],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (30, 30)),
    )
    assert ended.returncode == 0, ended.stderr[-1000:]
    assert len(json.loads(ended.stdout)) == 7 * len(BAIT)
