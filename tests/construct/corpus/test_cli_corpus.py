"""`coda-bench corpus` as a user meets it, in a process of its own."""

import json
import subprocess
import sys

import pytest


@pytest.fixture
def corpus(tmp_path):
    """A function that runs the command over a small folder and returns both streams."""
    root = tmp_path / "root"
    for slug in ("wine", "beer", "unused"):
        (root / "datasets" / slug).mkdir(parents=True)
        (root / "datasets" / slug / "d.csv").write_text("a\n1\n")
    (root / "notebooks").mkdir()
    code = "open('../input/wine/d.csv')\nopen('../input/beer/d.csv')\n"
    (root / "notebooks/both.py").write_text(code)
    (root / "notebooks/copy.py").write_text(code)
    (root / "notebooks/lost.py").write_text("open('../input/elsewhere/d.csv')\n")
    (root / "notebooks/stats.R").write_text("x <- 1\n")
    (root / "notebooks/bad.ipynb").write_text("{")

    def run(*arguments, source="root", code=0):
        command = [sys.executable, "-m", "coda_bench.cli", "corpus", source, "--out", "build", *arguments]
        ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False)
        assert ended.returncode == code, ended.stderr
        assert "Traceback" not in ended.stderr
        return ended.stdout, ended.stderr

    run.root = root
    return run


def test_counts_and_findings_are_shown(corpus):
    """Five notebooks seen: one counts with two data sets, one with none, one is folded, one is R, one is broken."""
    shown, _ = corpus()
    counts = dict(line.rsplit(maxsplit=1) for line in shown.splitlines() if line.rsplit(maxsplit=1)[-1:] != [])
    expected = {
        "notebooks seen": "5",
        "notebooks": "2",
        "folded": "1",
        "notebooks in other languages": "1",
        "notebooks that cannot be read": "1",
        "notebooks that do not parse": "0",
        "notebooks with no data set": "1",
        "notebooks with two": "1",
        "data sets": "3",
        "data sets unused": "1",
        "references unresolved": "1",
        "uses": "2",
    }
    assert {name.strip(): count for name, count in counts.items() if name.strip() in expected} == expected
    assert "lost.py:1:1: ../input/elsewhere/d.csv is no data set of this corpus" in shown


def test_json_is_one_document_with_the_findings(corpus):
    """And nothing else on standard output."""
    shown, _ = corpus("--json")
    document = json.loads(shown)
    assert document["source"] == "folder"
    assert document["counts"]["notebooks_with_two"] == 1
    assert sorted(one["kind"] for one in document["findings"]) == ["language", "unreadable", "unresolved"]


def test_names_cannot_speak_to_the_terminal(corpus):
    """Escapes and line breaks in names and paths are shown as what cannot be shown."""
    (corpus.root / "notebooks/a\x1b[31m\nerror: forged.py").write_text("open('../input/\x1b[2Jnone/d.csv')")
    shown, _ = corpus()
    assert "\x1b" not in shown
    assert not any(line.startswith("error: forged") for line in shown.splitlines())


@pytest.mark.parametrize(
    ("source", "message"),
    [("none", "no such folder"), ("root/datasets/wine", "no data set in it"), ("root/datasets", "no data set in it")],
)
def test_a_source_that_is_none_is_refused_in_a_line(corpus, source, message, tmp_path):
    """Exit code 2, and no directory is begun."""
    _, said = corpus(source=source, code=2)
    assert message in said
    assert not (tmp_path / "build").exists()


def test_notebooks_that_all_fail_are_refused_with_reasons(corpus):
    """What was wrong with the first few stands in the message, for no findings are left behind."""
    for path in (corpus.root / "notebooks").iterdir():
        if path.suffix == ".py":
            path.unlink()
    _, said = corpus(code=2)
    said = " ".join(said.split())
    assert "no notebook in it that can be read; bad.ipynb: not JSON" in said
    assert "stats.R: in r; only Python is read" in said
