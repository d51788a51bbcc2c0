"""A reference program that reaches for what it must not have fails inside, and the run says so."""

import json

import pytest

from coda_bench.records.attempt import AttemptStatus

PROGRAMS = {
    "the gold file": ("print(open({tasks!r}).read())", "FileNotFoundError"),
    "the gold file from the community up": ("print(open('/data/../coda_bench.json').read())", "FileNotFoundError"),
    "the manifest beside the community": ("print(open('/data/../manifest.jsonl').read())", "FileNotFoundError"),
    "the host's passwords": ("print(open('/etc/shadow').read())", "FileNotFoundError"),
    "the network": ("import socket; socket.create_connection(('1.1.1.1', 53), 5)", "OSError"),
    "a name server": ("import socket; print(socket.getaddrinfo('pypi.org', 443))", "gaierror"),
    "writing a new data file": ("open('/data/cities/new.csv', 'w')", "OSError"),
    "writing over a data file": ("open('/data/cities/cities.csv', 'a')", "OSError"),
}


@pytest.mark.parametrize("wanted", PROGRAMS)
def test_a_program_that_reaches_out_fails_and_is_reported(runs, release, wanted):
    """The attempt ends as the agent's failure with the program's own last words; nothing is answered or changed."""
    code, error = PROGRAMS[wanted]
    tasks = json.loads((release / "coda_bench.json").read_text())
    tasks[0]["reference_code"] = code.replace("{tasks!r}", repr(str(release / "coda_bench.json")))
    (release / "coda_bench.json").write_text(json.dumps(tasks))
    before = {path: path.read_bytes() for path in release.rglob("*") if path.is_file()}
    summary = runs("reference", instances=(1,))
    attempt = runs.attempts()[1, 1]
    assert attempt.status is AttemptStatus.AGENT_FAILED
    assert error in attempt.error
    assert attempt.answer == ""
    assert summary.missing == ()
    assert {path: path.read_bytes() for path in release.rglob("*") if path.is_file()} == before
