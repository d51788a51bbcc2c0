"""What users are told when an engine or its image is missing."""

import json
import subprocess

import pytest

from coda_bench.errors import SandboxUnavailable
from coda_bench.records.run import Backend
from coda_bench.sandbox.container import engine as engines
from coda_bench.sandbox.container import image


def test_an_engine_that_is_not_there_is_named_with_a_remedy(monkeypatch, tmp_path):
    """Neither a missing program nor a silent daemon gives more than a sentence."""
    engines.find.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxUnavailable, match="docker: not installed; install Docker"):
        engines.find(Backend.DOCKER)


def test_a_daemon_that_does_not_answer_is_named(monkeypatch, engine, tmp_path):
    """A daemon that cannot be reached is told apart from a missing program."""
    if engine.name is not Backend.DOCKER:
        pytest.skip("Podman has no daemon")
    engines.find.cache_clear()
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none")
    with pytest.raises(SandboxUnavailable, match="start its daemon"):
        engines.find(Backend.DOCKER)
    engines.find.cache_clear()


def test_a_missing_image_says_how_to_make_it(engine, monkeypatch, tmp_path):
    """An image of another release's recipe does not do; the message names the command."""
    (tmp_path / "Containerfile").write_text("FROM scratch\n")
    monkeypatch.setattr(image, "RECIPE", tmp_path)
    with pytest.raises(SandboxUnavailable, match=f"coda-bench image build --engine {engine.name}"):
        image.find(engine)


def test_the_command_lists_the_image(engine, python):
    """`coda-bench image list --json` names the image by its content."""
    run = subprocess.run(
        [python, "-m", "coda_bench.cli", "image", "list", "--engine", engine.name, "--json"],
        capture_output=True,
        check=True,
    )
    told = json.loads(run.stdout)
    assert told["name"] == image.name()
    assert told["id"] == image.find(engine).id


def test_a_temporary_folder_too_deep_for_sockets_is_named(engine, make, monkeypatch, tmp_path):
    """A sentence with the remedy, and nothing left behind."""
    del engine
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    with pytest.raises(SandboxUnavailable, match="set TMPDIR"):
        make()
    assert list(deep.iterdir()) == []
