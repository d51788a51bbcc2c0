"""The documentation is executed: what a reader copies works."""

import json
import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from unittest import SkipTest

import pytest
from sybil import Example, Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser, SkipParser

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
COMMAND = re.compile(r"^\s*(?:\$ )?(coda-bench(?:-validate|-evaluate)?)\b ?([^#|\n]*)", re.MULTILINE)
FENCE = re.compile(r"^```(?:console|bash)\n(.*?)^```", re.MULTILINE | re.DOTALL)


class ShellSession(CodeBlockParser):
    """Runs the `$ ` lines of console blocks; a command that fails fails the block with its output."""

    language = "console"

    def evaluate(self, example: Example) -> None:
        """Run each command with this environment's own commands first on the path."""
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        for line in example.parsed.splitlines():
            if line.startswith("$ "):
                done = subprocess.run(
                    ["bash", "-c", line[2:]],
                    env={**os.environ, "PATH": path},
                    capture_output=True,
                    text=True,
                    check=False,
                )
                assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"


@pytest.fixture
def reader_folder(tmp_path, monkeypatch):
    """A folder as the pages assume it: a task file, and predictions that are its golds."""
    tasks = json.loads((FIXTURES / "released_tasks.json").read_text())
    rows = [{"instance_id": task["instance_id"], "prediction": task["answer"]} for task in tasks]
    (tmp_path / "coda_bench.json").write_text(json.dumps(tasks))
    (tmp_path / "predictions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("reader_folder")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_code_blocks_of_a_page_run_as_written(page):
    """Every Python and console block runs, top to bottom, unless the page says why it cannot."""
    sybil = Sybil([ShellSession(), PythonCodeBlockParser(), SkipParser()], path=str(ROOT))
    for example in sybil.parse(page).examples():
        with suppress(SkipTest):  # how the parser says that a block is marked as one that cannot run
            example.evaluate()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_skipped_block_gives_its_reason(page):
    """A block may only be skipped with a reason in quotes."""
    for directive in re.findall(r"^<!--.*?skip:.*?-->$", page.read_text(), re.MULTILINE):
        assert re.search(r'skip: (next|start) "[^"]{8,}"|skip: end', directive), directive


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_and_options_named_in_a_page_exist(page):
    """Blocks that cannot run here still name only commands and options that exist."""
    reference = (ROOT / "docs" / "reference" / "commands.md").read_text()
    for block in FENCE.findall(page.read_text()):
        for program, rest in COMMAND.findall(block):
            # What follows -- is another program's.
            words = [program, *re.sub("'[^']*'", "QUOTED", rest).partition(" -- ")[0].split()]
            section = _section(reference, words)
            for option in (word.split("=")[0] for word in words if word.startswith("--")):
                assert f"`{option}`" in section or option == "--help", f"{page.name}: {' '.join(words)}: no {option}"


def _section(reference, words):
    if words[0] != "coda-bench":
        words = ["coda-bench", words[0].removeprefix("coda-bench-"), *words[1:]]
    for length in (3, 2):
        title = " ".join(words[:length])
        found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", reference, re.MULTILINE | re.DOTALL)
        if found:
            return found[1]
    assert words[1:2] in ([], ["--help"], ["--version"]), f"no such command: {' '.join(words)}"
    return "`--version` `--help`"


def test_the_reference_of_commands_is_up_to_date():
    """The generated page equals what the commands say of themselves today."""
    done = subprocess.run([sys.executable, str(ROOT / "docs" / "generate_reference.py"), "--check"], check=False)
    assert done.returncode == 0, "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page):
    """Every relative link of a page names a file of the project."""
    for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"
