"""Fixtures: a Kaggle of the tests' own, and a user without credentials."""

import pytest

from construct.corpus.kaggle.site import Site


@pytest.fixture
def environment(tmp_path):
    """Where kagglehub finds no credentials of anybody's and no settings."""
    home = tmp_path / "home"
    home.mkdir()
    return {
        "HOME": str(home),
        "KAGGLE_CONFIG_DIR": str(home / ".kaggle"),
        "KAGGLE_API_ENVIRONMENT": "LOCALHOST",
        "NO_PROXY": "",
        "no_proxy": "",
    }


@pytest.fixture
def site(environment, monkeypatch):
    """A running Kaggle."""
    found = Site()
    environment |= {"http_proxy": found.address, "HTTP_PROXY": found.address}
    for name in ("KAGGLE_API_TOKEN", "KAGGLE_USERNAME", "KAGGLE_KEY", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    yield found
    found.close()
