import tempfile

import pytest

from evenhand.web.app import create_app
from evenhand.web.work import Settings
from tests.reporting.test_browser import browser as browser
from tests.web.browsing import Tab, serving
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


@pytest.fixture(scope="session")
def address():
    """A server that runs as long as the tests do, patient where the machine is busy."""
    with serving(seconds=600) as (found, _):
        yield found


@pytest.fixture
def tab(browser, address):
    """A tab; at the end it must have said nothing, and asked nobody else."""
    opened = []

    def of(part="play", **how):
        opened.append(Tab(browser, address, **how))
        return opened[-1].open(part)

    yield of
    for one in opened:
        one.context.close()
        assert [s for s in one.said if not one.refused or "422" not in s] == []
