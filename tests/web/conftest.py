import pytest

from evenhand.web.app import create_app
from evenhand.web.settings import Settings
from tests.web.client import Client


@pytest.fixture
def client():
    return Client(create_app(Settings()))


@pytest.fixture
def served():
    """A client of an application with other settings."""
    return lambda **given: Client(create_app(Settings(**given)))
