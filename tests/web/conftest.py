import tempfile

import pytest

from evenhand.web.app import create_app
from evenhand.web.settings import Settings
from tests.web.client import Client


@pytest.fixture(autouse=True)
def apart(tmp_path_factory, monkeypatch):
    """Files of a test in a folder of its own, so that what is left behind can be seen."""
    place = str(tmp_path_factory.mktemp("temporary"))
    monkeypatch.setattr(tempfile, "tempdir", place)
    monkeypatch.setenv("TMPDIR", place)


@pytest.fixture
def client():
    return Client(create_app(Settings()))


@pytest.fixture
def served():
    """A client of an application with other settings."""
    return lambda **given: Client(create_app(Settings(**given)))
