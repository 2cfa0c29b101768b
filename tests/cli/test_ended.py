"""Terminated, or without room on the disk: no partial output, and no file left behind."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import evenhand

EVENHAND = [sys.executable, "-m", "evenhand"]

ENDED = 128 + signal.SIGTERM
"""The exit code, as a shell has it."""


@pytest.fixture
def spare(here):
    """The folder of temporary files."""
    folder = here / "spare"
    folder.mkdir()
    return folder


@pytest.fixture
def environment(spare):
    return {
        **os.environ,
        "PYTHONPATH": str(Path(evenhand.__file__).parents[1]),
        "TMPDIR": str(spare),
        "POLARS_TEMP_DIR": str(spare),
        "PYTHONDONTWRITEBYTECODE": "1",  # it would be cut short where a disk is full
    }


def wait_for(found, process):
    """However long it takes, as long as the process is there."""
    while not found():
        assert process.poll() is None
        time.sleep(0.01)


def test_while_a_stream_is_read(environment, spare, lines):
    command = [*EVENHAND, "score", lines[0], "-"]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        wait_for(lambda: list(spare.iterdir()), process)
        process.send_signal(signal.SIGTERM)
        assert process.wait() == ENDED
        assert process.stderr.read() == b""
    assert list(spare.iterdir()) == []


def test_while_a_pipe_is_read(environment, spare, here, lines):
    os.mkfifo(here / "pipe")
    command = [*EVENHAND, "rank", lines[0], lines[1], "pipe"]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)
    with process, (here / "pipe").open("w") as pipe:
        pipe.write("a\n")
        pipe.flush()
        wait_for(lambda: list(spare.iterdir()), process)
        process.send_signal(signal.SIGTERM)
        assert process.wait() == ENDED
    assert list(spare.iterdir()) == []


BUSY = {
    "Python": "import time; time.sleep(60)",
    # which hears of no signal until it is over, as Polars: a lock that is locked once more
    "C": "import ctypes; c = ctypes.CDLL(None); lock = (ctypes.c_char * 64)(); "
    "c.pthread_mutex_lock(lock); c.pthread_mutex_lock(lock)",
}


@pytest.mark.parametrize("busy", BUSY)
def test_while_a_file_is_written(environment, here, busy):
    (here / "out.json").write_text("old")
    code = (
        "import sys\n"
        "from evenhand.cli.output import clear_at_termination\n"
        "from evenhand.io.scratch import atomic_write\n"
        "clear_at_termination()\n"
        "with atomic_write('out.json') as part:\n"
        "    part.write_text('half of the')\n"
        "    print('ready', flush=True)\n"
        f"    {BUSY[busy]}\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait() == ENDED
    assert sorted(p.name for p in here.iterdir()) == ["out.json", "spare"]
    assert (here / "out.json").read_text() == "old"


def test_whoever_ignores_the_signal_goes_on(environment, lines):
    """As under nohup, or in a program that has its own way to end."""
    code = (
        "import os, signal\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "from evenhand.cli.output import clear_at_termination\n"
        "clear_at_termination()\n"
        "os.kill(os.getpid(), signal.SIGTERM)\n"
    )
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)


def full(size):
    """A process whose files can have no more than so many bytes."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


COMMANDS = {
    "score": ("score", "gold.txt", "pred.txt", "--format", "json", "--output", "out.json"),
    "chart": ("score", "gold.txt", "pred.txt", "--format", "csv", "--plot", "out.svg"),
    "count": ("count", "gold.txt", "pred.txt", "--output", "out.json"),
    "parts": ("count", "*.csv", "--true", "g", "--pred", "p", "--output", "out.json"),
    "report": ("report", "gold.txt", "pred.txt", "--format", "markdown", "--output", "out.md"),
    "merge": ("merge", "one.json", "two.json", "--output", "out.json"),
}


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk(environment, here, write, run, lines, command, old):
    for i in range(3):
        write(f"part{i}.csv", "g,p\n" + "a,a\nb,a\n" * (i + 1))
    assert run("count", *lines, "--output", "one.json").exit_code == 0
    assert run("count", "part0.csv", "--true", "g", "--pred", "p", "-o", "two.json").exit_code == 0
    asked = COMMANDS[command]
    if old:
        (here / asked[-1]).write_text("old")
    before = sorted(here.iterdir())
    done = subprocess.run(
        [*EVENHAND, *asked], env=environment, preexec_fn=full(64), capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 2
    *_, line = done.stderr.splitlines()
    assert line.endswith("cannot be written: File too large")
    assert sorted(here.iterdir()) == before
    assert not old or (here / asked[-1]).read_text() == "old"


def test_no_room_for_a_stream(environment, spare, lines):
    done = subprocess.run(
        [*EVENHAND, "score", lines[0], "-"], env=environment, preexec_fn=full(64),
        input="a\n" * 100, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"evenhand: error: standard input cannot be kept in {spare} while it is read: File too "
        "large; the variable TMPDIR names another folder\n"
    )
    assert list(spare.iterdir()) == []
