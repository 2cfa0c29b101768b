"""``evenhand serve``: where it listens, what it warns of, what it refuses."""

import socket
import subprocess
import sys
import urllib.request

from tests.web.browsing import serving

SERVE = [sys.executable, "-m", "evenhand", "serve", "--no-browser"]


def test_it_answers_as_soon_as_it_says_where():
    with serving() as (address, _):
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(address) as page:
            assert b"Change a cell" in page.read()
            assert page.headers["server"] is None


def test_another_address_is_warned_of():
    command = [*SERVE, "--host", "0.0.0.0", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert next(process.stderr) == (
                "warning: 0.0.0.0 can be reached by others, who can then use this machine's time; "
                "it asks nobody for a password\n"
            )
        finally:
            process.terminate()


def test_a_port_that_is_taken_is_one_line():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        command = [*SERVE, "--port", str(taken.getsockname()[1])]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "cannot be listened at: Address already in use" in line
