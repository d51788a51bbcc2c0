"""`coda-bench kaggle` as a user meets it, in a process of its own."""

import json
import os
import signal
import subprocess
import sys

import pytest

from construct.corpus.kaggle.site import stored

WHEAT = {"wheat.csv": "year,tons\n2001,3\n"}
CREDENTIALS = ("KAGGLE_API_TOKEN", "KAGGLE_USERNAME", "KAGGLE_KEY")


@pytest.fixture
def kaggle(site, environment, tmp_path):
    """A function that runs the command to its end and returns both streams."""
    kept = {name: value for name, value in os.environ.items() if name not in CREDENTIALS}

    def run(text, *arguments, code=0, **more):
        (tmp_path / "list.txt").write_text(text)
        command = [sys.executable, "-m", "coda_bench.cli", "kaggle", "list.txt", "--out", "corpus", *arguments]
        ended = subprocess.run(
            command,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**kept, **environment, "COLUMNS": "160", **more},
            timeout=120,
            check=False,
        )
        assert ended.returncode == code, ended.stderr
        assert "Traceback" not in ended.stderr
        return ended.stdout, ended.stderr

    run.site = site
    return run


def test_a_list_is_downloaded_and_pinned(kaggle, tmp_path):
    """The table says what there is; the list with every version filled in stands beside it."""
    kaggle.site.add_dataset("ann/wheat", WHEAT, version=3)
    kaggle.site.add_notebook("ann/trends", ["x = 1"], sources=["ann/wheat", "bob/rain"])
    out, err = kaggle("dataset ann/wheat\nnotebook ann/trends/versions/1\n", "--resolve")
    assert "CC0-1.0" in out
    assert "named by notebooks and not downloaded: bob/rain" in out
    assert "credentials: none" in err
    pinned = (tmp_path / "corpus/pinned.txt").read_text()
    assert pinned == "dataset ann/wheat/versions/3\nnotebook ann/trends/versions/1\n"


def test_json_is_one_document_whatever_the_client_says(kaggle):
    """The client prints advice and a log on standard output; none of it gets there."""
    kaggle.site.add_dataset("ann/wheat", WHEAT)
    kaggle.site.refusals["bob/secret"] = 403
    kaggle.site.answers = [(429, {"Retry-After": "0"})]
    text = "dataset ann/wheat/versions/1\ndataset bob/secret/versions/1\n"
    out, err = kaggle(text, "--json", code=1, KAGGLEHUB_VERBOSITY="debug")
    found = json.loads(out)
    assert found["outcomes"] == {"consent_needed": 1, "downloaded": 1}
    assert "https://www.kaggle.com/datasets/bob/secret" in found["downloads"][1]["message"]
    assert "trying again" in err


@pytest.mark.parametrize(
    ("text", "status", "says"),
    [
        ("dataset ann/wheat\n", None, "has no version"),
        ("wheat\n", None, "list.txt:1"),
        ("dataset ann/wheat/versions/1\n", 401, "set KAGGLE_API_TOKEN"),
        ("dataset ann/wheat/versions/1\n", 418, "Kaggle answers 418"),
    ],
)
def test_what_cannot_be_used_ends_with_one_line(kaggle, text, status, says):
    """Exit code 2, and what to do."""
    if status:
        kaggle.site.refusals["ann/wheat"] = status
    out, err = kaggle(text, code=2)
    assert (out, says in err) == ("", True)


def test_a_name_from_outside_cannot_write_to_the_terminal(kaggle):
    """Licences are anybody's text."""
    kaggle.site.add_dataset("ann/wheat", WHEAT, licence="\x1b[31mmine\x1b[0m")
    out, err = kaggle("dataset ann/wheat/versions/1\n", code=1)
    assert "\x1b" not in out + err


def test_a_killed_download_goes_on(site, environment, tmp_path):
    """The process dies in the middle of a transfer; the next one asks for the rest."""
    site.add_dataset("ann/wheat", WHEAT)
    content = os.urandom(6_000_000)
    site.archives["ann/wheat", 1] = stored(content)
    site.held_after = 4_000_000
    (tmp_path / "list.txt").write_text("dataset ann/wheat/versions/1\n")
    command = [sys.executable, "-m", "coda_bench.cli", "kaggle", "list.txt", "--out", "corpus"]
    process = subprocess.Popen(command, cwd=tmp_path, env={**os.environ, **environment}, stderr=subprocess.DEVNULL)
    assert site.holding.wait(60)
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    site.held_after = None
    site.let_go.set()
    subprocess.run(command, cwd=tmp_path, env={**os.environ, **environment}, check=True, capture_output=True)
    assert (tmp_path / "corpus/datasets/ann/wheat/a.bin").read_bytes() == content
    assert any(one[2] for one in site.asked("storage"))
